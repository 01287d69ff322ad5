// limits.c: how long the work may take, and how much memory.
#define _DEFAULT_SOURCE // setitimer, RLIMIT_DATA
#include "cli/cli.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

// What is said when the time is over; made before, since a signal may not. Two, so that one is
// whole while the other is written.
static char said[2][300];
static volatile sig_atomic_t current, reached;
static double limit_seconds;
static int followed = -1; // percent of a run

static void end_in_time(int number)
{
    (void)number;
    reached = 1;
    if (cli_end_run())
        return;
    ssize_t written = write(STDERR_FILENO, said[current], strlen(said[current]));
    (void)written;
    _exit(ZW_FAILED);
}

const char *cli_limit_reached(void)
{
    return reached ? said[current] : NULL;
}

void cli_limit_stage(void *context, const char *what)
{
    (void)context;
    if (limit_seconds <= 0 || reached)
        return;
    int next = 1 - (int)current;
    snprintf(said[next], sizeof said[next],
             "zwang: error: the limit of %g s was reached%s%s; --limit-time gives more\n",
             limit_seconds, what ? " while " : "", what ? what : "");
    current = next;
}

void cli_limit_run(double part)
{
    char what[60];
    int percent = (int)(100 * (part < 0 ? 0 : part > 1 ? 1 : part));
    if (percent == followed)
        return;
    followed = percent;
    snprintf(what, sizeof what, "following the motion, at %d %% of its time", percent);
    cli_limit_stage(NULL, what);
}

static char memory_said[200];

const char *cli_memory_limit(void)
{
    return memory_said;
}

static bool limit_time(const char *text)
{
    char *end;
    double seconds = strtod(text, &end);
    if (!*text || *end || !(seconds > 0 && seconds <= 1e8))
        return cli_wrong("--limit-time %s: it is a number of seconds, above 0", text), false;
    limit_seconds = seconds;
    cli_limit_stage(NULL, NULL);
    struct sigaction action = {.sa_handler = end_in_time, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};
    timer.it_value.tv_usec = (suseconds_t)(1e6 * (seconds - floor(seconds)));
    if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0)
        timer.it_value.tv_usec = 1;
    return setitimer(ITIMER_REAL, &timer, NULL) == 0;
}

// A sanitizer maps far more than the program uses.
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { HAS_DEFAULT = 0 };
#else
enum { HAS_DEFAULT = 1 };
#endif

static void set_memory(double bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) != 0 || bytes >= (double)limit.rlim_cur)
        return;
    limit.rlim_cur = (rlim_t)bytes;
    setrlimit(RLIMIT_DATA, &limit);
}

static bool limit_memory(const char *text)
{
    if (!text) {
        double pages = (double)sysconf(_SC_PHYS_PAGES), size = (double)sysconf(_SC_PAGESIZE);
        if (HAS_DEFAULT && pages > 0 && size > 0)
            set_memory(pages * size / 4 * 3);
        return true;
    }
    static const char units[] = "KMG";
    char *end;
    double bytes = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;
    for (const char *at = units; unit && at <= unit; at++)
        bytes *= 1024;
    end += unit != NULL;
    if (!*text || *end || !(bytes >= 1 && bytes < 1e18))
        return cli_wrong("--limit-memory %s: it is a number of bytes, or with K, M or G: 500M",
                         text),
               false;
    snprintf(memory_said, sizeof memory_said,
             "zwang: error: the limit of %.20s was reached; --limit-memory gives more\n", text);
    set_memory(bytes);
    return true;
}

// glibc wants 128 MiB of addresses for every thread, and where these cannot be had it tries again
// at each of its allocations.
static void share_heap(void)
{
#ifdef __GLIBC__
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < (rlim_t)4 << 30)
        mallopt(M_ARENA_MAX, 1);
#endif
}

bool cli_limits(const CliWords *words)
{
    share_heap();
    const char *time = words->values[OPTION_LIMIT_TIME];
    return limit_memory(words->values[OPTION_LIMIT_MEMORY]) && (!time || limit_time(time));
}
