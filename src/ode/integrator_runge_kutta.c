// integrator_runge_kutta.c: explicit Runge–Kutta steps of order 8 (ERK): DOP853 of E. Hairer, after
// Dormand and Prince.
//
// The figures: Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, 2nd ed. 1993,
// § II.10. Errors are estimated by comparisons of orders 5 and 3, the first step as in § II.4. The
// states inside a step come from rates (dense_output.c), to the order of the steps themselves.
//
// Accelerations that do not depend on velocities need fewer rates: nystrom.c.
//
// Driven here and not by SUNDIALS: with compiled rates its vectors and counters took several times
// what the rates take, 9 µs a step of Kepler's motion in the place of 0.5.
#include "linalg/tolerances.h"
#include "ode/runge_kutta_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef RungeKuttaWeight Weight;
enum { BLOCK = RUNGE_KUTTA_BLOCK };

// ---- The constants of the method.

// Where in a step each stage lies.
static const double nodes[] = {0,
                               0.0526001519587677318785587544488,
                               0.0789002279381515978178381316732,
                               0.118350341907227396726757197510,
                               0.281649658092772603273242802490,
                               0.333333333333333333333333333333,
                               0.25,
                               0.307692307692307692307692307692,
                               0.651282051282051282051282051282,
                               0.6,
                               0.857142857142857142857142857142,
                               1};
enum { STAGES = sizeof nodes / sizeof *nodes };
static_assert(STAGES <= (int)RUNGE_KUTTA_STAGES, "there is room for all stages");
// What each stage, and last the step itself, adds up.
static const Weight weights[STAGES + 1][STAGES] = {

    {{0, 0}},
    {{0, 0.0526001519587677318785587544488}},
    {{0, 0.0197250569845378994544595329183}, {1, 0.0591751709536136983633785987549}},
    {{0, 0.0295875854768068491816892993775}, {2, 0.0887627564304205475450678981324}},
    {{0, 0.241365134159266685502369798665},
     {2, -0.884549479328286085344864962717},
     {3, 0.924834003261792003115737966543}},
    {{0, 0.037037037037037037037037037037},
     {3, 0.170828608729473871279604482173},
     {4, 0.125467687566822425016691814123}},
    {{0, 0.037109375},
     {3, 0.170252211019544039314978060272},
     {4, 0.0602165389804559606850219397283},
     {5, -0.017578125}},
    {{0, 0.0370920001185047927108779319836},
     {3, 0.170383925712239993810214054705},
     {4, 0.107262030446373284651809199168},
     {5, -0.0153194377486244017527936158236},
     {6, 0.00827378916381402288758473766002}},
    {{0, 0.624110958716075717114429577812},
     {3, -3.36089262944694129406857109825},
     {4, -0.868219346841726006818189891453},
     {5, 27.5920996994467083049415600797},
     {6, 20.1540675504778934086186788979},
     {7, -43.4898841810699588477366255144}},
    {{0, 0.477662536438264365890433908527},
     {3, -2.48811461997166764192642586468},
     {4, -0.590290826836842996371446475743},
     {5, 21.2300514481811942347288949897},
     {6, 15.2792336328824235832596922938},
     {7, -33.2882109689848629194453265587},
     {8, -0.0203312017085086261358222928593}},
    {{0, -0.93714243008598732571704021658},
     {3, 5.18637242884406370830023853209},
     {4, 1.09143734899672957818500254654},
     {5, -8.14978701074692612513997267357},
     {6, -18.5200656599969598641566180701},
     {7, 22.7394870993505042818970056734},
     {8, 2.49360555267965238987089396762},
     {9, -3.0467644718982195003823669022}},
    {{0, 2.27331014751653820792359768449},
     {3, -10.5344954667372501984066689879},
     {4, -2.00087205822486249909675718444},
     {5, -17.9589318631187989172765950534},
     {6, 27.9488845294199600508499808837},
     {7, -2.85899827713502369474065508674},
     {8, -8.87285693353062954433549289258},
     {9, 12.3605671757943030647266201528},
     {10, 0.643392746015763530355970484046}},
    {{0, 0.0542937341165687622380535766363},
     {5, 4.45031289275240888144113950566},
     {6, 1.89151789931450038304281599044},
     {7, -5.8012039600105847814672114227},
     {8, 0.31116436695781989440891606237},
     {9, -0.152160949662516078556178806805},
     {10, 0.201365400804030348374776537501},
     {11, 0.0447106157277725905176885569043}},

};
static const size_t weight_counts[STAGES + 1] = {0, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 8};
// The weights of the comparison of order 3, and the error of that of order 5.
static const Weight third[] = {{0, 0.244094488188976377952755905512},
                               {8, 0.733846688281611857341361741547},
                               {11, 0.0220588235294117647058823529412}};
