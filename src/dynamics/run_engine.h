// run_engine.h: how the programs of a run are evaluated.
#ifndef ZWANG_DYNAMICS_RUN_ENGINE_H
#define ZWANG_DYNAMICS_RUN_ENGINE_H

typedef enum {
    RUN_AUTO, // interpreted at first, compiled where the run is long
    RUN_INTERPRET,
    RUN_NATIVE // compiled from the start, by the system's C compiler; else interpreted
} RunEngine;

#endif
