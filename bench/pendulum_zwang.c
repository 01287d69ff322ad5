// The planar pendulum of N links by zwang: absolute angles, point masses, from the text of a
// model to the mass matrix and the right-hand side.
//
//     pendulum_zwang N [REPEATS]
//     pendulum_zwang N --model
//
// Prints the least processor seconds of a derivation, over so many of them or those begun within
// ten seconds, and the peak memory in MiB; or the model.
//
// What is timed begins with the text, so that reading it counts: the peers get theirs for free.
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_model(Text *text, int n)
{
    text_addf(text, "system pendulum%d \"A planar pendulum of %d links\"\nparam g = 9.81\n", n, n);
    for (int i = 1; i <= n; i++)
        text_addf(text, "param m%d = 1, l%d = 1\n", i, i);
    for (int i = 1; i <= n; i++)
        text_addf(text, "coord q%d\n", i);
    for (int i = 1; i <= n; i++) {
        text_addf(text, "point P%d = ", i);
        if (i > 1)
            text_addf(text, "P%d + ", i - 1);
        text_addf(text, "[l%d*sin(q%d), 0, -l%d*cos(q%d)]\nmass m%d at P%d\n", i, i, i, i, i, i);
    }
    text_add(text, "gravity [0, 0, -g]\n");
}

int main(int count, char **words)
{
    int n = count > 1 ? atoi(words[1]) : 5, repeats = count > 2 ? atoi(words[2]) : 1;
    Text text = {0};
    write_model(&text, n);
    if (count > 2 && strcmp(words[2], "--model") == 0) {
        fputs(text.at, stdout);
        return 0;
    }
    measure_derivations("pendulum.zw", text.at, repeats, NULL);
    text_clear(&text);
    return 0;
}