static const Weight fifth[] = {
    {0, 0.01312004499419488073250102996},  {5, -1.225156446376204440720569753},
    {6, -0.4957589496572501915214079952},  {7, 1.664377182454986536961530415},
    {8, -0.3503288487499736816886487290},  {9, 0.3341791187130174790297318841},
    {10, 0.08192320648511571246570742613}, {11, -0.02235530786388629525884427845}};
enum { THIRD = sizeof third / sizeof *third, FIFTH = sizeof fifth / sizeof *fifth };

// How many steps of it go over the length of a step of series: measured on arms and chains, which
// take from two thirds of this to twice as many.
double ode_erk_rates(double tolerance)
{
    assert(tolerance > 0);
    return STAGES * pow(tolerance / 8, -1.0 / 8) / 8;
}

// ---- Making and starting.

static bool init(OdeIntegrator *integrator)
{
    RungeKutta *method = (RungeKutta *)integrator;
    size_t count = integrator->problem.count;
    double **const arrays[] = {&method->now,        &method->next,      &method->rate,
                               &method->sum,        &method->scale,     &method->lost,
                               &method->difference, &method->velocities};
    assert(integrator->problem.rate);
    integrator->statistics.order = 8;
    method->width = (count + BLOCK - 1) / BLOCK * BLOCK;
    method->stages = integrator_numbers(integrator, RUNGE_KUTTA_STAGES * method->width + BLOCK);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = integrator_numbers(integrator, method->width + BLOCK);
    dense_output_init(&method->dense, &integrator->problem, integrator->arena);
    return true;
}

static bool start(OdeIntegrator *integrator, double t, const double *y, double step)
{
    RungeKutta *method = (RungeKutta *)integrator;
    size_t bytes = integrator->problem.count * sizeof *y;
    memmove(method->now, y, bytes);
    memset(method->lost, 0, bytes);
    method->step = step;
    method->length = INFINITY;
    method->error = 1;
    method->fresh = false;
    const OdeProblem *problem = &integrator->problem;
    method->nystrom = problem->is_nystrom && problem->is_nystrom(problem->program);
    if (method->nystrom)
        nystrom_dense_init(method);
    dense_output_begin(&method->dense, t, y);
    return true;
}

static double next_step(const OdeIntegrator *integrator)
{
    return ((const RungeKutta *)integrator)->step;
}

// ---- Stages.

// Σ weight·rate of some stages, for each part of whole blocks.
RUNGE_KUTTA_WIDE static void add_up(const RungeKutta *method, const Weight *some, size_t used,
                                    double *restrict sums)
{
    size_t width = method->width;
    for (size_t i = 0; i < width; i += BLOCK) {
        double total[BLOCK] = {0};
        for (size_t j = 0; j < used; j++) {
            const double *row = method->stages + some[j].from * width + i;
            const double weight = some[j].weight;
            for (size_t k = 0; k < BLOCK; k++)
                total[k] += weight * row[k];
        }
        for (size_t k = 0; k < BLOCK; k++)
            sums[i + k] = total[k];
    }
}

// The state that so much of the sums leads to.
RUNGE_KUTTA_WIDE static void move(const RungeKutta *method, double step, double *restrict y)
{
    size_t width = method->width;
    const double *now = method->now, *lost = method->lost, *sum = method->sum;
    for (size_t i = 0; i < width; i++)
        y[i] = now[i] + (step * sum[i] + lost[i]);
}

double runge_kutta_norm(const RungeKutta *method, const double *vector)
{
    double largest = 0;
    for (size_t i = 0; i < method->base.problem.count; i++) {
        double part = fabs(vector[i]) / method->scale[i];
        if (!(part <= largest))
            largest = isnan(part) ? INFINITY : part;
    }
    return largest;
}

