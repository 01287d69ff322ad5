// random_system.h: random mechanical systems, each written as a model text from a seed: positive T
// in up to six coordinates, up to three linear conditions with polynomial and trigonometric
// coefficients, some of them holding the time, potentials, forces, and speeds of its own.
#ifndef ZWANG_TESTS_RANDOM_SYSTEM_H
#define ZWANG_TESTS_RANDOM_SYSTEM_H

#include "support.h"

typedef struct {
    Text text;
    Random random;
    int n, m;
    bool rheonomic;
} Writer;

static inline int draw(Writer *writer, int below)
{
    return (int)random_below(&writer->random, (uint64_t)below);
}

// A small non-zero number.
static inline int small(Writer *writer)
{
    int value = 1 + draw(writer, 3);
    return draw(writer, 2) ? value : -value;
}

// A coefficient in the coordinates, and in t where the system is rheonomic.
static inline void write_coefficient(Writer *writer)
{
    int q = 1 + draw(writer, writer->n), other = 1 + draw(writer, writer->n);
    switch (draw(writer, writer->rheonomic ? 6 : 5)) {
    case 0: text_addf(&writer->text, "%d", small(writer)); break;
    case 1: text_addf(&writer->text, "q%d", q); break;
    case 2: text_addf(&writer->text, "sin(q%d)", q); break;
    case 3: text_addf(&writer->text, "cos(q%d)", q); break;
    case 4: text_addf(&writer->text, "q%d*q%d", q, other); break;
    default: text_addf(&writer->text, "t*q%d", q); break;
    }
}

// Σ coefficient·q' over a few velocities.
static inline void write_linear_form(Writer *writer, int terms)
{
    for (int i = 0; i < terms; i++) {
        text_add(&writer->text, i ? " + (" : "(");
        write_coefficient(writer);
        text_addf(&writer->text, ")*q%d'", 1 + draw(writer, writer->n));
    }
}

static inline void write_energy(Writer *writer)
{
    text_add(&writer->text, "kinetic (");
    for (int i = 1; i <= writer->n; i++)
        text_addf(&writer->text, "%s%d*q%d'^2", i > 1 ? " + " : "", 1 + draw(writer, 3), i);
    text_add(&writer->text, ")/2 + (");
    write_linear_form(writer, 2);
    text_add(&writer->text, ")^2/2\n");
    text_addf(&writer->text, "point P = [q1 + sin(q%d), q%d, 0]\nmass m at P\n",
              1 + draw(writer, writer->n), 1 + draw(writer, writer->n));
    text_addf(&writer->text, "potential k*q%d^2*q%d\n", 1 + draw(writer, writer->n),
              1 + draw(writer, writer->n));
    text_addf(&writer->text, "force q%d' - t along q%d\n", 1 + draw(writer, writer->n),
              1 + draw(writer, writer->n));
}

// Each condition is solved for another velocity, so that all are independent; what it is solved
// for is hidden among the others.
static inline void write_conditions(Writer *writer)
{
    for (int i = 1; i <= writer->m; i++) {
        text_addf(&writer->text, "constraint c%d: q%d' = ", i, i);
        int terms = 1 + draw(writer, 2);
        for (int j = 0; j < terms; j++) {
            text_add(&writer->text, j ? " + (" : "(");
            write_coefficient(writer);
            int free_velocity = writer->m + 1 + draw(writer, writer->n - writer->m);
            text_addf(&writer->text, ")*q%d'", free_velocity);
        }
        if (writer->rheonomic)
            text_addf(&writer->text, " + t*q%d", 1 + draw(writer, writer->n));
        text_add(&writer->text, "\n");
    }
}

static inline void write_speeds(Writer *writer)
{
    int last = writer->n;
    if (draw(writer, 2) == 0)
        return;
    text_addf(&writer->text, "speed w = q%d' + ", last);
    write_linear_form(writer, 1);
    text_add(&writer->text, "\n");
}

static inline Text write_system(uint64_t seed)
{
    Writer writer = {.random = random_seed(seed)};
    writer.n = 2 + draw(&writer, 4);
    writer.m = draw(&writer, writer.n < 4 ? writer.n : 4);
    writer.rheonomic = draw(&writer, 2);
    text_add(&writer.text, "param m = 1, k = 2\ncoord ");
    for (int i = 1; i <= writer.n; i++)
        text_addf(&writer.text, "%sq%d", i > 1 ? ", " : "", i);
    text_add(&writer.text, "\n");
    write_energy(&writer);
    write_conditions(&writer);
    write_speeds(&writer);
    return writer.text;
}

#endif
