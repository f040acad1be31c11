/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of the library in a process: settings from the environment, the summary, the
 * exit status, and the control functions. Each test runs this program again with a
 * role, because it is the end of a process that is looked at.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CL_LOOK_FOR_ALL /* processes as users have them */
#include "tests/support/cl_fixture.h"
#include "orrery/orrery.h"

/* ---- roles: what the child does ------------------------------------------------------------- */

static void role_nothing(void) {}

static void role_look(void)
{
    cl_uint count;
    clGetPlatformIDs(0, NULL, &count);
    printf("platforms %u\n", count);
}

/* How far a program gets that launches no kernel. */
static void role_filtered(void)
{
    cl_device_id found;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &found, NULL);
}

static void role_listed(void)
{
    role_filtered();
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
}

static void start(void)
{
    cl_platform_id found;
    if (clGetPlatformIDs(1, &found, NULL))
        exit(99);
    platform = found;
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
}

static void refused(void)
{
    clCreateBuffer(context, 0, 0, NULL, NULL);
    clReleaseContext(context);
}

static void role_refused(void)
{
    start();
    refused();
}

static void last_words(void)
{
    printf("handlers of the program come first\n"); /* and stdio is flushed */
}

static void role_refused_with_handler(void)
{
    start();
    atexit(last_words);
    refused();
}

static void role_refused_status_7(void)
{
    role_refused();
    exit(7);
}

static void role_fork(void)
{
    start();
    refused();
    pid_t child = fork();
    if (!child)
        exit(0);
    int status = 0;
    waitpid(child, &status, 0);
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void role_units(void)
{
    cl_uint units = 0;
    char version[64] = "";
    start();
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL);
    printf("units %u version %.10s\n", units, version);
}

static void launch(const char *source)
{
    const size_t one = 1;
    start();
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL) || clFinish(queue))
        exit(95);
}

static void role_kernel(void)
{
    launch("kernel void k(void) {}");
}

/* For check_endings.sh, which waits for the file. */
static void role_endless_begun(void)
{
    FILE *file = fopen("began", "w");
    if (file) {
        fputs("began\n", file);
        fclose(file);
    }
    launch("kernel void k(void) { volatile int i = 1; while (i) i = i % 5 + 1; }");
}

static void role_endless(void)
{
    launch("kernel void k(void) { volatile int i = 1; while (i) i++; }");
}

/* For check_endings.sh: no last words of the library. */
static void role_found_abort(void)
{
    launch("kernel void k(void) { *(volatile global int *)0 = 1; }");
    abort();
}

static void role_found_exit(void)
{
    launch("kernel void k(void) { *(volatile global int *)0 = 1; }");
    _Exit(0);
}

static void role_found_kill(void)
{
    launch("kernel void k(void) { *(volatile global int *)0 = 1; }");
    raise(SIGKILL);
}

static void role_found_exec(void)
{
    launch("kernel void k(void) { *(volatile global int *)0 = 1; }");
    execlp("true", "true", (char *)NULL);
}

static int file_for_stderr(const char *name)
{
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0)
        exit(94);
    return file;
}

/* For check_endings.sh, as a test framework that keeps what a test prints. */
static void role_found_captured(void)
{
    dup2(file_for_stderr("captured"), STDERR_FILENO);
    fputs("own\n", stderr);
    launch("kernel void k(void) { *(volatile global int *)0 = 1; }");
}

/* For check_endings.sh, as a daemon: what the library has opened is another file later. */
static void role_found_closed(void)
{
    for (int file = STDERR_FILENO + 1; file < 1024; file++)
        close(file);
    const int own = file_for_stderr("own");
    for (int file = own + 1; file < 512; file++)
        dup2(own, file);
    launch("kernel void k(void) { *(volatile global int *)0 = 1; }");
}

static void role_refused_exit(void)
{
    start();
    refused();
    _Exit(5);
}

static void role_clean_abort(void)
{
    launch("kernel void k(void) {}");
    abort();
}

static void role_clean_exit(void)
{
    launch("kernel void k(void) {}");
    _Exit(5);
}

static void role_clean_quick_exit(void)
{
    launch("kernel void k(void) {}");
    quick_exit(5);
}

static void role_clean_exec(void)
{
    launch("kernel void k(void) {}");
    execlp("no such program", "no", (char *)NULL); /* fails, and it continues */
    launch("kernel void k(void) {}");
    execlp("sh", "sh", "-c", "exit $STATUS", (char *)NULL);
}