// Whether the state at the end of a step, with its rate, was found.
static bool try_step(RungeKutta *method, double step, double t)
{
    const OdeProblem *problem = &method->base.problem;
    double *y = method->next, from = method->base.t;
    for (size_t i = 1; i <= STAGES; i++) {
        add_up(method, weights[i], weight_counts[i], method->sum);
        move(method, step, y);
        if (i < STAGES &&
            !runge_kutta_rate(method, from + nodes[i] * step, y, runge_kutta_stage(method, i)))
            return false;
    }
    if (problem->project && !problem->project(problem->context, t, y))
        return false;
    return runge_kutta_rate(method, t, y, method->rate);
}

// Of the step tried, in units of an eighth of what is allowed: errors add up over many steps.
static double error_of(const RungeKutta *method, double step)
{
    double *sum = method->sum, *difference = method->difference;
    add_up(method, third, THIRD, difference);
    for (size_t i = 0; i < method->base.problem.count; i++)
        difference[i] -= sum[i];
    double low = runge_kutta_norm(method, difference);
    add_up(method, fifth, FIFTH, difference);
    double high = runge_kutta_norm(method, difference),
           size = sqrt(high * high + low * low / EVENT_MARGIN);
    return size > 0 ? 8 * step * high * (high / size) : 0;
}

// ---- Stepping.

// A first step: what an explicit Euler step finds of the second derivative (§ II.4). The rate at
// the state is there.
static double first_step(RungeKutta *method)
{
    const OdeProblem *problem = &method->base.problem;
    const double *rate = runge_kutta_stage(method, 0);
    double size = runge_kutta_norm(method, method->now), speed = runge_kutta_norm(method, rate),
           longest = problem->max_step;
    double step = size > 0 && speed > 0 ? size / speed / EVENT_MARGIN : longest * TOL_SMALL;
    step = fmin(step, longest);
    for (size_t i = 0; i < problem->count; i++)
        method->next[i] = method->now[i] + step * rate[i];
    if (!runge_kutta_rate(method, method->base.t + step, method->next, method->sum))
        return step;
    for (size_t i = 0; i < problem->count; i++)
        method->sum[i] = (method->sum[i] - rate[i]) / step;
    double most = fmax(speed, runge_kutta_norm(method, method->sum));
    double guess = most > 0 ? pow(most * EVENT_MARGIN, -1.0 / 8) : longest;
    return fmin(fmin(EVENT_MARGIN * step, guess), longest);
}

// Not where the step went over something: a force that acts only for a while, or only somewhere,
// which a motion that is smooth all over does not have.
// The first step is looked at, and any that is much longer than the one before it; there the defect
// may be many times the error that is allowed.
static bool passes_nothing(RungeKutta *method, double t)
{
    double length = t - method->base.t;
    dense_output_end(&method->dense, t, method->next);
    bool leaps = length > 2 * method->length || isinf(method->length);
    if (!leaps || method->base.problem.smooth)
        return true;
    size_t points = ODE_MAX_ORDER - 1;
    double defect = method->nystrom ? nystrom_dense_defect(method, points)
                                    : dense_output_defect(&method->dense, points, method->scale);
    return defect * TOL_COARSE <= 1;
}

static void accept(RungeKutta *method, double step, double t)
{
    size_t count = method->base.problem.count;
    // A state that was projected is where it should be.
    for (size_t i = 0; i < count && !method->base.problem.project; i++)
        method->lost[i] += step * method->sum[i] - (method->next[i] - method->now[i]);
    memcpy(method->now, method->next, count * sizeof(double));
    method->t = t;
    method->fresh = true;
    method->length = step;
    method->base.statistics.steps++;
}

// By what the step after a good one may be longer. That of Nyström also looks back at the error
// before (K. Gustafsson, Control theoretic techniques for stepsize selection in explicit
// Runge–Kutta methods, ACM Trans. Math. Softw. 17, 1991): of the outer planets' steps it rejects
// none, where one in seven was.
static double growth_after(RungeKutta *method, double error)
{
    if (!method->nystrom)
        return 7.0 / 8 * pow(error, -1.0 / 8);
    double growth = 0.9 * pow(error, -0.8 / 7) * pow(method->error, 0.3 / 7);
    method->error = error;
    return growth;
}

