// random_curved.h: models with random conditions, and speeds, that are not linear in the
// velocities, in n ≤ 5 coordinates. The start is given approximately, for them to be met near it.
#ifndef ZWANG_TESTS_RANDOM_CURVED_H
#define ZWANG_TESTS_RANDOM_CURVED_H

#include "base/base.h"

// A polynomial in the velocities with coefficients in the coordinates and t.
static inline void write_term(Random *random, size_t n, Text *text)
{
    text_addf(text, " %c %d", random_below(random, 2) ? '+' : '-',
              1 + (int)random_below(random, 4));
    size_t factors = 1 + random_below(random, 2);
    for (size_t i = 0; i < factors; i++)
        text_addf(text, "*q%zu'%s", 1 + (size_t)random_below(random, n),
                  random_below(random, 3) == 0 ? "^2" : "");
    size_t q = 1 + (size_t)random_below(random, n);
    switch (random_below(random, 5)) {
    case 0: text_addf(text, "*q%zu", q); break;
    case 1: text_addf(text, "*sin(q%zu)", q); break;
    case 2: text_add(text, "*t"); break;
    default: break;
    }
}

static inline void write_condition(Random *random, size_t n, const char *head, size_t number,
                                   Text *text)
{
    text_addf(text, "%s%zu", head, number);
    text_add(text, head[0] == 's' ? " =" : ":");
    // What makes it depend on a velocity of its own, so that the system is regular.
    text_addf(text, " %d*q%zu'^%d", 2 + (int)random_below(random, 3), number,
              2 + (int)random_below(random, 2));
    size_t terms = 1 + random_below(random, 3);
    for (size_t i = 0; i < terms; i++)
        write_term(random, n, text);
    text_add(text, head[0] == 's' ? "\n" : " = 1\n");
}

static inline Text write_curved(uint64_t seed)
{
    Random random = random_seed(seed);
    size_t n = 2 + (size_t)random_below(&random, 4), m = 1 + (size_t)random_below(&random, 2);
    if (m >= n)
        m = n - 1;
    Text text = {0};
    for (size_t i = 1; i <= n; i++)
        text_addf(&text, "%sq%zu", i > 1 ? ", " : "coord ", i);
    text_add(&text, "\nkinetic ");
    for (size_t i = 1; i <= n; i++)
        text_addf(&text, " + %d*q%zu'^2%s", 1 + (int)random_below(&random, 3), i,
                  i == 1 ? "*(2 + cos(q2))/3" : "");
    text_addf(&text, " + q1'*q2'/3\npotential q1*q%zu\nforce t*q2' along q1\n", n);
    for (size_t i = 1; i <= m; i++)
        write_condition(&random, n, "constraint c", i, &text);
    text_add(&text, "initial approx ");
    for (size_t i = 1; i <= n; i++)
        text_addf(&text, "%sq%zu' = %.6f", i > 1 ? ", " : "", i,
                  0.5 + (double)random_below(&random, 1000) / 1000);
    text_add(&text, "\ninitial ");
    for (size_t i = 1; i <= n; i++)
        text_addf(&text, "%sq%zu = %.6f", i > 1 ? ", " : "", i,
                  (double)random_below(&random, 1000) / 1000);
    text_add(&text, "\n");
    // Sometimes speeds of the same kind.
    if (n <= 4 && random_below(&random, 3) == 0)
        write_condition(&random, n, "speed w", m + 1, &text);
    return text;
}

#endif
