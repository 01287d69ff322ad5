// run_carry.c: what goes over from a pass to the one that goes on in its place.
#include "simulate/run_carry.h"

#include "simulate/event_detector_impl.h"
#include "simulate/run_carry_impl.h"
#include "simulate/run_energy.h"
#include "simulate/run_report.h"
#include "simulate/simulation_run_impl.h"

#include <assert.h>

void carry_clear(RunCarry *carry)
{
    array_clear(&carry->at);
    *carry = (RunCarry){0};
}

void carry_begin(RunCarry *carry, bool reads)
{
    carry->next = 0;
    carry->reads = reads;
    if (!reads)
        carry->at.count = 0;
}

void carry_number(RunCarry *carry, double *value)
{
    if (!carry->reads)
        array_push(&carry->at, *value);
    else if (carry->next < carry->at.count)
        *value = carry->at.at[carry->next++];
}

void carry_count(RunCarry *carry, size_t *value)
{
    double number = (double)*value;
    carry_number(carry, &number);
    *value = number >= 0 && number < 0x1p53 ? (size_t)number : 0;
}

void carry_flag(RunCarry *carry, bool *value)
{
    double number = *value;
    carry_number(carry, &number);
    *value = number != 0;
}

void carry_run(RunCarry *carry, SimulationRun *run)
{
    assert(run->arena && run->balance);
    carry_number(carry, &run->energy);
    carry_flag(carry, &run->rows.told_undefined);
    carry_number(carry, &run->detector->bounded);
    watch_carry(run->watch, carry);
    balance_carry(run->balance, carry);
}

static void carry_energy(RunCarry *carry, RunEnergy *energy)
{
    carry_number(carry, &energy->change);
    carry_number(carry, &energy->shocks);
    carry_number(carry, &energy->friction);
    carry_number(carry, &energy->damping);
    carry_number(carry, &energy->largest);
    carry_number(carry, &energy->apart_change);
    for (size_t i = 0; i < energy->momentum_count; i++)
        carry_number(carry, &energy->momenta[i].change);
}

void carry_summary(RunCarry *carry, RunSummary *summary)
{
    size_t *const counts[] = {&summary->rows,        &summary->steps, &summary->rejected,
                              &summary->evaluations, &summary->order, &summary->speed_changes,
                              &summary->input_pieces};
    double *const numbers[] = {
        &summary->reached,      &summary->step,        &summary->largest_residual,
        &summary->energy_drift, &summary->energy_lost, &summary->friction_missed,
        &summary->deepest,      &summary->bounded,     &summary->input_shortest};
    assert(summary->energy);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        carry_count(carry, counts[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        carry_number(carry, numbers[i]);
    carry_flag(carry, &summary->stiff);
    for (size_t i = 0; i < RUN_EVENT_COUNT; i++) {
        carry_count(carry, &summary->events[i].count);
        carry_number(carry, &summary->events[i].first);
        carry_number(carry, &summary->events[i].last);
    }
    carry_energy(carry, summary->energy);
}
