/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks everything that the devices of a platform offer to partitioning programs: the
 * properties of each, the result of every scheme, call by call, and the same for the first
 * sub-device of each, down to a depth.
 *
 *     partition_explorer [DEPTH] [PLATFORM]      depth 2, the platform named Orrery
 *
 * Exit status 1: no such platform, or a device that contradicts its properties.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 4096, WORDS_MAX = 16, SHOWN_MAX = 12 };

static int contradictions;

static void contradict(const char *what, const char *reported, const char *found)
{
    printf("CONTRADICTION: %s: reported %s, found %s\n", what, reported, found);
    contradictions++;
}

static const char *error_text(cl_int err)
{
    static char text[32];
    switch (err) {
    case CL_SUCCESS: return "CL_SUCCESS";
    case CL_DEVICE_PARTITION_FAILED_EXT: return "CL_DEVICE_PARTITION_FAILED_EXT";
    case CL_INVALID_VALUE: return "CL_INVALID_VALUE";
    case CL_DEVICE_PARTITION_FAILED: return "CL_DEVICE_PARTITION_FAILED";
    case CL_INVALID_DEVICE_PARTITION_COUNT: return "CL_INVALID_DEVICE_PARTITION_COUNT";
    default: snprintf(text, sizeof text, "error %d", err); return text;
    }
}

/* ---- queries ---------------------------------------------------------------------- */

static cl_uint ask_uint(cl_device_id device, cl_device_info what)
{
    cl_uint answer = 0;
    clGetDeviceInfo(device, what, sizeof answer, &answer, NULL);
    return answer;
}

static cl_ulong ask_ulong(cl_device_id device, cl_device_info what)
{
    cl_ulong answer = 0;
    clGetDeviceInfo(device, what, sizeof answer, &answer, NULL);
    return answer;
}

static size_t ask_list(cl_device_id device, cl_device_info what, cl_device_partition_property list[WORDS_MAX])
{
    size_t size = 0;
    if (clGetDeviceInfo(device, what, WORDS_MAX * sizeof *list, list, &size))
        return 0;
    return size / sizeof *list;
}

/* ---- names -------------------------------------------------------------------------- */

static const struct {
    cl_device_affinity_domain bit;
    const char *name;
} domains[] = {
    {CL_DEVICE_AFFINITY_DOMAIN_NUMA, "NUMA"},
    {CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, "L4"},
    {CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, "L3"},
    {CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, "L2"},
    {CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, "L1"},
    {CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, "next partitionable"},
};
enum { DOMAIN_COUNT = sizeof domains / sizeof *domains };

static const char *domain_name(cl_device_partition_property bit)
{
    for (size_t i = 0; i < DOMAIN_COUNT; i++)
        if (domains[i].bit == (cl_device_affinity_domain)bit)
            return domains[i].name;
    return "unknown domain";
}

static const char *scheme_name(cl_device_partition_property scheme)
{
    switch (scheme) {
    case CL_DEVICE_PARTITION_EQUALLY: return "equally";
    case CL_DEVICE_PARTITION_BY_COUNTS: return "by counts";
    case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN: return "by affinity domain";
    case CL_DEVICE_PARTITION_BY_NAMES_INTEL: return "by names";
    case 0x1089: return "by cslice";
    default: return "unknown scheme";
    }
}

static void indent(int depth)
{
    printf("%*s", 4 * depth, "");
}

