// system_functions.h: a system as functions of t, y = (q, u) and parameters, for whoever integrates
// or controls it himself.
//
// The functions are made once and are then const: any number of threads use them, each with a
// workspace of its own. No evaluation allocates.
#ifndef ZWANG_DYNAMICS_SYSTEM_FUNCTIONS_H
#define ZWANG_DYNAMICS_SYSTEM_FUNCTIONS_H

#include "base/memory.h"

typedef struct Equations Equations;             // equations_types.h
typedef struct ModelConstraint ModelConstraint; // model/constraint.h
typedef struct Motion Motion;                   // motion_types.h
typedef struct State State;

typedef struct SystemFunctions SystemFunctions;
typedef struct SystemWorkspace SystemWorkspace;

typedef struct {
    size_t n, k;                        // coordinates, speeds: y has both
    const char *const *speed_names;     // k
    const double *start;                // n + k
    size_t params;                      // those that no other parameter gives
    const char *const *param_names;     // of these
    const double *param_values;         // as the model has them
    size_t conditions;                  // in force: rows, then affine ones on accelerations
    const char *const *condition_names; // of these
} SystemLayout;

// At the state of the start, with the speeds in use there, or with all velocities for speeds:
// nothing is divided by then. Equations, state and motion outlive the functions. An error where the
// motion is no set of formulas.
BASE_MUST_USE Status functions_new(const Equations *eq, State *state, Motion *motion,
                                   bool velocities, Diag *diag, SystemFunctions **functions);
void functions_free(SystemFunctions *functions);
SystemLayout functions_layout(const SystemFunctions *functions);
SystemWorkspace *functions_workspace(const SystemFunctions *functions);
void functions_workspace_free(SystemWorkspace *workspace);

// A point: t, y, and parameters, NULL for those of the model.
typedef struct {
    double t;
    const double *y, *p;
} SystemPoint;
// y'. False where there is none, here as below.
bool functions_rates(const SystemFunctions *functions, SystemWorkspace *workspace, SystemPoint at,
                     double *rates);
// How y' changes with t, y and p in a direction, exactly; dy and dp may be NULL, for 0. Of several
// directions at one point: functions_along of each, after functions_begin_along.
bool functions_begin_along(const SystemFunctions *functions, SystemWorkspace *workspace,
                           SystemPoint at);
bool functions_along(const SystemFunctions *functions, SystemWorkspace *workspace, double dt,
                     const double *dy, const double *dp, double *change);
bool functions_rates_along(const SystemFunctions *functions, SystemWorkspace *workspace,
                           SystemPoint at, double dt, const double *dy, const double *dp,
                           double *change);
// All columns of it at once: ∂y'/∂y, or ∂y'/∂p, row by row.
typedef enum { BY_STATE, BY_PARAMETERS } SystemBy;
bool functions_jacobian(const SystemFunctions *functions, SystemWorkspace *workspace,
                        SystemPoint at, SystemBy by, double *matrix);
// The conditions whose multipliers are unknowns beside y', and these multipliers as the last call
// of functions_rates gave them, or how they change as the last direction said.
const ModelConstraint *const *functions_unknown(const SystemFunctions *functions, size_t *count);
const double *functions_multipliers(const SystemFunctions *functions,
                                    const SystemWorkspace *workspace, bool change);
// Where each of the layout's parameters stands among the model's; and how all of these change with
// them.
const size_t *functions_param_places(const SystemFunctions *functions);
void functions_params_along(const SystemFunctions *functions, const double *p, const double *dp,
                            double *change);

// M·q'' + bias = Jᵀλ and J·q'' + gamma = 0, where no servo keeps a condition. Each may be NULL.
typedef struct {
    double *velocities, *accelerations; // n
    double *mass, *bias;                // n × n, n
    double *jacobian, *gamma;           // conditions × n, conditions
    double *multipliers;                // conditions
} SystemParts;
bool functions_parts(const SystemFunctions *functions, SystemWorkspace *workspace, SystemPoint at,
                     const SystemParts *parts);

#endif
