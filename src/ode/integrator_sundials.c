// integrator_sundials.c: the multistep formulas of SUNDIALS' CVODE: backward differentiation (BDF)
// for stiff problems, with the exact Jacobian, and Adams for smooth ones.
//
// Multistep formulas know the states inside a step by their own polynomial. BDF is told the
// invariants and projects onto them at each step; Adams keeps its own state, and the states that it
// hands out are projected. CVODE adds up its steps from where it was started, so that they stay
// exact where a force changes within few roundings of the time. Where the Jacobian is large, the
// equations of BDF's Newton iteration are an OdeSparseJacobian, which holds few entries and more
// unknowns than the state has parts; KLU factors them. Else they are dense.
#include "base/guard.h"
#include "linalg/tolerances.h"
#include "ode/integrator_impl.h"

#include <assert.h>
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

typedef struct {
    OdeIntegrator base;
    SUNContext context;
    void *memory;         // of CVODE
    N_Vector state;       // that it last returned,
    double reached;       // at this time
    double began, *begin; // time and state before the last step
    double origin;        // of the time as CVODE counts it,
    double until;         // and how far it has come by that
    OdeStatistics before; // the last start: CVODE counts from there
    N_Vector inside;      // workspace: a state inside a step
    SUNNonlinearSolver fixed_point;
    const OdeSparseJacobian *sparse; // NULL: dense
    // The linear solver of BDF.
    struct {
        size_t pattern; // the one that it was made for; 0: dense
        SUNMatrix matrix;
        SUNLinearSolver linear;
        // Where few entries are filled.
        SUNLinearSolver klu;
        N_Vector right, unknown; // of the matrix' size
    } solver;
} Sundials;

static bool is_stiff(const Sundials *sundials)
{
    return sundials->base.method == &integrator_bdf;
}

// ---- What CVODE calls. Positive: not here.

static int call_rate(sunrealtype t, N_Vector y, N_Vector rate, void *user_data)
{
    const Sundials *sundials = user_data;
    const OdeProblem *problem = &sundials->base.problem;
    return !problem->rate(problem->context, sundials->origin + t, N_VGetArrayPointer(y),
                          N_VGetArrayPointer(rate));
}

// CVODE takes the root of the mean square; the factor √count makes that a bound for each
// part.
static int call_weights(N_Vector y, N_Vector weights, void *user_data)
{
    const OdeProblem *problem = &((Sundials *)user_data)->base.problem;
    double *weight = N_VGetArrayPointer(weights), root = sqrt((double)problem->count);
    problem->error_scale(problem->context, N_VGetArrayPointer(y), weight);
    for (size_t i = 0; i < problem->count; i++)
        weight[i] = root / weight[i];
    return 0;
}

static int call_jacobian(sunrealtype t, N_Vector y, N_Vector rate, SUNMatrix matrix,
                         void *user_data, N_Vector a, N_Vector b, N_Vector c)
{
    (void)rate, (void)a, (void)b, (void)c;
    const Sundials *sundials = user_data;
    const OdeProblem *problem = &sundials->base.problem;
    return !problem->jacobian(problem->program, sundials->origin + t, N_VGetArrayPointer(y),
                              SM_DATA_D(matrix));
}

// 1 − γ·J; the old J serves where it is still good.
static int call_system(sunrealtype t, N_Vector y, N_Vector rate, SUNMatrix matrix,
                       sunbooleantype is_good, sunbooleantype *is_new, sunrealtype gamma,
                       void *user_data, N_Vector a, N_Vector b, N_Vector c)
{
    (void)rate, (void)a, (void)b, (void)c;
    const Sundials *sundials = user_data;
    const OdeSparseJacobian *sparse = sundials->sparse;
    *is_new = !is_good;
    if (!is_good &&
        !sparse->linearize(sparse->context, sundials->origin + t, N_VGetArrayPointer(y)))
        return 1;
    sparse->fill(sparse->context, gamma, SM_DATA_S(matrix));
    return 0;
}

static int call_project(sunrealtype t, N_Vector y, void *user_data)
{
    const Sundials *sundials = user_data;
    const OdeProblem *problem = &sundials->base.problem;
    return problem->project &&
           !problem->project(problem->context, sundials->origin + t, N_VGetArrayPointer(y));
}

