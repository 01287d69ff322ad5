// integrator_impl.h: what all methods of integration have in common. Never leaves the room.
#ifndef ZWANG_ODE_INTEGRATOR_IMPL_H
#define ZWANG_ODE_INTEGRATOR_IMPL_H

#include "ode/ode.h"
#include "ode/problem.h"

// What a method is; each function has the contract of the ode_integrator_… of its name.
typedef struct {
    size_t bytes; // of its own struct, which begins with an OdeIntegrator
    // Makes what is in that struct, which is 0; false where the machine failed.
    bool (*init)(OdeIntegrator *integrator);
    void (*clear)(OdeIntegrator *integrator); // what is not in the arena; NULL for nothing
    bool (*start)(OdeIntegrator *integrator, double t, const double *y, double step);
    OdeOutcome (*step)(OdeIntegrator *integrator, double until, double *t, double *y);
    void (*interpolate)(OdeIntegrator *integrator, double t, double *y, double *rate);
    double (*next_step)(const OdeIntegrator *integrator);
    // The dense output in powers of (t − *about)/(*unit): its rows, and their degree.
    size_t (*expand)(OdeIntegrator *integrator, double *about, double *unit, double *rows);
    // As ode_integrator_bends; NULL: never.
    bool (*bends)(const OdeIntegrator *integrator, double from, double length, size_t count,
                  double *bends);
    // As ode_integrator_places, from what is known without rates; NULL, or false: it is not.
    bool (*places)(OdeIntegrator *integrator, double t, double *y);
    double stability; // a decay that a step multiplies to more than this limits the step
    // As ode_integrator_begin; NULL: the dense output is the state there.
    const double *(*begin)(const OdeIntegrator *integrator, double t);
} IntegratorMethod;
#define METHOD(NAME, word, method) extern const IntegratorMethod method;
#include "ode/integrators.def"
#undef METHOD

// A sign of stiffness counts where it is seen so often in a row.
enum { STIFF_LOOKS = 3 };
typedef struct {
    double t, step; // the next one
    double *y;
} StiffnessLook;

// What every method's own struct begins with.
struct OdeIntegrator {
    const IntegratorMethod *method;
    Arena *arena; // owns all of it
    OdeProblem problem;
    double t; // of the last accepted state
    OdeStatistics statistics;
    size_t skipped;     // steps in a row that were nothing but rounding of the time
    size_t short_steps; // in a row
    bool begun_anew;    // because of these
    // The last times of looking for stiffness at which it was not looked yet; the decay last seen.
    StiffnessLook postponed[STIFF_LOOKS - 1];
    size_t postponed_count;
    double fastest_decay;
    bool across;                // the step in hand goes to its end without a look inside
    bool dense;                 // there is a step to interpolate in
    char message[256];          // the last one that a library wanted to print
    struct OdeFirstStep *first; // singular_start_impl.h; NULL: it never began so
};

// Room for so many numbers, all 0, as long as the integrator lives.
double *integrator_numbers(const OdeIntegrator *integrator, size_t count);
// Whether a step of this length from t makes no progress.
bool integrator_is_short(double step, double t);
// The step from t to the double next to t + step: that the time is rounded must not part the state
// from what the rates say at that time.
double integrator_step_to_double(double step, double t);

#endif
