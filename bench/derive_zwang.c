// Any model by zwang: from its text to the mass matrix, the right-hand side and Appell's
// equations, in the form that runs: nothing is made short for the eye.
//
//     derive_zwang FILE [REPEATS]    prints the least processor seconds of a derivation, over so
//     many
//                                    of them or those begun within ten seconds, and the peak
//                                    memory in MiB
//
// What is timed begins with the text, so that reading it counts: the peers get theirs for free.
#include "forms/forms.h"
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static void derive_appell(Motion *motion)
{
    form_free(form_derive(FORM_APPELL, motion));
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
    double best = measure_derivation(source, derive_appell), total = best;
    for (int i = 1; i < repeats && total < 10; i++) {
        double seconds = measure_derivation(source, derive_appell);
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