static void role_clean_execle(void)
{
    const char *environment[] = {"STATUS=5", NULL};
    launch("kernel void k(void) {}");
    execle("/bin/sh", "sh", "-c", "exit $STATUS", (char *)NULL, environment);
}

static void role_clean_status(void)
{
    launch("kernel void k(void) {}");
    exit(5);
}

static void *control(const char *name)
{
    void *function = clGetExtensionFunctionAddressForPlatform(platform, name);
    if (!function)
        exit(98);
    return function;
}

static void role_control(void)
{
    char error[256] = "";
    cl_uint units = 0;
    struct orrery_finding finding;
    start();
    orrery_load_scenario_text_fn *load = control("orrery_load_scenario_text");
    orrery_finding_count_fn *count = control("orrery_finding_count");
    orrery_finding_count_of_fn *count_of = control("orrery_finding_count_of");
    orrery_finding_get_fn *get = control("orrery_finding_get");
    orrery_clear_findings_fn *clear = control("orrery_clear_findings");
    orrery_set_option_fn *set = control("orrery_set_option");
    orrery_set_seed_fn *set_seed = control("orrery_set_seed");
    orrery_kernels_run_fn *kernels = control("orrery_kernels_run");
    printf("busy %d\n", load("orrery: 1\ndevice: {topology: \"cu:3\"}\n", error, sizeof error));
    clReleaseContext(context);
    printf("loaded %d\n",
           load("orrery: 1\ndevice: {topology: \"cu:3\"}\nchecks: {api: error}\n", error, sizeof error));
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    printf("units %u\n", units);
    int bad = load("orrery: 1\nno_such_key: 1\n", error, sizeof error);
    printf("bad %d %d\n", bad, strstr(error, "no_such_key") != NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    clCreateBuffer(context, 0, 0, NULL, NULL);
    printf("findings %zu of-kind %zu other %zu\n", count(), count_of("api-error"), count_of("race-global"));
    printf("get %d %d\n", get(0, &finding), get(1, &finding));
    printf("id %s severity %s why %s\n", finding.id, finding.severity, finding.why);
    printf("option %d %d\n", set("seed", "12", NULL, 0), set("no-such", "1", error, sizeof error));
    set_seed(7);
    clear();
    clReleaseContext(context);
    printf("cleared %zu kernels %d\n", count(), (int)kernels());
}

static const struct {
    const char *name;
    void (*run)(void);
} roles[] = {
    {"nothing", role_nothing},
    {"look", role_look},
    {"filtered", role_filtered},
    {"listed", role_listed},
    {"refused", role_refused},
    {"units", role_units},
    {"refused_with_handler", role_refused_with_handler},
    {"refused_status_7", role_refused_status_7},
    {"kernel", role_kernel},
    {"endless", role_endless},
    {"endless_begun", role_endless_begun},
    {"fork", role_fork},
    {"control", role_control},
    {"found_abort", role_found_abort},
    {"found_exit", role_found_exit},
    {"found_kill", role_found_kill},
    {"found_exec", role_found_exec},
    {"found_captured", role_found_captured},
    {"found_closed", role_found_closed},
    {"refused_exit", role_refused_exit},
    {"clean_abort", role_clean_abort},
    {"clean_exit", role_clean_exit},
    {"clean_status", role_clean_status},
    {"clean_quick_exit", role_clean_quick_exit},
    {"clean_exec", role_clean_exec},
    {"clean_execle", role_clean_execle},
};

/* ---- running a child ---------------------------------------------------------------------------- */

static struct {
    int status;
    char out[4096], err[4096];
} child;

static void read_all(int from, char *text, size_t room)
{
    size_t length = 0;
    ssize_t got;
    while (length + 1 < room && (got = read(from, text + length, room - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = '\0';
    close(from);
}

/* settings: "NAME=value" strings, ended by NULL. Small outputs: a pipe holds them. */
static void run(const char *role, const char *const *settings)
{
    int out[2], err[2], status;
    ck_assert_int_eq(pipe(out) | pipe(err), 0);
    pid_t pid = fork();
    if (!pid) {
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        close(out[0]), close(out[1]), close(err[0]), close(err[1]);
        unsetenv("ORRERY_QUIET");
        for (; *settings; settings++)
            putenv((char *)(uintptr_t)*settings);
        execl("/proc/self/exe", "check_runtime", role, (char *)NULL);
        _exit(97);
    }
    close(out[1]), close(err[1]);
    read_all(out[0], child.out, sizeof child.out);
    read_all(err[0], child.err, sizeof child.err);
    waitpid(pid, &status, 0);
    child.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#define RUN(role, ...) run(role, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static bool printed(const char *text)
{
    return strstr(child.err, text) != NULL;
}

/* ---- tests -------------------------------------------------------------------------------------------- */

START_TEST(process_without_calls_prints_nothing)
{
    RUN("nothing");
    ck_assert_int_eq(child.status, 0);
    ck_assert_str_eq(child.err, "");
}
END_TEST

START_TEST(process_without_kernels_prints_nothing)
{
    RUN("look");
    ck_assert_int_eq(child.status, 0);
    ck_assert_str_eq(child.err, "");
    ck_assert_str_eq(child.out, "platforms 1\n");
}
END_TEST

START_TEST(ORRERY_SUMMARY_always_gets_a_summary)
{
    RUN("look", "ORRERY_SUMMARY=1", "ORRERY_SEED=5");
    ck_assert_int_eq(child.status, 0);
    ck_assert_str_eq(
        child.err,
        "orrery: SUMMARY errors=0 warnings=0 suppressed=0 kernels=0 seed=5 schedule=lockstep checks=all\n");
}
END_TEST

START_TEST(findings_set_the_exit_status)
{
    RUN("refused", "ORRERY_CHECK_API=error");
    ck_assert_int_eq(child.status, 66);
    ck_assert(printed("api-error") && printed("clCreateBuffer") && printed("SUMMARY errors=1"));
    RUN("refused_status_7", "ORRERY_CHECK_API=error");
    ck_assert_int_eq(child.status, 66);
    RUN("refused", "ORRERY_CHECK_API=error", "ORRERY_ERROR_EXITCODE=50");
    ck_assert_int_eq(child.status, 50);
    RUN("refused_status_7", "ORRERY_CHECK_API=error", "ORRERY_KEEP_EXIT_CODE=1");
    ck_assert_int_eq(child.status, 7);
    ck_assert(printed("SUMMARY errors=1"));
}
END_TEST

START_TEST(warnings_count_with_the_option)
{
    RUN("refused", "ORRERY_CHECK_API=warning");
    ck_assert_int_eq(child.status, 0);
    ck_assert(printed("SUMMARY errors=0 warnings=1"));
    RUN("refused", "ORRERY_CHECK_API=warning", "ORRERY_FAIL_ON=warning");
    ck_assert_int_eq(child.status, 66);
    RUN("refused"); /* unchecked: a note, and no finding */
    ck_assert_int_eq(child.status, 0);
    ck_assert_str_eq(child.err,
                     "orrery: note: 1 call was refused, the first clCreateBuffer: CL_INVALID_BUFFER_SIZE, "
                     "size is 0; --check-api says where\n");
    RUN("refused", "ORRERY_QUIET=1");
    ck_assert_str_eq(child.err, "");
}
END_TEST

START_TEST(quiet_has_no_summary)
{
    RUN("refused", "ORRERY_CHECK_API=error", "ORRERY_QUIET=1");
    ck_assert_int_eq(child.status, 66);
    ck_assert(!printed("SUMMARY"));
}
END_TEST

START_TEST(programs_own_handlers_and_output_are_first)
{
    RUN("refused_with_handler", "ORRERY_CHECK_API=error");
    ck_assert_int_eq(child.status, 66);
    ck_assert_str_eq(child.out, "handlers of the program come first\n");
}
END_TEST

START_TEST(expect_kernels_fails_when_none_ran)
{
    RUN("look", "ORRERY_EXPECT_KERNELS=1");
    ck_assert_int_eq(child.status, 3);
    RUN("refused", "ORRERY_EXPECT_KERNELS=1", "ORRERY_CHECK_API=error");
    ck_assert_int_eq(child.status, 66);
}
END_TEST

START_TEST(a_kernel_gets_a_summary_and_satisfies_expect_kernels)
{
    RUN("kernel", "ORRERY_EXPECT_KERNELS=1");
    ck_assert_int_eq(child.status, 0);
    ck_assert_str_eq(
        child.err,
        "orrery: SUMMARY errors=0 warnings=0 suppressed=0 kernels=1 seed=0 schedule=lockstep checks=all\n");
}
END_TEST

START_TEST(no_progress_ends_the_process_with_124)
{
    RUN("endless", "ORRERY_MAX_STEPS=1000");
    ck_assert_int_eq(child.status, 124);
    ck_assert(printed("no-progress") && printed("SUMMARY errors=1"));
}
END_TEST

START_TEST(a_forked_child_that_does_not_call_keeps_its_status)
{
    RUN("fork", "ORRERY_CHECK_API=error");
    ck_assert_int_eq(child.status, 66);
    ck_assert_str_eq(child.out, "child 0\n");
    const char *first = strstr(child.err, "SUMMARY");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(first + 1, "SUMMARY"));
}
END_TEST

START_TEST(the_environment_names_a_scenario_and_options_over_it)
{
    char path[] = "/tmp/orrery-check-XXXXXX", setting[64];
    static const char text[] = "orrery: 1\ndevice: {topology: \"cu:5\", version: \"2.1\"}\n";
    int file = mkstemp(path);
    ck_assert_int_eq(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    snprintf(setting, sizeof setting, "ORRERY_SCENARIO=%s", path);
    RUN("units", setting);
    ck_assert_str_eq(child.out, "units 5 version OpenCL 2.1\n");
    RUN("units", setting, "ORRERY_COMPUTE_UNITS=4");
    ck_assert_str_eq(child.out, "units 4 version OpenCL 2.1\n");
    unlink(path);
}
END_TEST

START_TEST(a_bad_setting_means_no_platform)
{
    RUN("look", "ORRERY_SCHEDULE=no-such-policy");
    ck_assert_int_eq(child.status, 0);
    ck_assert_str_eq(child.out, "platforms 0\n");
    ck_assert(printed("orrery: error: ") && printed("ORRERY_SCHEDULE") && printed("no-such-policy"));
    RUN("look", "ORRERY_SCENARIO=/no/such/file.yaml");
    ck_assert_str_eq(child.out, "platforms 0\n");
    ck_assert(printed("/no/such/file.yaml"));
}
END_TEST

START_TEST(log_and_json_go_to_files)
{
    char directory[] = "/tmp/orrery-check-XXXXXX", log[80], json[80], command[200], text[4096];
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(log, sizeof log, "ORRERY_LOG=%s/%%p.log", directory);
    snprintf(json, sizeof json, "ORRERY_JSON=%s/%%p.json", directory);
    RUN("refused", "ORRERY_CHECK_API=error", log, json);
    ck_assert_int_eq(child.status, 66);
    ck_assert_str_eq(child.err, "");
    snprintf(command, sizeof command, "cat %s/[0-9]*.log %s/[0-9]*.json && rm -r %s", directory, directory,
             directory);
    FILE *files = popen(command, "r");
    text[fread(text, 1, sizeof text - 1, files)] = '\0';
    ck_assert_int_eq(pclose(files), 0);
    ck_assert(strstr(text, "SUMMARY errors=1") && strstr(text, "clCreateBuffer") &&
              strstr(text, "\"api-error\""));
}
END_TEST

START_TEST(the_control_functions_work_through_the_loader)
{
    RUN("control", "ORRERY_QUIET=1");
    ck_assert_int_eq(child.status, 0);
    ck_assert_str_eq(child.out,
                     "busy -2\nloaded 0\nunits 3\nbad -1 1\nfindings 1 of-kind 1 other 0\nget 0 -4\n"
                     "id api-error severity error why size is 0\n"
                     "option 0 -1\ncleared 0 kernels 0\n");
}
END_TEST

static int play(const char *name)
{
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (!strcmp(roles[i].name, name)) {
            roles[i].run();
            return 0;
        }
    return 96;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return play(argv[1]);
    Suite *suite = suite_create("runtime");
    TCase *tests = tcase_create("processes");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, process_without_calls_prints_nothing);
    tcase_add_test(tests, process_without_kernels_prints_nothing);
    tcase_add_test(tests, ORRERY_SUMMARY_always_gets_a_summary);
    tcase_add_test(tests, findings_set_the_exit_status);
    tcase_add_test(tests, warnings_count_with_the_option);
    tcase_add_test(tests, quiet_has_no_summary);
    tcase_add_test(tests, programs_own_handlers_and_output_are_first);
    tcase_add_test(tests, expect_kernels_fails_when_none_ran);
    tcase_add_test(tests, a_kernel_gets_a_summary_and_satisfies_expect_kernels);
    tcase_add_test(tests, no_progress_ends_the_process_with_124);
    tcase_add_test(tests, a_forked_child_that_does_not_call_keeps_its_status);
    tcase_add_test(tests, the_environment_names_a_scenario_and_options_over_it);
    tcase_add_test(tests, a_bad_setting_means_no_platform);
    tcase_add_test(tests, log_and_json_go_to_files);
    tcase_add_test(tests, the_control_functions_work_through_the_loader);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
