// switched_motion.h: motions whose rates switch, integrated here by steps of the fourth order that
// end at the switches. The truth for tests of this room.
#ifndef ZWANG_TESTS_SWITCHED_MOTION_H
#define ZWANG_TESTS_SWITCHED_MOTION_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SWITCHED_SIZE = 6, SWITCHED_MOST = 4 };

typedef struct SwitchedMotion {
    size_t size, count; // of the state; of what switches
    const void *model;
    void (*rates)(const struct SwitchedMotion *motion, double t, const double *s, double *rate);
    double (*argument)(const struct SwitchedMotion *motion, size_t k, double t, const double *s);
    int side[SWITCHED_MOST]; // of each, at present
} SwitchedMotion;

static inline void switched_advance(const SwitchedMotion *motion, double t, const double *s,
                                    double h, double *after)
{
    double k[4][SWITCHED_SIZE], at[SWITCHED_SIZE];
    static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1 / 6., 1 / 3., 1 / 3., 1 / 6.};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < motion->size; j++)
            at[j] = s[j] + (i > 0 ? h * part[i] * k[i - 1][j] : 0);
        motion->rates(motion, t + part[i] * h, at, k[i]);
    }
    for (size_t j = 0; j < motion->size; j++) {
        after[j] = s[j];
        for (size_t i = 0; i < 4; i++)
            after[j] += h * weight[i] * k[i][j];
    }
}

static inline size_t switched_passed(const SwitchedMotion *motion, double t, const double *s)
{
    for (size_t k = 0; k < motion->count; k++)
        if (motion->side[k] * motion->argument(motion, k, t, s) < 0)
            return k;
    return SIZE_MAX;
}

static inline void switched_begin(SwitchedMotion *motion, const double *s)
{
    for (size_t k = 0; k < motion->count; k++)
        motion->side[k] = motion->argument(motion, k, 0, s) > 0 ? 1 : -1;
}

// Over h, in parts; false where it goes to and fro.
static inline bool switched_go(SwitchedMotion *motion, double t, double *s, double h)
{
    double after[SWITCHED_SIZE], end = t + h;
    for (int parts = 0; t < end; parts++) {
        double low = 0, high = end - t;
        size_t which;
        switched_advance(motion, t, s, high, after);
        if ((which = switched_passed(motion, t + high, after)) == SIZE_MAX) {
            memcpy(s, after, motion->size * sizeof *s);
            return true;
        }
        for (int i = 0; i < 60; i++) {
            double middle = (low + high) / 2;
            switched_advance(motion, t, s, middle, after);
            size_t now = switched_passed(motion, t + middle, after);
            *(now == SIZE_MAX ? &low : &high) = middle;
            which = now == SIZE_MAX ? which : now;
        }
        switched_advance(motion, t, s, high, after);
        memcpy(s, after, motion->size * sizeof *s);
        t += high;
        motion->side[which] = -motion->side[which];
        if (parts > 40)
            return false;
    }
    return true;
}

// At `rows` times, in so many steps from one to the next, into rows of SWITCHED_SIZE; false where
// it goes to and fro.
static inline bool switched_follow(SwitchedMotion *motion, const double *start, double every,
                                   size_t rows, int steps, double (*out)[SWITCHED_SIZE])
{
    double s[SWITCHED_SIZE];
    memcpy(s, start, motion->size * sizeof *s);
    switched_begin(motion, s);
    for (size_t i = 0; i < rows; i++) {
        memcpy(out[i], s, motion->size * sizeof *s);
        for (int j = 0; j < steps && i + 1 < rows; j++)
            if (!switched_go(motion, ((double)i + j / (double)steps) * every, s, every / steps))
                return false;
    }
    return true;
}

#endif