/* "equally 4", "by counts 1 3", "by affinity domain L3" */
static void print_request(const cl_device_partition_property *list)
{
    printf("%s", scheme_name(list[0]));
    if (list[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)
        printf(" %s", domain_name(list[1]));
    else if (list[0] == CL_DEVICE_PARTITION_EQUALLY)
        printf(" %ld", (long)list[1]);
    else if (list[0] == CL_DEVICE_PARTITION_BY_COUNTS)
        for (size_t i = 1; list[i]; i++)
            printf(" %ld", (long)list[i]);
    else if (list[0] == CL_DEVICE_PARTITION_BY_NAMES_INTEL)
        for (size_t i = 1; list[i] != CL_PARTITION_BY_NAMES_LIST_END_INTEL; i++)
            printf(" %ld", (long)list[i]);
}

/* ---- a device ------------------------------------------------------------------------- */

static void describe_families(cl_device_id device, int depth)
{
    cl_queue_family_properties_intel families[8];
    size_t size = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_QUEUE_FAMILY_PROPERTIES_INTEL, sizeof families, families, &size))
        return;
    indent(depth);
    printf("queue families:");
    for (size_t i = 0; i < size / sizeof *families; i++)
        printf("%s %u x %s%s", i ? "," : "", families[i].count, families[i].name,
               families[i].capabilities == CL_QUEUE_DEFAULT_CAPABILITIES_INTEL ? "" : " (copies only)");
    printf("\n");
}

/* ---- cl_ext_device_fission ------------------------------------------------------------- */

static clCreateSubDevicesEXT_fn create_ext;

/* One call. A style that is listed need not work in every case, a domain that is listed has to. */
static void split_ext(cl_device_id device, const char *what, const cl_device_partition_property_ext *list, bool works)
{
    cl_uint count = 0;
    cl_int err = create_ext(device, list, 0, NULL, &count);
    printf(" %s: ", what);
    if (err)
        printf("%s;", error_text(err));
    else
        printf("%u;", count);
    if (works ? err || !count : err && err != CL_DEVICE_PARTITION_FAILED_EXT)
        contradict(what, "it is offered", error_text(err));
}

