// run_energy.h: what a run says of the energy and of momenta.
#ifndef ZWANG_SIMULATE_RUN_ENERGY_H
#define ZWANG_SIMULATE_RUN_ENERGY_H

#include <stdbool.h>
#include <stddef.h>

// A momentum that is constant between events, and the largest change that was seen of it.
typedef struct {
    const char *coordinate;
    double change;
} RunMomentum;

// What has changed the energy from the first row to the last: what was lost neither in shocks nor
// in dry friction nor in damping (forces that reverse with the velocities) was given by other
// forces, by impulses, by events and by what moves with the time. What is rounding of the largest
// energy is 0.
typedef struct RunEnergy {
    double change, shocks, friction, damping;
    double largest; // of the energies that were seen
    bool has_friction, has_damping;
    bool has_forces, has_impulses, has_events, is_driven; // whether there is anything of the kind
    RunMomentum *momenta;
    size_t momentum_count;
    // Where the energy that is constant is not T + U, but Σ q' ∂T/∂q' − T + U, as on a turntable:
    bool is_apart;
    double apart_change; // of that, the largest that was seen
} RunEnergy;

#endif
