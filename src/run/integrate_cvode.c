// integrate_cvode.c: the integrators on CVODE's multistep formulas: backward differentiation (BDF)
// for stiff motions, with the exact Jacobian, and Adams for smooth ones.
//
// Where the Jacobian is large, Newton's equations are those of newton.c, which hold few entries and
// more unknowns than the state has parts; KLU factors them. Else they are dense.
//
// Both know the states inside a step by their own polynomial. BDF is told the finite conditions and
// moves onto them at each step; Adams keeps its own state, and the states that it hands out are
// moved.
#include "run/stepper_impl.h"

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

// A step of this many roundings of t leads nowhere; so many of them in a row end the run.
#define SHORT_STEP  8
#define SHORT_STEPS 20
// How often a step may be tried again: each time with a quarter of it or less.
#define MOST_REJECTED 40

typedef struct {
    Stepper base; // first: it is found by the same address
    bool stiff;   // BDF; else Adams
    void *stepper;
    N_Vector state;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver fixed_point;
    // Where few entries are filled.
    ImplicitSystem *newton; // NULL: dense
    size_t made;            // the one that the matrix was made for
    SUNLinearSolver klu;
    N_Vector right, unknown; // of newton's size
    double t;                // of the last accepted state
    size_t short_steps;      // in a row
    IntegratorCounts before;
} Cvode;

// ---- What the stepper calls. Positive: not here.

static int call_jacobian(sunrealtype t, N_Vector y, N_Vector rate, SUNMatrix matrix,
                         void *user_data, N_Vector a, N_Vector b, N_Vector c)
{
    (void)rate, (void)a, (void)b, (void)c;
    const IntegratorProblem *problem = &((Cvode *)user_data)->base.problem;
    bool found = problem->jacobian(problem->context, t, N_VGetArrayPointer(y), SM_DATA_D(matrix));
    return found ? 0 : 1;
}

// 1 − γ·J, as newton.c has it; the old J serves where it is still good.
static int call_system(sunrealtype t, N_Vector y, N_Vector rate, SUNMatrix matrix,
                       sunbooleantype is_good, sunbooleantype *is_new, sunrealtype gamma,
                       void *user_data, N_Vector a, N_Vector b, N_Vector c)
{
    (void)rate, (void)a, (void)b, (void)c;
    ImplicitSystem *newton = ((Cvode *)user_data)->newton;
    *is_new = !is_good;
    if (!is_good && !implicit_system_linearize(newton, t, N_VGetArrayPointer(y)))
        return 1;
    implicit_system_fill(newton, gamma, SM_DATA_S(matrix));
    return 0;
}

// The change that moves a state onto the conditions.
static int call_settle(sunrealtype t, N_Vector y, N_Vector change, sunrealtype within, N_Vector err,
                       void *user_data)
{
    (void)within, (void)err;
    const IntegratorProblem *problem = &((Cvode *)user_data)->base.problem;
    N_VScale(1, y, change);
    if (!problem->settle(problem->context, t, N_VGetArrayPointer(change)))
        return 1;
    N_VLinearSum(1, change, -1, y, change);
    return 0;
}

// From version 7 on the context tells.
static bool listen(Cvode *cvode)
{
#if SUNDIALS_VERSION_MAJOR >= 7
    (void)cvode;
    return true;
#else
    return CVodeSetErrHandlerFn(cvode->stepper, stepper_hear, cvode) == CV_SUCCESS;
#endif
}

// ---- Making and starting.

static void free_solver(Cvode *cvode)
{
    if (cvode->linear)
        SUNLinSolFree(cvode->linear);
    if (cvode->klu)
        SUNLinSolFree(cvode->klu);
    if (cvode->matrix)
        SUNMatDestroy(cvode->matrix);
    if (cvode->right)
        N_VDestroy(cvode->right);
    if (cvode->unknown)
        N_VDestroy(cvode->unknown);
    cvode->linear = cvode->klu = NULL;
    cvode->matrix = NULL;
    cvode->right = cvode->unknown = NULL;
}

