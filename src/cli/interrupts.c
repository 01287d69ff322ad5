// interrupts.c: signals, and progress of what they end.
#include "cli/commands_impl.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted, under_way;
static const int heard[] = {SIGINT, SIGTERM, SIGHUP};

// Before the run is under way nothing was reached, and there is no file yet. Then the first signal
// asks it to end with what was reached; a second one ends it at once.
static void note_interrupt(int signal_number)
{
    static const char said[] = "zwang: interrupted\n";
    (void)signal_number;
    if (!under_way) {
        ssize_t written = write(STDERR_FILENO, said, sizeof said - 1);
        _exit(written < 0 ? ZW_FAILED : ZW_NEGATIVE);
    }
    interrupted = 1;
    for (size_t i = 0; i < sizeof heard / sizeof *heard; i++)
        signal(heard[i], SIG_DFL);
}

bool cli_is_interrupted(void)
{
    return interrupted;
}

bool cli_end_run(void)
{
    interrupted = under_way;
    return under_way;
}

void cli_listen_to_signals(void)
{
    struct sigaction note = {.sa_handler = note_interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&note.sa_mask);
    for (size_t i = 0; i < sizeof heard / sizeof *heard; i++) {
        struct sigaction before;
        // What is to outlive its terminal has been told so.
        if (sigaction(heard[i], NULL, &before) != 0 || before.sa_handler != SIG_IGN)
            sigaction(heard[i], &note, NULL);
    }
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of writing, which is told
}

bool cli_show_progress(void *context, double part)
{
    under_way = 1;
    cli_progress_show(context, part);
    cli_limit_run(part);
    return !interrupted;
}

// What comes after the run is written at its very end: until then a signal ends the program at
// once.
bool cli_show_viewing(void *context, double part)
{
    bool goes_on = cli_show_progress(context, part);
    under_way = part < 1;
    return goes_on;
}
