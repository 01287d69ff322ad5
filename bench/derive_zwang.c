// Any model by zwang: from its text to the mass matrix, the right-hand side and Appell's
// equations, in the form that runs: nothing is made short for the eye.
//
//     derive_zwang FILE [REPEATS]    prints the least processor seconds of a derivation, over so many
//                                    of them or those begun within ten seconds, and the peak
//                                    memory in MiB
//
// What is timed begins with the text, so that reading it counts: the peers get theirs for free.
#include "forms/forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Seconds of one derivation; ends the program where the model is refused.
static double derive(const Source *source)
{
    double start = now();
    Diag *diag = diag_new();
    Model *model = NULL;
    Motion *motion = NULL;
    if (model_read(source, NULL, 0, diag, &model) != STATUS_OK ||
        motion_new(model, diag, &motion) != STATUS_OK) {
        Text said = {0};
        diag_render(diag, DIAG_WARNING, &said);
        fprintf(stderr, "%s", said.at ? said.at : "the model was refused\n");
        exit(1);
    }
    Expr *mass = base_alloc(motion->n * motion->n * sizeof *mass);
    Expr *bias = base_alloc(motion->n * sizeof *bias);
    motion_mass_matrix(motion, mass);
    motion_bias(motion, bias);
    Form *appell = form_derive(FORM_APPELL, motion);
    double seconds = now() - start;
    form_free(appell);
    base_free(mass);
    base_free(bias);
    motion_free(motion);
    model_free(model);
    diag_free(diag);
    return seconds;
}

static void read_file(const char *path, Text *text)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "derive_zwang: %s cannot be opened\n", path);
        exit(1);
    }
    for (int c = getc(file); c != EOF; c = getc(file))
        text_add_char(text, (char)c);
    fclose(file);
}

int main(int count, char **words)
{
    if (count < 2) {
        fprintf(stderr, "derive_zwang FILE [REPEATS]\n");
        return 2;
    }
    int repeats = count > 2 ? atoi(words[2]) : 1;
    Text text = {0};
    read_file(words[1], &text);
    Source *source = source_new(words[1], text.at, text.length);
    double best = derive(source), total = best;
    for (int i = 1; i < repeats && total < 10; i++) {
        double seconds = derive(source);
        best = seconds < best ? seconds : best;
        total += seconds;
    }
    source_free(source);
    text_clear(&text);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.6g %.6g\n", best, (double)usage.ru_maxrss / 1024);
    return 0;
}
