// SPDX-License-Identifier: Apache-2.0
// ViennaCL: vectors, dense and sparse products, and a conjugate gradient solver, whose answer is checked by its residual.
#define VIENNACL_WITH_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <cmath>
#include <iostream>
#include <map>
#include <vector>

#include <viennacl/compressed_matrix.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/vector.hpp>

static int failures;

static void near(const char *what, double found, double wanted, double tolerance)
{
    const bool good = std::fabs(found - wanted) <= tolerance;
    failures += !good;
    std::cout << (good ? "ok      " : "FAILED  ") << what << ": " << found << ", wanted " << wanted
              << std::endl;
}

int main()
{
    const std::size_t n = 100;
    std::cout << viennacl::ocl::current_device().name() << std::endl;
    std::vector<double> ones(n, 1.0), ramp(n);
    for (std::size_t i = 0; i < n; i++)
        ramp[i] = 0.01 * static_cast<double>(i);
    viennacl::vector<double> x(n), y(n);
    viennacl::copy(ones, x);
    viennacl::copy(ramp, y);
    near("inner product", viennacl::linalg::inner_prod(x, y), 49.5, 1e-12);
    near("norm", viennacl::linalg::norm_2(x), 10, 1e-12);
    x = 2.0 * x - y;
    near("expression", viennacl::linalg::inner_prod(x, x), 4 * 100 - 4 * 49.5 + 32.835, 1e-9);

    std::vector<std::map<unsigned, double>> laplace(n);
    for (unsigned i = 0; i < n; i++) {
        laplace[i][i] = 2.5;
        if (i)
            laplace[i][i - 1] = -1;
        if (i + 1 < n)
            laplace[i][i + 1] = -1;
    }
    viennacl::compressed_matrix<double> a(n, n);
    viennacl::copy(laplace, a);
    viennacl::copy(ramp, y);
    viennacl::vector<double> solution = viennacl::linalg::solve(a, y, viennacl::linalg::cg_tag(1e-12, 200));
    viennacl::vector<double> residual = viennacl::linalg::prod(a, solution);
    residual -= y;
    near("conjugate gradients", viennacl::linalg::norm_2(residual), 0, 1e-9);
    return failures != 0;
}
