// progress.c: how far a long run is, on a terminal: a bar with the time left. Quiet elsewhere,
// and quiet where the work is short.
#include "cli/cli.h"

#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define SILENT_FOR 1.0 // seconds
#define BETWEEN    0.2 // two looks of the bar
enum { NARROWEST_BAR = 6, WIDEST_BAR = 50 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

CliProgress cli_progress_begin(bool wanted)
{
    return (CliProgress){.wanted = wanted && isatty(STDERR_FILENO), .began = now()};
}

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

// 0:07, 12:40, 3:05:00, or more than can be counted on.
static void write_time(double seconds, char *out, size_t size)
{
    if (!(seconds < 100 * 3600.0)) {
        snprintf(out, size, "days");
        return;
    }
    int whole = (int)(seconds + 0.5), hours = whole / 3600;
    if (hours)
        snprintf(out, size, "%d:%02d:%02d", hours, whole / 60 % 60, whole % 60);
    else
        snprintf(out, size, "%d:%02d", whole / 60, whole % 60);
}

static void draw(double part, double spent)
{
    static const char marks[] = "##################################################";
    char left[32], words[64];
    write_time(part > 0 ? spent * (1 - part) / part : 1e9, left, sizeof left);
    int length = snprintf(words, sizeof words, " %3d %%, %s left", (int)(100 * part), left);
    // The last column stays free: some terminals go to the next line when it is used.
    int room = terminal_width() - 1 - length - 2;
    int bar = room > WIDEST_BAR ? WIDEST_BAR : room;
    // One write, which overwrites what was there and then clears the rest: nothing flickers.
    if (bar >= NARROWEST_BAR)
        fprintf(stderr, "\r[%-*.*s]%s\033[K", bar, (int)(part * bar), marks, words);
    else
        fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, words + 1);
    fflush(stderr);
}

void cli_progress_show(CliProgress *progress, double part)
{
    if (!progress->wanted)
        return;
    double spent = now() - progress->began;
    if (spent < SILENT_FOR || spent - progress->drawn < BETWEEN)
        return;
    progress->drawn = spent;
    draw(part < 0 ? 0 : part > 1 ? 1 : part, spent);
}

void cli_progress_end(CliProgress *progress)
{
    if (progress->drawn > 0)
        fputs("\r\033[K", stderr);
    progress->drawn = 0;
}