static bool set_dense(Cvode *cvode)
{
    sunindextype count = (sunindextype)cvode->base.problem.count;
    cvode->matrix = SUNDenseMatrix(count, count, cvode->base.context);
    if (!cvode->matrix)
        return false;
    cvode->linear = SUNLinSol_Dense(cvode->state, cvode->matrix, cvode->base.context);
    return cvode->linear &&
           CVodeSetLinearSolver(cvode->stepper, cvode->linear, cvode->matrix) == CV_SUCCESS &&
           CVodeSetJacFn(cvode->stepper, call_jacobian) == CV_SUCCESS;
}

// ---- A linear solver whose equations have more unknowns than the state has parts.

static SUNLinearSolver_Type type_of(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int factor(SUNLinearSolver solver, SUNMatrix matrix)
{
    return SUNLinSolSetup(((Cvode *)solver->content)->klu, matrix);
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector right,
                 sunrealtype within)
{
    Cvode *cvode = solver->content;
    size_t bytes = cvode->base.problem.count * sizeof(double);
    N_VConst(0, cvode->right);
    memcpy(N_VGetArrayPointer(cvode->right), N_VGetArrayPointer(right), bytes);
    int flag = SUNLinSolSolve(cvode->klu, matrix, cvode->unknown, cvode->right, within);
    memcpy(N_VGetArrayPointer(x), N_VGetArrayPointer(cvode->unknown), bytes);
    return flag;
}

static int release(SUNLinearSolver solver)
{
    solver->content = NULL;
    SUNLinSolFreeEmpty(solver);
    return 0;
}

static SUNLinearSolver new_solver(Cvode *cvode)
{
    SUNLinearSolver solver = SUNLinSolNewEmpty(cvode->base.context);
    if (!solver)
        return NULL;
    solver->content = cvode;
    solver->ops->gettype = type_of;
    solver->ops->setup = factor;
    solver->ops->solve = solve;
    solver->ops->free = release;
    return solver;
}

static void set_pattern(const ImplicitSystem *newton, SUNMatrix matrix)
{
    for (size_t i = 0; i <= newton->size; i++)
        SM_INDEXPTRS_S(matrix)[i] = (sunindextype)newton->begins[i];
    for (size_t e = 0; e < newton->begins[newton->size]; e++)
        SM_INDEXVALS_S(matrix)[e] = (sunindextype)newton->places[e];
}

static bool set_sparse(Cvode *cvode)
{
    const ImplicitSystem *newton = cvode->newton;
    sunindextype size = (sunindextype)newton->size;
    cvode->matrix = SUNSparseMatrix(size, size, (sunindextype)newton->begins[newton->size], CSR_MAT,
                                    cvode->base.context);
    cvode->right = N_VNew_Serial(size, cvode->base.context);
    cvode->unknown = N_VNew_Serial(size, cvode->base.context);
    cvode->linear = new_solver(cvode);
    if (!cvode->matrix || !cvode->right || !cvode->unknown || !cvode->linear)
        return false;
    set_pattern(newton, cvode->matrix);
    cvode->klu = SUNLinSol_KLU(cvode->right, cvode->matrix, cvode->base.context);
    return cvode->klu &&
           CVodeSetLinearSolver(cvode->stepper, cvode->linear, cvode->matrix) == CV_SUCCESS &&
           CVodeSetLinSysFn(cvode->stepper, call_system) == CV_SUCCESS;
}

// Speeds that were changed may have brought other equations.
static bool set_equations(Cvode *cvode)
{
    const IntegratorProblem *problem = &cvode->base.problem;
    cvode->newton = problem->newton ? problem->newton(problem->context) : NULL;
    size_t made = cvode->newton ? cvode->newton->made : 0;
    if (cvode->linear && cvode->made == made)
        return true;
    free_solver(cvode);
    cvode->made = made;
    return cvode->newton ? set_sparse(cvode) : set_dense(cvode);
}

// BDF solves its equations by Newton's iteration, Adams by going round.
static bool set_solver(Cvode *cvode)
{
    if (!cvode->stiff) {
        cvode->fixed_point = SUNNonlinSol_FixedPoint(cvode->state, 0, cvode->base.context);
        return cvode->fixed_point &&
               CVodeSetNonlinearSolver(cvode->stepper, cvode->fixed_point) == CV_SUCCESS;
    }
    return !cvode->base.problem.settle ||
           (CVodeSetProjFn(cvode->stepper, call_settle) == CV_SUCCESS &&
            CVodeSetProjErrEst(cvode->stepper, SUNFALSE) == CV_SUCCESS);
}

static bool set_up(Cvode *cvode)
{
    if (!stepper_open(&cvode->base))
        return false;
    cvode->state = N_VNew_Serial((sunindextype)cvode->base.problem.count, cvode->base.context);
    if (!cvode->state)
        return false;
    N_VConst(0, cvode->state);
    cvode->stepper = CVodeCreate(cvode->stiff ? CV_BDF : CV_ADAMS, cvode->base.context);
    void *stepper = cvode->stepper;
    return stepper && listen(cvode) &&
           CVodeInit(stepper, stepper_rate, 0, cvode->state) == CV_SUCCESS &&
           CVodeSetUserData(stepper, cvode) == CV_SUCCESS &&
           CVodeWFtolerances(stepper, stepper_allowance) == CV_SUCCESS &&
           CVodeSetMaxStep(stepper, cvode->base.problem.longest) == CV_SUCCESS &&
           CVodeSetMaxErrTestFails(stepper, MOST_REJECTED) == CV_SUCCESS &&
           CVodeSetMaxConvFails(stepper, MOST_REJECTED) == CV_SUCCESS &&
           CVodeSetMaxHnilWarns(stepper, -1) == CV_SUCCESS && set_solver(cvode);
}

static void destroy(void *self)
{
    Cvode *cvode = self;
    if (cvode->stepper)
        CVodeFree(&cvode->stepper);
    if (cvode->fixed_point)
        SUNNonlinSolFree(cvode->fixed_point);
    free_solver(cvode);
    if (cvode->state)
        N_VDestroy(cvode->state);
    if (cvode->base.context)
        SUNContext_Free(&cvode->base.context);
    base_free(cvode);
}

static void *create(const IntegratorProblem *problem, bool stiff)
{
    Cvode *cvode = base_alloc(sizeof *cvode);
    cvode->base.problem = *problem;
    cvode->stiff = stiff;
    if (set_up(cvode))
        return cvode;
    destroy(cvode);
    return NULL;
}

static void *create_bdf(const IntegratorProblem *problem)
{
    return create(problem, true);
}

static void *create_adams(const IntegratorProblem *problem)
{
    return create(problem, false);
}

static IntegratorCounts counts_of(const void *self)
{
    const Cvode *cvode = self;
    IntegratorCounts counts = cvode->before;
    long steps = 0, rejected = 0, diverged = 0;
    int order = 0;
    CVodeGetNumSteps(cvode->stepper, &steps);
    CVodeGetNumErrTestFails(cvode->stepper, &rejected);
    CVodeGetNumStepSolveFails(cvode->stepper, &diverged);
    CVodeGetLastOrder(cvode->stepper, &order);
    counts.steps += (size_t)steps;
    counts.rejected += (size_t)(rejected + diverged);
    counts.order = (size_t)order;
    return counts;
}

static double next_step(const void *self)
{
    const Cvode *cvode = self;
    sunrealtype step = 0;
    CVodeGetCurrentStep(cvode->stepper, &step);
    return step;
}

static const char *message_of(const void *self)
{
    return ((const Cvode *)self)->base.message;
}

static bool start(void *self, double t, const double *y, double step)
{
    Cvode *cvode = self;
    if (cvode->stiff && !set_equations(cvode))
        return false;
    cvode->before = counts_of(cvode);
    memcpy(N_VGetArrayPointer(cvode->state), y, cvode->base.problem.count * sizeof *y);
    cvode->t = t;
    cvode->base.message[0] = '\0';
    return CVodeReInit(cvode->stepper, t, cvode->state) == CV_SUCCESS &&
           CVodeSetInitStep(cvode->stepper, step) == CV_SUCCESS;
}

// ---- Stepping.

static double roundings(double t, double until, double count)
{
    return count * DBL_EPSILON * fmax(fabs(t), fabs(until));
}

// Counts steps that lead nowhere; true once there were too many in a row.
static bool has_vanished(Cvode *cvode, double from, double until)
{
    bool is_short = cvode->t - from <= roundings(from, from, SHORT_STEP);
    cvode->short_steps = is_short && cvode->t < until ? cvode->short_steps + 1 : 0;
    return cvode->short_steps >= SHORT_STEPS;
}

static bool is_rate_failure(int flag)
{
    return flag == CV_RHSFUNC_FAIL || flag == CV_FIRST_RHSFUNC_ERR ||
           flag == CV_REPTD_RHSFUNC_ERR || flag == CV_UNREC_RHSFUNC_ERR ||
           flag == CV_PROJFUNC_FAIL || flag == CV_REPTD_PROJFUNC_ERR || flag == CV_LSETUP_FAIL;
}

// One step of the stepper's own choice; y is left alone where it fails. *far where the state that
// it reached could not be settled.
static IntegratorOutcome step_once(Cvode *cvode, double until, double *t, double *y, bool *far)
{
    const IntegratorProblem *problem = &cvode->base.problem;
    double from = cvode->t;
    *far = false;
    if (until - from <= roundings(from, until, 2)) {
        *t = cvode->t = until;
        return INTEGRATOR_STEPPED;
    }
    sunrealtype reached = from;
    if (CVodeSetStopTime(cvode->stepper, until) != CV_SUCCESS)
        return INTEGRATOR_FAILED;
    int flag = CVode(cvode->stepper, until, cvode->state, &reached, CV_ONE_STEP);
    if (flag == CV_MEM_FAIL)
        return INTEGRATOR_FAILED;
    if (is_rate_failure(flag))
        return INTEGRATOR_RATE;
    if (flag != CV_SUCCESS && flag != CV_TSTOP_RETURN)
        return INTEGRATOR_VANISHED;
    cvode->t = flag == CV_TSTOP_RETURN ? until : reached;
    double *state = N_VGetArrayPointer(cvode->state);
    *far = problem->settle && !problem->settle(problem->context, cvode->t, state);
    if (*far)
        return INTEGRATOR_RATE;
    memcpy(y, state, problem->count * sizeof *y);
    *t = cvode->t;
    return has_vanished(cvode, from, until) ? INTEGRATOR_VANISHED : INTEGRATOR_STEPPED;
}

// A state that cannot be settled was too far away: again from where it was, by half the step.
static IntegratorOutcome advance(void *self, double until, double *t, double *y)
{
    Cvode *cvode = self;
    double from = cvode->t;
    bool far;
    IntegratorOutcome outcome = step_once(cvode, until, t, y, &far);
    while (far) {
        double half = (cvode->t - from) / 2;
        if (half <= roundings(from, from, 2) || !start(cvode, from, y, half))
            return outcome;
        outcome = step_once(cvode, fmin(until, from + half), t, y, &far);
    }
    return outcome;
}

// The rate is that of the state, which the slope of the polynomial is only nearly.
static void between(const void *self, double t, double *y, double *rate)
{
    const Cvode *cvode = self;
    const IntegratorProblem *problem = &cvode->base.problem;
    size_t bytes = problem->count * sizeof *y;
    N_Vector value = N_VClone(cvode->state);
    if (value && CVodeGetDky(cvode->stepper, t, 0, value) == CV_SUCCESS)
        memcpy(y, N_VGetArrayPointer(value), bytes);
    bool found = problem->rate(problem->context, t, y, rate);
    if (value && !found && CVodeGetDky(cvode->stepper, t, 1, value) == CV_SUCCESS)
        memcpy(rate, N_VGetArrayPointer(value), bytes);
    if (value)
        N_VDestroy(value);
}

const IntegratorMethod integrator_bdf = {.create = create_bdf,
                                         .destroy = destroy,
                                         .start = start,
                                         .step = advance,
                                         .between = between,
                                         .next_step = next_step,
                                         .counts = counts_of,
                                         .message = message_of};
const IntegratorMethod integrator_adams = {.create = create_adams,
                                           .destroy = destroy,
                                           .start = start,
                                           .step = advance,
                                           .between = between,
                                           .next_step = next_step,
                                           .counts = counts_of,
                                           .message = message_of};