// Tries shorter and shorter steps until one is good; its length, or 0 for none.
static double find_step(RungeKutta *method, double until, double *t, bool *has_rate)
{
    double from = method->base.t, left = until - from;
    // By which power of the step its error grows.
    double root = method->nystrom ? -1.0 / 7 : -1.0 / 8;
    for (bool first = true;; first = false) {
        bool whole = left - method->step <= (first ? TOL_STATE * fabs(until) : 0);
        double step = whole ? left : integrator_step_to_double(method->step, from);
        *t = whole ? until : from + step;
        if (!(whole && first) && integrator_is_short(step, from))
            return 0;
        *has_rate = (method->nystrom ? nystrom_try_step : try_step)(method, step, *t);
        double error =
            *has_rate ? (method->nystrom ? nystrom_error : error_of)(method, step) : INFINITY;
        if (error <= 1 && passes_nothing(method, *t)) {
            double growth = fmin(growth_after(method, fmax(error, TOL_SMALL)), first ? 6 : 1);
            // What was cut short by `until` tells nothing against the step before.
            method->step = fmax(growth * step, whole && first ? method->step : 0);
            return step;
        }
        method->base.statistics.rejected++;
        // Where there is no rate, and where something was passed over, much shorter.
        bool failed = !(error > 1 && isfinite(error));
        method->step = step * (failed ? 1.0 / 8 : fmax(7.0 / 8 * pow(error, root), 1.0 / 3));
    }
}

static OdeOutcome advance(OdeIntegrator *integrator, double until, double *t, double *y)
{
    RungeKutta *method = (RungeKutta *)integrator;
    const OdeProblem *problem = &integrator->problem;
    size_t bytes = problem->count * sizeof *y;
    double *rate = runge_kutta_stage(method, 0);
    problem->error_scale(problem->context, method->now, method->scale);
    dense_output_begin(&method->dense, integrator->t, method->now);
    if (method->fresh && method->t == integrator->t)
        memcpy(rate, method->rate, bytes);
    else if (!runge_kutta_rate(method, integrator->t, method->now, rate))
        return ODE_NO_RATE;
    if (!(method->step > 0))
        method->step = first_step(method);
    method->step = fmin(method->step, problem->max_step);
    double reached;
    bool has_rate = true;
    double step = find_step(method, until, &reached, &has_rate);
    if (step == 0)
        return has_rate ? ODE_STEP_UNDERFLOW : ODE_NO_RATE;
    accept(method, step, reached);
    *t = reached;
    memcpy(y, method->now, bytes);
    return ODE_STEPPED;
}

static void interpolate(OdeIntegrator *integrator, double t, double *y, double *rate)
{
    RungeKutta *method = (RungeKutta *)integrator;
    const OdeProblem *problem = &integrator->problem;
    if (method->nystrom) {
        nystrom_dense_state(method, t, y, rate);
        return;
    }
    dense_output_state(&method->dense, t, y);
    if (!problem->rate(problem->context, t, y, rate))
        memset(rate, 0, problem->count * sizeof *rate);
}

static bool places(OdeIntegrator *integrator, double t, double *y)
{
    const RungeKutta *method = (const RungeKutta *)integrator;
    if (method->nystrom)
        nystrom_places(method, t, y);
    return method->nystrom;
}

// From the accelerations at the stages, where these are the rates of the last half of the state:
// at least as large as all of them, and half as much again as they differ by.
static bool bends(const OdeIntegrator *integrator, double from, double length, size_t count,
                  double *bends)
{
    const RungeKutta *method = (const RungeKutta *)integrator;
    const DenseOutput *dense = &method->dense;
    if (!method->nystrom || from < dense->from ||
        from + length > dense->until + TOL_STATE * fabs(dense->until))
        return false;
    nystrom_bound(method, length * length, count, bends);
    return true;
}

static size_t expand(OdeIntegrator *integrator, double *about, double *unit, double *rows)
{
    RungeKutta *method = (RungeKutta *)integrator;
    return method->nystrom ? nystrom_dense_expand(method, about, unit, rows)
                           : dense_output_expand(&method->dense, about, unit, rows);
}

const IntegratorMethod integrator_erk = {
    sizeof(RungeKutta), init,   NULL,  start,  advance, interpolate,
    next_step,          expand, bends, places, 2.5,     NULL};
