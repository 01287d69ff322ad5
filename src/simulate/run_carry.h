// run_carry.h: what a run has counted and watched so far, as numbers. Where a run is broken off and
// goes on from its state as another pass, they go over to that.
#ifndef ZWANG_SIMULATE_RUN_CARRY_H
#define ZWANG_SIMULATE_RUN_CARRY_H

#include "base/memory.h"

typedef struct RunCarry {
    ARRAY(double) at;
    size_t next; // the next one that is read
    bool reads;  // else numbers are added
} RunCarry;
void carry_clear(RunCarry *carry);
// From the first one on, to read them or to write them anew.
void carry_begin(RunCarry *carry, bool reads);
// One number of whoever is to go on: it is added, or read; where there are too few it stays.
void carry_number(RunCarry *carry, double *value);
void carry_count(RunCarry *carry, size_t *value); // below 2^53
void carry_flag(RunCarry *carry, bool *value);

#endif