static void split_ext_by_domain(cl_device_id device)
{
    static const struct { cl_device_partition_property_ext domain; const char *name; } names[] = {
        {CL_AFFINITY_DOMAIN_NUMA_EXT, "NUMA"},         {CL_AFFINITY_DOMAIN_L4_CACHE_EXT, "L4"},
        {CL_AFFINITY_DOMAIN_L3_CACHE_EXT, "L3"},       {CL_AFFINITY_DOMAIN_L2_CACHE_EXT, "L2"},
        {CL_AFFINITY_DOMAIN_L1_CACHE_EXT, "L1"},
    };
    cl_device_partition_property_ext offered[WORDS_MAX];
    size_t size = 0;
    clGetDeviceInfo(device, CL_DEVICE_AFFINITY_DOMAINS_EXT, sizeof offered, offered, &size);
    for (size_t i = 0; i < size / sizeof *offered; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (offered[i] == names[k].domain)
                split_ext(device, names[k].name,
                          (const cl_device_partition_property_ext[]){CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT,
                                                                     names[k].domain, CL_PROPERTIES_LIST_END_EXT},
                          true);
    split_ext(device, "next fissionable",
              (const cl_device_partition_property_ext[]){CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT,
                                                         CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT, CL_PROPERTIES_LIST_END_EXT},
              size > 0);
}

/* How many sub-devices each scheme of the extension gives. */
static void describe_fission(cl_device_id device, int depth)
{
    static const cl_device_partition_property_ext ones[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 1, CL_PROPERTIES_LIST_END_EXT},
        one[] = {CL_DEVICE_PARTITION_BY_COUNTS_EXT, 1, CL_PARTITION_BY_COUNTS_LIST_END_EXT, CL_PROPERTIES_LIST_END_EXT},
        first[] = {CL_DEVICE_PARTITION_BY_NAMES_EXT, 0, CL_PARTITION_BY_NAMES_LIST_END_EXT, CL_PROPERTIES_LIST_END_EXT};
    cl_device_partition_property_ext types[WORDS_MAX];
    size_t size = 0;
    if (!create_ext || clGetDeviceInfo(device, CL_DEVICE_PARTITION_TYPES_EXT, sizeof types, types, &size))
        return;
    indent(depth);
    printf("device fission:");
    for (size_t i = 0; i < size / sizeof *types; i++)
        switch (types[i]) {
        case CL_DEVICE_PARTITION_EQUALLY_EXT: split_ext(device, "equally 1", ones, false); break;
        case CL_DEVICE_PARTITION_BY_COUNTS_EXT: split_ext(device, "by counts 1", one, false); break;
        case CL_DEVICE_PARTITION_BY_NAMES_EXT: split_ext(device, "by names 0", first, false); break;
        case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT: split_ext_by_domain(device); break;
        default: break;
        }
    putchar('\n');
}

static void describe(cl_device_id device, int depth)
{
    cl_device_partition_property list[WORDS_MAX];
    size_t count = ask_list(device, CL_DEVICE_PARTITION_PROPERTIES, list);
    cl_device_affinity_domain bits = ask_ulong(device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN);
    indent(depth);
    printf("compute units %u, cache %lu bytes in lines of %u, at most %u sub-devices\n",
           ask_uint(device, CL_DEVICE_MAX_COMPUTE_UNITS),
           (unsigned long)ask_ulong(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE),
           ask_uint(device, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE),
           ask_uint(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES));
    indent(depth);
    printf("memory %lu bytes, buffers of at most %lu\n", (unsigned long)ask_ulong(device, CL_DEVICE_GLOBAL_MEM_SIZE),
           (unsigned long)ask_ulong(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
    indent(depth);
    printf("schemes:");
    for (size_t i = 0; i < count && list[i]; i++)
        printf("%s %s", i ? "," : "", scheme_name(list[i]));
    printf("%s; domains:", count && list[0] ? "" : " none");
    bool any = false;
    for (size_t i = 0; i < DOMAIN_COUNT; i++)
        if (bits & domains[i].bit) {
            printf("%s %s", any ? "," : "", domains[i].name);
            any = true;
        }
    printf("%s\n", any ? "" : " none");
    describe_families(device, depth);
    describe_fission(device, depth);
}

static bool offers(cl_device_id device, const cl_device_partition_property *request)
{
    cl_device_partition_property list[WORDS_MAX];
    size_t count = ask_list(device, CL_DEVICE_PARTITION_PROPERTIES, list);
    bool listed = false;
    for (size_t i = 0; i < count; i++)
        listed |= list[i] == request[0];
    if (request[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)
        listed &= (ask_ulong(device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN) &
                   (cl_device_affinity_domain)request[1]) != 0;
    return listed;
}

/* ---- its parts --------------------------------------------------------------------------- */

static void explore(cl_device_id device, int depth, int most);

/* "8 8 8 8"; long lists are cut. */
static void print_sizes(cl_device_id *parts, cl_uint count)
{
    for (cl_uint i = 0; i < count && i < SHOWN_MAX; i++)
        printf(" %u", ask_uint(parts[i], CL_DEVICE_MAX_COMPUTE_UNITS));
    if (count > SHOWN_MAX)
        printf(" ... (%u in all)", count);
}

/* A part must return its parent, and the reference of its creator must be the only one. */
static void examine(cl_device_id device, cl_device_id *parts, cl_uint count)
{
    cl_uint units = 0;
    for (cl_uint i = 0; i < count; i++) {
        cl_device_id parent = NULL;
        clGetDeviceInfo(parts[i], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL);
        if (parent != device)
            contradict("CL_DEVICE_PARENT_DEVICE", "another device", "come from this one");
        units += ask_uint(parts[i], CL_DEVICE_MAX_COMPUTE_UNITS);
    }
    if (units > ask_uint(device, CL_DEVICE_MAX_COMPUTE_UNITS))
        contradict("CL_DEVICE_MAX_COMPUTE_UNITS", "fewer units", "give the parts more");
}

static void try_request(cl_device_id device, const cl_device_partition_property *request, int depth, int most)
{
    static cl_device_id room[8][PARTS_MAX]; /* one row per depth */
    cl_device_id *parts = room[depth];
    cl_uint count = 0;
    cl_int err = clCreateSubDevices(device, request, 0, NULL, &count);
    if (!err)
        err = clCreateSubDevices(device, request, count, parts, NULL);
    indent(depth);
    printf("-> ");
    print_request(request);
    printf(": ");
    if (err) {
        printf("%s\n", error_text(err));
        if (request[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN && offers(device, request))
            contradict("CL_DEVICE_PARTITION_AFFINITY_DOMAIN", "the domain", "refuse it");
        return;
    }
    cl_device_partition_property type[WORDS_MAX];
    size_t words = ask_list(parts[0], CL_DEVICE_PARTITION_TYPE, type);
    printf("%u part%s of", count, count == 1 ? "" : "s");
    print_sizes(parts, count);
    if (words && (type[0] != request[0] || type[1] != request[1])) {
        printf(", made ");
        print_request(type);
    }
    printf("\n");
    if (!offers(device, request))
        contradict("CL_DEVICE_PARTITION_PROPERTIES", "nothing of the scheme", "make sub-devices");
    examine(device, parts, count);
    if (depth < most)
        explore(parts[0], depth + 1, most);
    for (cl_uint i = 0; i < count; i++)
        clReleaseDevice(parts[i]);
}

static void explore(cl_device_id device, int depth, int most)
{
    const cl_device_partition_property units = ask_uint(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    describe(device, depth);
    try_request(device, (cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, 1, 0}, depth, depth);
    try_request(device, (cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, (units + 1) / 2, 0},
                depth, most);
    try_request(device, (cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, units, 0}, depth,
                depth);
    if (units > 1)
        try_request(device,
                    (cl_device_partition_property[]){CL_DEVICE_PARTITION_BY_COUNTS, 1, units - 1, 0, 0},
                    depth, depth);
    try_request(device, (cl_device_partition_property[]){CL_DEVICE_PARTITION_BY_COUNTS, units + 1, 0, 0},
                depth, depth);
    try_request(device,
                (cl_device_partition_property[]){CL_DEVICE_PARTITION_BY_NAMES_INTEL, units - 1, -1, 0}, depth,
                depth);
    for (size_t i = 0; i < DOMAIN_COUNT; i++)
        try_request(device,
                    (cl_device_partition_property[]){CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                     (cl_device_partition_property)domains[i].bit, 0},
                    depth, most);
    const cl_device_partition_property by_cslice[] = {0x1089, 0, 0};
    if (offers(device, by_cslice))
        try_request(device, by_cslice, depth, most);
}

/* ---- platforms ------------------------------------------------------------------------------ */

static cl_platform_id find_platform(const char *wanted)
{
    cl_platform_id platforms[32];
    cl_uint count = 0;
    clGetPlatformIDs(32, platforms, &count);
    for (cl_uint i = 0; i < count && i < 32; i++) {
        char name[128] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, wanted))
            return platforms[i];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int depth = argc > 1 ? atoi(argv[1]) : 2;
    const char *wanted = argc > 2 ? argv[2] : "Orrery";
    cl_platform_id platform = find_platform(wanted);
    cl_device_id roots[64];
    cl_uint count = 0;
    if (!platform || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, roots, &count)) {
        fprintf(stderr, "partition_explorer: no device of a platform called %s\n", wanted);
        return 1;
    }
    *(void **)&create_ext = clGetExtensionFunctionAddressForPlatform(platform, "clCreateSubDevicesEXT");
    for (cl_uint i = 0; i < count; i++) {
        char name[128] = "";
        clGetDeviceInfo(roots[i], CL_DEVICE_NAME, sizeof name, name, NULL);
        printf("device %u: %s\n", i, name);
        explore(roots[i], 0, depth < 0 ? 0 : depth > 7 ? 7 : depth);
    }
    return contradictions != 0;
}