// The change that projects a state.
static int call_project_change(sunrealtype t, N_Vector y, N_Vector change, sunrealtype within,
                               N_Vector err, void *user_data)
{
    (void)within, (void)err;
    N_VScale(1, y, change);
    int failed = call_project(t, change, user_data);
    N_VLinearSum(1, change, -1, y, change);
    return failed;
}

// ---- Messages are kept and not printed.

// SUNDIALS 6 makes a context of a few kilobytes without looking whether it has got them, and fails
// when it is used or freed. Many more are asked for first.
static void probe_memory(void)
{
    base_free(base_alloc(1 << 16));
}

#if SUNDIALS_VERSION_MAJOR >= 7
#define SET_MESSAGES(set, sundials) 0
static void keep_message(int line, const char *function, const char *file, const char *message,
                         SUNErrCode code, void *user_data, SUNContext context)
#else
#define SET_MESSAGES(set, sundials) set((sundials)->memory, keep_message, (sundials))
static void keep_message(int code, const char *module, const char *function, char *message,
                         void *user_data)
#endif
{
    OdeIntegrator *integrator = user_data;
    snprintf(integrator->message, sizeof integrator->message, "%s", message ? message : "");
#if SUNDIALS_VERSION_MAJOR >= 7
    (void)line, (void)function, (void)file, (void)code, (void)context;
}

static bool open_context(Sundials *sundials)
{
    probe_memory();
    return SUNContext_Create(SUN_COMM_NULL, &sundials->context) == 0 &&
           SUNContext_ClearErrHandlers(sundials->context) == 0 &&
           SUNContext_PushErrHandler(sundials->context, keep_message, sundials) == 0;
}
#else
    (void)code, (void)module, (void)function;
}

static bool open_context(Sundials *sundials)
{
    probe_memory();
    return SUNContext_Create(NULL, &sundials->context) == 0;
}
#endif

// Its vectors are copies of ours; a copy that cannot be had ends the call of the library (guard.h),
// for SUNDIALS writes to what it has not got.
static N_Vector clone_or_end(N_Vector from)
{
    N_Vector copy = N_VClone_Serial(from);
    if (!copy)
        base_no_memory(0);
    return copy;
}

static N_Vector new_vector(size_t count, SUNContext context)
{
    N_Vector vector = N_VNew_Serial((sunindextype)count, context);
    if (!vector)
        base_no_memory(count * sizeof(double));
    vector->ops->nvclone = clone_or_end;
    return vector;
}

static SUNMatrix clone_matrix_or_end(SUNMatrix from)
{
    bool dense = SUNMatGetID(from) == SUNMATRIX_DENSE;
    SUNMatrix copy = (dense ? SUNMatClone_Dense : SUNMatClone_Sparse)(from);
    if (!copy)
        base_no_memory(0);
    return copy;
}

// ---- The linear equations of BDF. A solver whose equations have more unknowns than the state has
// parts.

