// SPDX-License-Identifier: Apache-2.0
// Boost.Compute's algorithms against those of the standard library.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <algorithm>
#include <boost/compute/algorithm.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/functional/math.hpp>
#include <boost/compute/lambda.hpp>
#include <boost/compute/system.hpp>
#include <boost/compute/types.hpp>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <vector>

namespace compute = boost::compute;

static int failures;

static void judge(const char *what, bool good)
{
    failures += !good;
    std::cout << (good ? "ok      " : "FAILED  ") << what << std::endl;
}

static std::vector<int> numbers(std::size_t count)
{
    std::vector<int> made(count);
    std::uint32_t seed = 7;
    for (int &value : made) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<int>(seed >> 16) % 1000 - 500;
    }
    return made;
}

static compute::device find_device()
{
    for (const compute::platform &platform : compute::system::platforms())
        if (platform.name() == "Orrery")
            return platform.devices().at(0);
    std::cout << "FAILED  a platform called Orrery" << std::endl;
    std::exit(1);
}

int main()
{
    using compute::lambda::_1;
    compute::device device = find_device();
    compute::context context(device);
    compute::command_queue queue(context, device);
    std::vector<int> host = numbers(3000), back(host.size());
    compute::vector<int> numbers_there(host.begin(), host.end(), queue), other(host.size(), context);

    int sum = 0;
    compute::reduce(numbers_there.begin(), numbers_there.end(), &sum, compute::plus<int>(), queue);
    judge("reduce", sum == std::accumulate(host.begin(), host.end(), 0));
    judge("accumulate", compute::accumulate(numbers_there.begin(), numbers_there.end(), 5, queue) ==
                            std::accumulate(host.begin(), host.end(), 5));
    judge("count_if", compute::count_if(numbers_there.begin(), numbers_there.end(), _1 > 100, queue) ==
                          static_cast<std::size_t>(
                              std::count_if(host.begin(), host.end(), [](int v) { return v > 100; })));
    judge("max_element",
          compute::max_element(numbers_there.begin(), numbers_there.end(), queue).read(queue) ==
              *std::max_element(host.begin(), host.end()));

    std::vector<int> wanted(host.size());
    compute::inclusive_scan(numbers_there.begin(), numbers_there.end(), other.begin(), queue);
    compute::copy(other.begin(), other.end(), back.begin(), queue);
    std::partial_sum(host.begin(), host.end(), wanted.begin());
    judge("inclusive_scan", back == wanted);

    compute::exclusive_scan(numbers_there.begin(), numbers_there.end(), other.begin(), queue);
    compute::copy(other.begin(), other.end(), back.begin(), queue);
    std::rotate(wanted.begin(), wanted.end() - 1, wanted.end());
    wanted[0] = 0;
    judge("exclusive_scan", back == wanted);

    auto end =
        compute::copy_if(numbers_there.begin(), numbers_there.end(), other.begin(), _1 % 3 == 0, queue);
    std::vector<int> kept(static_cast<std::size_t>(std::distance(other.begin(), end)));
    compute::copy(other.begin(), end, kept.begin(), queue);
    wanted.clear();
    std::copy_if(host.begin(), host.end(), std::back_inserter(wanted), [](int v) { return v % 3 == 0; });
    judge("copy_if", kept == wanted);

    compute::transform(numbers_there.begin(), numbers_there.end(), other.begin(), _1 * 3 - 7, queue);
    compute::copy(other.begin(), other.end(), back.begin(), queue);
    wanted.resize(host.size());
    std::transform(host.begin(), host.end(), wanted.begin(), [](int v) { return v * 3 - 7; });
    judge("transform", back == wanted);

    compute::sort(numbers_there.begin(), numbers_there.end(), queue);
    compute::copy(numbers_there.begin(), numbers_there.end(), back.begin(), queue);
    std::sort(host.begin(), host.end());
    judge("sort", back == host);

    end = compute::unique(numbers_there.begin(), numbers_there.end(), queue);
    host.erase(std::unique(host.begin(), host.end()), host.end());
    judge("unique", static_cast<std::size_t>(std::distance(numbers_there.begin(), end)) == host.size());
    judge("binary_search", compute::binary_search(numbers_there.begin(), end, host[17], queue));

    std::vector<float> roots = {1, 2, 3, 4, 9, 16, 100, 12345};
    compute::vector<float> roots_there(roots.begin(), roots.end(), queue);
    compute::transform(roots_there.begin(), roots_there.end(), roots_there.begin(), compute::sqrt<float>(),
                       queue);
    std::vector<float> found(roots.size());
    compute::copy(roots_there.begin(), roots_there.end(), found.begin(), queue);
    bool near = true;
    for (std::size_t i = 0; i < roots.size(); i++)
        near = near && std::fabs(found[i] - std::sqrt(roots[i])) <= 3e-7f * found[i];
    judge("sqrt", near);
    std::reverse(roots.begin(), roots.end());
    return failures != 0;
}
