// What an interrupted run leaves behind, and its compiler.
#include "cli/output_files.h"
#include "show/xml.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>

static void nap(void)
{
    nanosleep(&(struct timespec){0, 10 * 1000 * 1000}, NULL);
}

// Starts a run that would not end, in the folder.
static pid_t start_long_run(const char *out, const char *plot)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    int quiet = open("/dev/null", O_RDWR);
    if (chdir(folder) != 0 || quiet < 0 || dup2(quiet, 1) < 0 || dup2(quiet, 2) < 0)
        _exit(99);
    execl(ZWANG_PROGRAM, "zwang", "run", ZWANG_SOURCE_DIR "/models/polar.zw", "--to", "1e9",
          "--every", "0.01", "--out", out, "--plot", plot, (char *)NULL);
    _exit(99);
}

// Until so many bytes of what is being written are there.
static void wait_for_bytes(const char *name, long bytes)
{
    char command[512];
    snprintf(command, sizeof command, "test \"$(cat %s/%s.part.* 2>/dev/null | wc -c)\" -ge %ld",
             folder, name, bytes);
    for (int i = 0; i < 3000 && system(command) != 0; i++)
        nap();
}

static int end_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_interrupted_csv(void **state)
{
    (void)state;
    pid_t child = start_long_run("i.csv", "i.svg");
    wait_for_bytes("i.csv", 20000);
    assert_false(exists("i.csv"));
    kill(child, SIGINT);
    int status = end_of(child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    // Whole rows, all of them.
    char command[512];
    snprintf(command, sizeof command,
             "cd %s && tail -c 1 i.csv | od -An -c | grep -q '\\\\n' && "
             "awk -F, 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR < 100 }' i.csv",
             folder);
    assert_int_equal(system(command), 0);
    slurp("i.svg", outcome.out);
    assert_true(xml_is_well_formed(outcome.out));
    assert_no_parts();
}

static void test_terminated_hdf5(void **state)
{
    (void)state;
    pid_t child = start_long_run("i.h5", "i.svg");
    // More than the file has at its beginning, where a megabyte is kept free.
    wait_for_bytes("i.h5", 1500000);
    kill(child, SIGTERM);
    int status = end_of(child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    hid_t file = open_hdf5("i.h5");
    assert_true(rows_of(file, "t") > 100);
    assert_int_equal(rows_of(file, "t"), rows_of(file, "theta'"));
    assert_int_equal(is_complete(file), 0);
    H5Fclose(file);
    assert_no_parts();
}

// A run that cannot be asked any more, since it waits for the reader of a pipe, ends at the second
// signal; nothing half-written has a name that was asked for.
static void test_interrupted_twice(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(in_folder("slow"), 0600), 0);
    int reader = open(in_folder("slow"), O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    pid_t child = start_long_run("slow", "twice.svg");
    // The pipe is full when nothing is read from it for a while.
    for (int i = 0; i < 100; i++)
        nap();
    kill(child, SIGINT);
    for (int i = 0; i < 20; i++)
        nap();
    kill(child, SIGINT);
    int status = end_of(child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    assert_false(exists("twice.svg"));
    close(reader);
    char command[256];
    snprintf(command, sizeof command, "rm %s/twice.svg.part.*", folder);
    assert_int_equal(system(command), 0);
}

// Starts `zwang run MODEL`, silent, in the folder.
static pid_t start_run(const char *model, const char *option, const char *value, const char *flag)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    int quiet = open("/dev/null", O_RDWR);
    if (chdir(folder) != 0 || quiet < 0 || dup2(quiet, 1) < 0 || dup2(quiet, 2) < 0)
        _exit(99);
    execl(ZWANG_PROGRAM, "zwang", "run", model, "--to", "1e9", "--out", "s.csv", option, value,
          flag, (char *)NULL);
    _exit(99);
}

// The process whose number is in a file of the folder, once it is there.
static pid_t process_in(const char *name)
{
    long process = 0;
    for (int i = 0; i < 3000 && process == 0; i++) {
        FILE *file = fopen(in_folder(name), "r");
        if (file && fscanf(file, "%ld\n", &process) != 1)
            process = 0;
        if (file)
            fclose(file);
        nap();
    }
    assert_true(process > 1);
    return (pid_t)process;
}

// Whether a process ends soon; one that nobody has waited for yet has ended, too.
static bool ends(pid_t process)
{
    char command[128];
    snprintf(command, sizeof command, "ps -o stat= -p %ld 2>/dev/null | grep -qv Z", (long)process);
    for (int i = 0; i < 500; i++) {
        if (kill(process, 0) != 0 || system(command) != 0)
            return true;
        nap();
    }
    return false;
}

// Whoever ends a run that waits for the compiler ends the compiler, and what that has started.
static void test_interrupted_compiler(void **state)
{
    (void)state;
    char script[400], compiler[300], cache[300];
    snprintf(script, sizeof script,
             "#!/bin/sh\nsleep 300 &\necho $! >%s/child\necho $$ >%s/compiler\nwait\n", folder,
             folder);
    put_file("slow_cc", script, strlen(script));
    snprintf(compiler, sizeof compiler, "%s", in_folder("slow_cc"));
    snprintf(cache, sizeof cache, "%s", in_folder("cache"));
    assert_int_equal(chmod(compiler, 0700), 0);
    setenv("CC", compiler, 1);
    setenv("XDG_CACHE_HOME", cache, 1);
    pid_t run = start_run(ZWANG_SOURCE_DIR "/models/blade.zw", "--engine", "native", NULL);
    pid_t processes[] = {process_in("compiler"), process_in("child")};
    kill(run, SIGTERM);
    int status = end_of(run);
    unsetenv("CC");
    unsetenv("XDG_CACHE_HOME");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_true(ends(processes[0]) && ends(processes[1]));
    assert_true(exists("s.csv"));
    assert_no_parts();
}

// A compiler that works beside the run inherits nothing of what the run writes: what it held open
// would stay locked until it has ended. Two of them may list at once: each list is there as a
// whole.
static void test_compiler_inherits_nothing(void **state)
{
    (void)state;
    const char *names[] = {"open.h5", "open.csv"};
    for (size_t i = 0; i < 2; i++) {
        char script[400], command[300];
        snprintf(script, sizeof script,
                 "#!/bin/sh\ncd %s\nls -l /proc/$$/fd >list.$$\nmv list.$$ held\n"
                 "echo $$ >listed%zu\nexit 1\n",
                 folder, i);
        put_file("list_cc", script, strlen(script));
        assert_int_equal(chmod(in_folder("list_cc"), 0700), 0);
        setenv("CC", in_folder("list_cc"), 1);
        setenv("XDG_CACHE_HOME", in_folder("none"), 1);
        pid_t run = start_long_run(names[i], "open.svg");
        snprintf(command, sizeof command, "listed%zu", i);
        process_in(command);
        kill(run, SIGTERM);
        end_of(run);
        unsetenv("CC");
        unsetenv("XDG_CACHE_HOME");
        snprintf(command, sizeof command, "grep -q null %s/held && ! grep -q open %s/held", folder,
                 folder);
        assert_int_equal(system(command), 0);
    }
}

// How many files a cache holds.
static int files_in(const char *cache)
{
    char command[300];
    int count = -1;
    snprintf(command, sizeof command, "find %s/%s -type f 2>/dev/null | wc -l", folder, cache);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    assert_int_equal(fscanf(list, "%d", &count), 1);
    pclose(list);
    return count;
}

// A run with other parameters compiles nothing, and writes what one writes that has compiled for
// itself. With a parameter that is 0 other code is needed.
static void test_other_parameters(void **state)
{
    (void)state;
    const char *hoop = "run '" ZWANG_SOURCE_DIR "/models/hoop.zw' --engine native --to 1";
    const struct {
        const char *cache, *set, *out;
    } runs[] = {{"warm", "m=2.5", "first.csv"},
                {"warm", "m=3.75,r=0.41,g=9.7", "second.csv"},
                {"cold", "m=3.75,r=0.41,g=9.7", "fresh.csv"}};
    int kept[3];
    for (size_t i = 0; i < 3; i++) {
        char words[400];
        setenv("XDG_CACHE_HOME", in_folder(runs[i].cache), 1);
        snprintf(words, sizeof words, "%s --set %s --out %s", hoop, runs[i].set, runs[i].out);
        zwang(words);
        assert_int_equal(outcome.code, 0);
        kept[i] = files_in(runs[i].cache);
    }
    assert_true(kept[0] > 0 && kept[1] == kept[0] && kept[2] == kept[0]);
    char command[200];
    snprintf(command, sizeof command,
             "cd %s && cmp -s second.csv fresh.csv && ! cmp -s first.csv "
             "second.csv",
             folder);
    assert_int_equal(system(command), 0);
    setenv("XDG_CACHE_HOME", in_folder("warm"), 1);
    snprintf(command, sizeof command, "%s --set g=0 --out third.csv", hoop);
    zwang(command);
    assert_int_equal(outcome.code, 0);
    assert_true(files_in("warm") > kept[0]);
    unsetenv("XDG_CACHE_HOME");
}

// While equations are made nothing was reached, and nothing is left.
static void test_interrupted_before(void **state)
{
    (void)state;
    pid_t run = start_run(ZWANG_SOURCE_DIR "/models/field.zw", "--set", "N=8", NULL);
    for (int i = 0; i < 20; i++)
        nap();
    kill(run, SIGINT);
    int status = end_of(run);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_no_parts();
}

// A page is written at once, with what was reached, or not at all, whatever is being proved.
static void test_interrupted_page(void **state)
{
    (void)state;
    if (!is_found("timeout"))
        return;
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && timeout --preserve-status 0.5 '%s' view '%s/models/bicycle.zw' --forms all "
             "--proofs --out p.html >.out 2>.err",
             folder, ZWANG_PROGRAM, ZWANG_SOURCE_DIR);
    int status = system(command);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_no_parts();
}

// A run answers soon at any moment: while its model is read, its equations, programs, start and
// constants are sought, while it is compiled, and along it. What is drawn is the moment.
static void test_interrupted_anywhere(void **state)
{
    (void)state;
    static const struct {
        const char *model, *option, *value, *flag;
    } runs[] = {{"pendulum", "--set", "N=12", "--audit"},
                {"pendulum", "--set", "N=20", "--integrals"},
                {"field", "--set", "N=7", NULL},
                {"pendulum_space", "--form", "hamel", NULL},
                {"squeezer", "--engine", "native", "--audit"},
                {"rope", "--method", "bdf", NULL}};
    unsigned drawn = 7;
    for (size_t i = 0; i < 2 * sizeof runs / sizeof *runs; i++) {
        char model[512];
        size_t at = i % (sizeof runs / sizeof *runs);
        snprintf(model, sizeof model, "%s/models/%s.zw", ZWANG_SOURCE_DIR, runs[at].model);
        pid_t run = start_run(model, runs[at].option, runs[at].value, runs[at].flag);
        // Its program has to be there.
        drawn = 1664525 * drawn + 1013904223;
        size_t wait = 5 + (drawn >> 16) % 60;
        for (size_t k = 0; k < wait; k++)
            nap();
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        kill(run, SIGTERM);
        end_of(run);
        clock_gettime(CLOCK_MONOTONIC, &to);
        double took = difftime(to.tv_sec, from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
        // On an idle machine 0.2 s; other tests run beside this one.
        if (!(took < 1))
            fail_msg("%s after %zu ms: %.3f s", runs[at].model, 10 * wait, took);
        assert_no_parts();
    }
}

int main(void)
{
    signal(SIGINT, SIG_DFL); // a shell in the background ignores it, and what it starts
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interrupted_csv),
        cmocka_unit_test(test_terminated_hdf5),
        cmocka_unit_test(test_interrupted_twice),
        cmocka_unit_test(test_interrupted_compiler),
        cmocka_unit_test(test_compiler_inherits_nothing),
        cmocka_unit_test(test_other_parameters),
        cmocka_unit_test(test_interrupted_before),
        cmocka_unit_test(test_interrupted_page),
        cmocka_unit_test(test_interrupted_anywhere),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