static SUNLinearSolver_Type type_of(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int factor(SUNLinearSolver solver, SUNMatrix matrix)
{
    return SUNLinSolSetup(((Sundials *)solver->content)->solver.klu, matrix);
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector right,
                 sunrealtype within)
{
    Sundials *sundials = solver->content;
    N_Vector whole = sundials->solver.right, unknown = sundials->solver.unknown;
    size_t bytes = sundials->base.problem.count * sizeof(double);
    N_VConst(0, whole);
    memcpy(N_VGetArrayPointer(whole), N_VGetArrayPointer(right), bytes);
    int flag = SUNLinSolSolve(sundials->solver.klu, matrix, unknown, whole, within);
    memcpy(N_VGetArrayPointer(x), N_VGetArrayPointer(unknown), bytes);
    return flag;
}

static int release(SUNLinearSolver solver)
{
    solver->content = NULL;
    SUNLinSolFreeEmpty(solver);
    return 0;
}

static SUNLinearSolver new_solver(Sundials *sundials)
{
    SUNLinearSolver solver = SUNLinSolNewEmpty(sundials->context);
    if (!solver)
        return NULL;
    solver->content = sundials;
    solver->ops->gettype = type_of;
    solver->ops->setup = factor;
    solver->ops->solve = solve;
    solver->ops->free = release;
    return solver;
}

// SUNDIALS frees NULL.
static void free_solver(Sundials *sundials)
{
    SUNLinSolFree(sundials->solver.linear);
    SUNLinSolFree(sundials->solver.klu);
    SUNMatDestroy(sundials->solver.matrix);
    N_VDestroy(sundials->solver.right);
    N_VDestroy(sundials->solver.unknown);
    memset(&sundials->solver, 0, sizeof sundials->solver);
}

static bool make_dense(Sundials *sundials)
{
    assert(sundials->base.problem.jacobian);
    sunindextype count = (sunindextype)sundials->base.problem.count;
    SUNMatrix matrix = sundials->solver.matrix = SUNDenseMatrix(count, count, sundials->context);
    if (!matrix)
        return false;
    matrix->ops->clone = clone_matrix_or_end;
    sundials->solver.linear = SUNLinSol_Dense(sundials->state, matrix, sundials->context);
    return sundials->solver.linear != NULL;
}

static bool make_sparse(Sundials *sundials)
{
    const OdeSparseJacobian *sparse = sundials->sparse;
    SUNContext context = sundials->context;
    size_t entries = sparse->begins[sparse->size];
    sunindextype size = (sunindextype)sparse->size;
    assert(sparse->size >= sundials->base.problem.count && sparse->id > 0);
    SUNMatrix matrix = SUNSparseMatrix(size, size, (sunindextype)entries, CSR_MAT, context);
    sundials->solver.matrix = matrix;
    sundials->solver.right = new_vector(sparse->size, context);
    sundials->solver.unknown = new_vector(sparse->size, context);
    sundials->solver.linear = new_solver(sundials);
    if (!matrix || !sundials->solver.right || !sundials->solver.unknown || !sundials->solver.linear)
        return false;
    matrix->ops->clone = clone_matrix_or_end;
    for (size_t i = 0; i <= sparse->size; i++)
        SM_INDEXPTRS_S(matrix)[i] = (sunindextype)sparse->begins[i];
    for (size_t e = 0; e < entries; e++)
        SM_INDEXVALS_S(matrix)[e] = (sunindextype)sparse->columns[e];
    sundials->solver.klu = SUNLinSol_KLU(sundials->solver.right, matrix, context);
    return sundials->solver.klu != NULL;
}

// A start may bring another pattern.
static bool set_equations(Sundials *sundials)
{
    const OdeProblem *problem = &sundials->base.problem;
    void *memory = sundials->memory;
    sundials->sparse = problem->sparse_jacobian ? problem->sparse_jacobian(problem->program) : NULL;
    size_t pattern = sundials->sparse ? sundials->sparse->id : 0;
    if (sundials->solver.linear && sundials->solver.pattern == pattern)
        return true;
    free_solver(sundials);
    sundials->solver.pattern = pattern;
    return (sundials->sparse ? make_sparse(sundials) : make_dense(sundials)) &&
           CVodeSetLinearSolver(memory, sundials->solver.linear, sundials->solver.matrix) == 0 &&
           (sundials->sparse ? CVodeSetLinSysFn(memory, call_system)
                             : CVodeSetJacFn(memory, call_jacobian)) == 0;
}

// ---- Multistep formulas.

// BDF solves its equations by Newton's iteration, Adams by fixed-point iteration.
static bool set_iteration(Sundials *sundials)
{
    void *memory = sundials->memory;
    if (is_stiff(sundials))
        return !sundials->base.problem.project ||
               (CVodeSetProjFn(memory, call_project_change) == 0 &&
                CVodeSetProjErrEst(memory, SUNFALSE) == 0);
    sundials->fixed_point = SUNNonlinSol_FixedPoint(sundials->state, 0, sundials->context);
    return sundials->fixed_point && CVodeSetNonlinearSolver(memory, sundials->fixed_point) == 0;
}

static bool cvode_open(Sundials *sundials)
{
    sundials->inside = N_VClone(sundials->state);
    void *memory = sundials->memory =
        CVodeCreate(is_stiff(sundials) ? CV_BDF : CV_ADAMS, sundials->context);
    bool failed = !sundials->inside || !memory || SET_MESSAGES(CVodeSetErrHandlerFn, sundials) ||
                  CVodeInit(memory, call_rate, 0, sundials->state) ||
                  CVodeSetUserData(memory, sundials) || CVodeWFtolerances(memory, call_weights) ||
                  CVodeSetMaxStep(memory, sundials->base.problem.max_step) ||
                  CVodeSetMaxErrTestFails(memory, LIMIT_STEPS) ||
                  CVodeSetMaxConvFails(memory, LIMIT_STEPS) || CVodeSetMaxHnilWarns(memory, -1) ||
                  !set_iteration(sundials);
    // What was made by half cannot be freed; nothing but memory is missing.
    if (failed)
        base_no_memory(0);
    return true;
}

static bool cvode_restart(Sundials *sundials, double t, double step)
{
    sundials->base.statistics.order = 0;
    if (is_stiff(sundials) && !set_equations(sundials))
        base_no_memory(0); // as above
    sundials->origin = t;
    sundials->until = 0;
    return CVodeReInit(sundials->memory, 0, sundials->state) == 0 &&
           CVodeSetInitStep(sundials->memory, step) == 0;
}

// A state that cannot be projected was too far away.
static bool cvode_accepts(Sundials *sundials)
{
    int order = 0;
    CVodeGetLastOrder(sundials->memory, &order);
    sundials->base.statistics.order = (size_t)order;
    return call_project(sundials->until, sundials->state, sundials) == 0;
}

static int cvode_rejected(void *memory, long *rejected)
{
    long diverged = 0;
    int flag = CVodeGetNumErrTestFails(memory, rejected);
    CVodeGetNumStepSolveFails(memory, &diverged);
    *rejected += diverged;
    return flag;
}

// A time within the last step, as CVODE counts it: by its roundings it may lie outside.
static double counted(const Sundials *sundials, double t)
{
    double last = 0;
    CVodeGetLastStep(sundials->memory, &last);
    return fmin(fmax(t - sundials->origin, sundials->until - last), sundials->until);
}

// The rate is that of the state, which the slope of the polynomial is only nearly.
static void cvode_interpolate(OdeIntegrator *integrator, double t, double *y, double *rate)
{
    const OdeProblem *problem = &integrator->problem;
    const Sundials *sundials = (const Sundials *)integrator;
    const double *inside = N_VGetArrayPointer(sundials->inside);
    size_t bytes = problem->count * sizeof *y;
    double at = counted(sundials, t);
    if (CVodeGetDky(sundials->memory, at, 0, sundials->inside) == 0)
        memcpy(y, inside, bytes);
    if (!problem->rate(problem->context, t, y, rate) &&
        CVodeGetDky(sundials->memory, at, 1, sundials->inside) == 0)
        memcpy(rate, inside, bytes);
}

static const double *begin(const OdeIntegrator *integrator, double t)
{
    const Sundials *sundials = (const Sundials *)integrator;
    return t == sundials->began ? sundials->begin : NULL;
}

static size_t cvode_expand(OdeIntegrator *integrator, double *about, double *unit, double *rows)
{
    const Sundials *sundials = (const Sundials *)integrator;
    size_t count = integrator->problem.count, degree = integrator->statistics.order;
    double factorial = 1, at = counted(sundials, *about);
    *unit = 1;
    for (size_t k = 0; k <= degree; k++) {
        const double *inside = N_VGetArrayPointer(sundials->inside);
        if (CVodeGetDky(sundials->memory, at, (int)k, sundials->inside) != 0)
            return k > 0 ? k - 1 : 0;
        for (size_t j = 0; j < count; j++)
            rows[k * count + j] = inside[j] / factorial;
        factorial *= (double)(k + 1);
    }
    return degree;
}

// ---- Making and starting.

static bool init(OdeIntegrator *integrator)
{
    Sundials *sundials = (Sundials *)integrator;
    assert(integrator->problem.rate);
    if (!open_context(sundials))
        return false;
    sundials->state = new_vector(integrator->problem.count, sundials->context);
    N_VConst(0, sundials->state);
    sundials->begin = integrator_numbers(integrator, integrator->problem.count);
    return cvode_open(sundials);
}

static void clear(OdeIntegrator *integrator)
{
    Sundials *sundials = (Sundials *)integrator;
    SUNNonlinSolFree(sundials->fixed_point);
    free_solver(sundials);
    N_VDestroy(sundials->inside);
    if (sundials->memory)
        CVodeFree(&sundials->memory);
    N_VDestroy(sundials->state);
    if (sundials->context)
        SUNContext_Free(&sundials->context);
}

static bool restart(Sundials *sundials, double t, const double *y, double step)
{
    memcpy(N_VGetArrayPointer(sundials->state), y, sundials->base.problem.count * sizeof *y);
    sundials->before = sundials->base.statistics;
    sundials->reached = t;
    return cvode_restart(sundials, t, step);
}

static bool start(OdeIntegrator *integrator, double t, const double *y, double step)
{
    return restart((Sundials *)integrator, t, y, step);
}

// ---- Stepping.

static double next_step(const OdeIntegrator *integrator)
{
    const Sundials *sundials = (const Sundials *)integrator;
    sunrealtype step = 0;
    CVodeGetCurrentStep(sundials->memory, &step);
    return step;
}

static OdeOutcome outcome_of(int flag)
{
    switch (flag) {
    case CV_SUCCESS:
    case CV_TSTOP_RETURN: return ODE_STEPPED;
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
    case CV_PROJFUNC_FAIL:
    case CV_REPTD_PROJFUNC_ERR:
    case CV_LSETUP_FAIL: return ODE_NO_RATE;
    case CV_MEM_FAIL: return ODE_FAILED;
    default: return ODE_STEP_UNDERFLOW;
    }
}

// A step of CVODE's own choice, to `state` and *t.
static OdeOutcome evolve(Sundials *sundials, double until, double *t)
{
    OdeStatistics *statistics = &sundials->base.statistics;
    void *memory = sundials->memory;
    long steps = 0, rejected = 0;
    assert(until > *t);
    double stop = until - sundials->origin;
    if (CVodeSetStopTime(memory, stop) != 0)
        return ODE_FAILED;
    int flag = CV_SUCCESS;
    double first = INFINITY;
    // The first steps may be shorter than a rounding of the time; where they do not grow, as at a
    // switch, more of them lead nowhere.
    for (size_t i = 0; i < LIMIT_STEPS && flag == CV_SUCCESS; i++) {
        flag = CVode(memory, stop, sundials->state, &sundials->until, CV_ONE_STEP);
        double next = next_step(&sundials->base);
        first = fmin(first, next);
        if (sundials->origin + sundials->until > *t || (i >= LIMIT_PATIENCE && !(next > 2 * first)))
            break;
    }
    CVodeGetNumSteps(memory, &steps);
    cvode_rejected(memory, &rejected);
    statistics->steps = sundials->before.steps + (size_t)steps;
    statistics->rejected = sundials->before.rejected + (size_t)rejected;
    *t = flag == CV_TSTOP_RETURN ? until : sundials->origin + sundials->until;
    return outcome_of(flag);
}

// A step that is not accepted is repeated from where it began, much shorter.
static OdeOutcome advance(OdeIntegrator *integrator, double until, double *t, double *y)
{
    Sundials *sundials = (Sundials *)integrator;
    size_t bytes = integrator->problem.count * sizeof *y;
    double from = sundials->began = *t;
    memcpy(sundials->begin, y, bytes);
    // The time has moved on by its rounding; or roundings count in how far this may go.
    bool coarse = DBL_EPSILON * sundials->until > TOL_CONDITION * (until - from);
    if ((from != sundials->reached || coarse) && !restart(sundials, from, y, 0))
        return ODE_NO_RATE;
    for (;;) {
        double reached = from;
        OdeOutcome outcome = evolve(sundials, until, &reached);
        bool goes_on = reached > from;
        if (outcome == ODE_STEPPED && goes_on && cvode_accepts(sundials)) {
            *t = sundials->reached = reached;
            memcpy(y, N_VGetArrayPointer(sundials->state), bytes);
            return ODE_STEPPED;
        }
        if (outcome != ODE_STEPPED)
            return outcome;
        // An end that is 100 roundings ahead counts as reached, and a step may end before it then.
        double step = goes_on ? (reached - from) / 8 : next_step(integrator);
        if (integrator_is_short(step, from))
            return ODE_STEP_UNDERFLOW;
        if (!restart(sundials, from, y, step))
            return ODE_NO_RATE;
    }
}

// Fixed-point iteration converges where a step multiplies no decay to more than about 1.
const IntegratorMethod integrator_bdf = {
    sizeof(Sundials), init,         clear, start, advance, cvode_interpolate,
    next_step,        cvode_expand, NULL,  NULL,  2.5,     begin};
const IntegratorMethod integrator_adams = {
    sizeof(Sundials), init,         clear, start, advance, cvode_interpolate,
    next_step,        cvode_expand, NULL,  NULL,  0.5,     begin};
