// simulation_impl.h: XXX.
#ifndef ZWANG_SIMULATE_SIMULATION_IMPL_H
#define ZWANG_SIMULATE_SIMULATION_IMPL_H

#include "dynamics/branches.h"
#include "dynamics/dynamics.h"
#include "dynamics/projection.h"
#include "dynamics/second_class/second_class.h"
#include "dynamics/stop_request.h"
#include "motion/motion.h"
#include "simulate/columns_impl.h"
#include "simulate/compilation_impl.h"
#include "simulate/simulate.h"
#include "simulate/start_contacts_impl.h"

struct Run {
    Motion *motion;
    RunOptions settings;
    Equations eq;
    State state;
    Columns columns;
    Engine engine;
    StartContacts contacts;
    Branches branches; // at the start
    RunBranches branches_told;
    const State *told; // at the row that was told last; NULL before
    RunAudit *audit;   // NULL where nobody asked for one; not owned
    StopRequest *stop; // while it goes
    bool dense;        // Jacobians are solved as dense ones, however few entries they have
    // The start, kept.
    double *q, *v, *u, *a, *lambda;
    double energy;
};

#endif
