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

static void derive_appell(Motion *motion)
{
    form_free(form_derive(FORM_APPELL, motion));
}

int main(int count, char **words)
{
    if (count < 2) {
        fprintf(stderr, "derive_zwang FILE [REPEATS]\n");
        return 2;
    }
    int repeats = count > 2 ? atoi(words[2]) : 1;
    char *text = measure_read(words[1]);
    measure_derivations(words[1], text, repeats, derive_appell);
    base_free(text);
    return 0;
}
