// rates_elimination.c: the rates by elimination on the definitions: u' from the accelerations that
// Gauss's principle gives (elimination.h), of several ways the one with the fewest operations.
#include "dynamics/elimination.h"
#include "dynamics/equations_types.h"
#include "dynamics/rates.h"
#include "dynamics/rates_impl.h"
#include "dynamics/stop_request.h"
#include "expr/arithmetic.h"
#include "linalg/tolerances.h"
#include "model/system.h"
#include "motion/definitions.h"
#include "program/native.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Series of fewer sums over all orders are soon done.
enum { LEAST_SUMS = 64 };

typedef struct {
    RatesBuilder *builder;
    const Definitions *definitions;
    const Expr *inputs;
    const double *state; // their numbers
    size_t input_count, parameters;
    const Expr *guesses;   // of series, n + m; NULL: none
    bool defined;          // the builder has the velocities; else the definitions give them
    ProgramValue *outputs; // q' | u', and what the guesses are
    size_t output_count;
} Making;

// ---- One way.

static bool lower(const Making *making, Assembly *assembly, Expr e, ProgramValue *value)
{
    return assembly_lower(assembly, builder_fixed(making->builder, e), value);
}

// Velocities that are not speeds are functions of them; with the pivots that these were found by.
static bool define_velocities(const Making *making, Assembly *assembly, EliminationResult *result)
{
    const RatesBuilder *builder = making->builder;
    size_t count = builder->pivots.count;
    for (size_t i = 0; i < builder->definitions.count; i++) {
        ProgramValue value;
        if (!assembly_lower(assembly, builder->definitions.at[i].value, &value))
            return false;
        assembly_define(assembly, builder->definitions.at[i].symbol, value);
    }
    *result = (EliminationResult){.pivots = arena_array(builder->arena, ProgramValue, count + 1)};
    for (; result->pivot_count < count; result->pivot_count++)
        if (!assembly_lower(assembly, builder->pivots.at[result->pivot_count],
                            &result->pivots[result->pivot_count]))
            return false;
    return true;
}

// The same by elimination on the definitions, where conditions are about velocities of points.
static bool eliminate_velocities_for(const Making *making, Assembly *assembly,
                                     EliminationOptions options, EliminationResult *result)
{
    RatesBuilder *builder = making->builder;
    const Motion *motion = builder->motion;
    const SpeedChoice *choice = &builder->state->speeds;
    EliminationSpeed *speeds = arena_array(builder->arena, EliminationSpeed, builder->k + 1);
    for (size_t alpha = 0; alpha < builder->k; alpha++) {
        const MotionSpeed *own = choice->own ? &motion->state.speeds[alpha] : NULL;
        bool declared = own && (own->declared || own->orthonormal);
        speeds[alpha] = (EliminationSpeed){.symbol = builder_speed(builder, alpha)};
        if (declared) {
            speeds[alpha].y = own->y;
            speeds[alpha].y0 = own->y0;
        } else
            speeds[alpha].index = own ? own->index : choice->chosen[alpha];
    }
    if (!eliminate_velocities(making->definitions, options, speeds, assembly, builder->fixed,
                              builder->arena, result))
        return false;
    for (size_t nu = 0; nu < builder->n; nu++)
        assembly_define(assembly, motion->v[nu], result->accelerations[nu]);
    return true;
}

// u' of a declared speed: Σ y_ν q''_ν and what it changes by for q'' = 0.
static bool declared_rate(const Making *making, Assembly *assembly, const MotionSpeed *speed,
                          const ProgramValue *accelerations, ProgramValue *rate)
{
    const Motion *motion = making->builder->motion;
    if (!lower(making, assembly, expr_rate(motion->dt_still, speed->value), rate))
        return false;
    for (size_t nu = 0; nu < motion->n; nu++) {
        ProgramValue factor;
        if (expr_is_zero(motion->pool, speed->y[nu]))
            continue;
        if (!lower(making, assembly, speed->y[nu], &factor))
            return false;
        *rate = assembly_add(assembly, *rate, assembly_mul(assembly, factor, accelerations[nu]));
    }
    return true;
}

static bool make_outputs(const Making *making, Assembly *assembly, const EliminationResult *result)
{
    const RatesBuilder *builder = making->builder;
    const Motion *motion = builder->motion;
    const SpeedChoice *speeds = &builder->state->speeds;
    size_t n = builder->n;
    bool found = true;
    for (size_t nu = 0; nu < n && found; nu++)
        found = assembly_lower(assembly, motion->v[nu], &making->outputs[nu]);
    for (size_t alpha = 0; alpha < builder->k && found; alpha++) {
        const MotionSpeed *speed = speeds->own ? &motion->state.speeds[alpha] : NULL;
        ProgramValue *rate = &making->outputs[n + alpha];
        if (speed && (speed->declared || speed->orthonormal))
            found = declared_rate(making, assembly, speed, result->accelerations, rate);
        else
            *rate = result->accelerations[speed ? speed->index : speeds->chosen[alpha]];
    }
    for (size_t i = n + builder->k; i < making->output_count; i++)
        making->outputs[i] = result->accelerations[i - n - builder->k];
    return found;
}

// The mean of moments that has become a number.
static void keep_mean(Assembly *assembly, const EliminationResult *result,
                      RatesDecisions *decisions)
{
    double *moments = base_alloc((result->moment_count + 1) * sizeof *moments);
    for (size_t i = 0; i < result->moment_count; i++)
        moments[i] = assembly_sample(assembly, result->moments[i]);
    decisions_add_mean(decisions, assembly_program(assembly, result->moments, result->moment_count),
                       elimination_mean(moments, result->moment_count));
    base_free(moments);
}

// That every pivot was one; `result` is NULL where there is none.
static void keep_decisions(Assembly *assembly, const EliminationResult *result,
                           RatesDecisions *decisions)
{
    if (assembly_samples_decide(assembly))
        decisions_refuse(decisions);
    else if (result)
        decisions_add_sizes(
            decisions, assembly_program(assembly, result->checks, result->check_count), TOL_RANK);
    if (result && result->moment_count > 0)
        keep_mean(assembly, result, decisions);
}

// The pivots of the velocities, beside those of the accelerations.
static void add_pivots(Arena *arena, const EliminationResult *velocities, EliminationResult *result)
{
    size_t own = result->pivot_count, more = velocities->pivot_count;
    if (more == 0)
        return;
    ProgramValue *all = arena_array(arena, ProgramValue, own + more + 1);
    memcpy(all, velocities->pivots, more * sizeof *all);
    memcpy(all + more, result->pivots, own * sizeof *all);
    result->pivots = all;
    result->pivot_count = own + more;
}

// The assembly of one way; NULL where it does not serve.
static Assembly *try(const Making *making, EliminationOptions options, Arena *arena,
                     EliminationResult *result)
{
    RatesBuilder *builder = making->builder;
    Assembly *assembly = assembly_new(builder->pool, making->inputs, making->input_count, false);
    assembly_sample_at(assembly, making->state);
    assembly_set_parameters(assembly, making->parameters);
    EliminationResult velocities = {0};
    bool made = options.vectors || !making->defined
                    ? eliminate_velocities_for(making, assembly, options, &velocities)
                    : define_velocities(making, assembly, &velocities);
    const Definitions *definitions = making->definitions;
    made = made && (making->guesses
                        ? eliminate_residual(definitions, options, making->guesses, assembly,
                                             builder->fixed, arena, result)
                        : eliminate(definitions, options, assembly, builder->fixed, arena, result));
    if (builder->recipe.decisions)
        keep_decisions(assembly, made ? result : NULL, builder->recipe.decisions);
    if (made && make_outputs(making, assembly, result)) {
        add_pivots(arena, &velocities, result);
        return assembly;
    }
    assembly_free(assembly);
    return NULL;
}

// ---- The shortest.

typedef struct {
    EliminationOptions options;
    Assembly *assembly; // NULL: none
    ProgramValue *outputs;
    EliminationResult result;
    size_t operations;
} Way;

static Way make_way(Making *making, EliminationOptions options)
{
    const RatesBuilder *builder = making->builder;
    Way way = {.options = options,
               .operations = SIZE_MAX,
               .outputs = arena_array(builder->arena, ProgramValue, making->output_count)};
    making->outputs = way.outputs;
    way.assembly = try(making, options, builder->arena, &way.result);
    if (way.assembly)
        way.operations = assembly_operations(way.assembly, way.outputs, making->output_count);
    return way;
}

// The ways differ by a fifth at most. So no other way is tried where the first takes a quarter more
// than `most` operations.
static Way shortest_of(Making *making, const EliminationOptions *ways, size_t count, size_t most)
{
    Way best = make_way(making, ways[0]);
    bool turns = making->definitions->frame_count > 1;
    for (size_t i = 1; i < count && turns; i++) {
        bool ends = !stop_not_requested(making->builder->recipe.state->stop);
        if (ends || (best.assembly && best.operations - best.operations / 5 > most))
            break;
        Way other = make_way(making, ways[i]);
        bool shorter = other.operations < best.operations;
        assembly_free(shorter ? best.assembly : other.assembly);
        best = shorter ? other : best;
    }
    return best;
}

static Way shortest_way(Making *making, size_t most)
{
    static const EliminationOptions ways[] = {{.still = true, .regrouped = true, .moved = true},
                                              {.regrouped = true, .moved = true},
                                              {.still = true, .regrouped = true},
                                              {.regrouped = true},
                                              {.still = true},
                                              {.still = false}};
    static const EliminationOptions by_vectors[] = {
        {.regrouped = true, .vectors = true},
        {.regrouped = true, .moved = true, .vectors = true},
        {.still = true, .vectors = true},
        {.vectors = true}};
    Way best = {0};
    if (definitions_have_long_rows(making->definitions))
        best = shortest_of(making, by_vectors, sizeof by_vectors / sizeof *by_vectors, most);
    return best.assembly ? best : shortest_of(making, ways, sizeof ways / sizeof *ways, most);
}

// ---- All.

// Which output each input's rate is; parameters are no inputs any more.
static int *rates_of(const Making *making)
{
    size_t inputs = making->input_count - making->parameters;
    size_t state = making->builder->n + making->builder->k;
    int *rates = arena_array(making->builder->arena, int, inputs + 1);
    rates[0] = PROGRAM_RATE_ONE;
    for (size_t i = 1; i < inputs; i++)
        rates[i] = i <= state ? (int)i - 1 : PROGRAM_RATE_SOLVED - (int)(i - 1);
    return rates;
}

// The same with accelerations and multipliers as further inputs and outputs.
static Making with_guesses(const Making *making)
{
    RatesBuilder *builder = making->builder;
    const Motion *motion = builder->motion;
    size_t known = making->input_count, guesses = motion->n + motion->m;
    Expr *inputs = arena_array(builder->arena, Expr, known + guesses);
    double *state = arena_array(builder->arena, double, known + guesses);
    memcpy(inputs, making->inputs, known * sizeof *inputs);
    memcpy(state, making->state, known * sizeof *state);
    for (size_t i = 0; i < guesses; i++) {
        char name[48];
        snprintf(name, sizeof name, "guess %zu", i);
        inputs[known + i] = expr_symbol(builder->pool, name);
        state[known + i] = 1; // no decision asks for it
    }
    Making more = *making;
    more.inputs = inputs;
    more.state = state;
    more.guesses = inputs + known;
    more.input_count += guesses;
    more.output_count += guesses;
    return more;
}

// Equations that series solve order by order, in the way of these rates, so that the pivots that
// are watched are theirs; where they save a quarter of the sums over all orders.
static void solve_series(const Making *making, EliminationOptions options, Rates *rates)
{
    const Program *program = rates->program.program;
    if (!making->builder->recipe.series || !rates_can_flow(rates) || program_has_switches(program))
        return;
    size_t sums = program_flow_sums(program, rates_of(making));
    if (sums <= LEAST_SUMS)
        return;
    Making solving = with_guesses(making);
    Way way = make_way(&solving, options);
    if (!way.assembly)
        return;
    Program *solved = assembly_program(way.assembly, way.outputs, solving.output_count);
    assembly_free(way.assembly);
    if (program_flow_sums(solved, rates_of(&solving)) >= sums - sums / 4) {
        program_free(solved);
        return;
    }
    program_set_parameters(solved, builder_parameters(making->builder));
    rates->solving = solved;
    rates->guesses = solving.input_count - making->input_count;
}

static bool finish(Making *making, size_t most, Rates *rates)
{
    const RatesBuilder *builder = making->builder;
    Way way = shortest_way(making, most);
    if (!way.assembly)
        return false;
    *rates = (Rates){.n = builder->n, .k = builder->k, .eliminated = true};
    Program *program = assembly_program(way.assembly, way.outputs, making->output_count);
    Program *pivots = assembly_program(way.assembly, way.result.pivots, way.result.pivot_count);
    const double *parameters = builder_parameters(builder);
    program_set_parameters(program, parameters);
    program_set_parameters(pivots, parameters);
    evaluator_adopt(&rates->program, program);
    evaluator_adopt(&rates->pivots, pivots);
    assembly_free(way.assembly);
    rates->least = rates_least_pivot(rates, making->state + making->parameters);
    if (way.operations < most)
        solve_series(making, way.options, rates);
    return true;
}

// The parameters, then the inputs.
static const double *state_of(const RatesBuilder *builder, size_t parameters)
{
    size_t count = 1 + builder->n + builder->k;
    double *state = arena_array(builder->arena, double, parameters + count);
    if (parameters > 0)
        memcpy(state, builder_parameters(builder), parameters * sizeof *state);
    memcpy(state + parameters, builder_inputs(builder, false), count * sizeof *state);
    return state;
}

// With velocities by formulas from all conditions at once, or by the definitions.
static bool eliminate_by(Rates *rates, const Recipe *recipe, const Definitions *definitions,
                         bool defined, size_t most)
{
    RatesBuilder builder;
    bool made = true;
    if (defined)
        made = rates_builder_velocities(&builder, recipe);
    else
        rates_builder_parameters(&builder, recipe);
    if (made && !builder.all_velocities) {
        size_t parameters = recipe->inputs ? builder_parameter_count(&builder) : 0;
        size_t count = parameters + 1 + builder.n + builder.k;
        Expr *inputs = arena_array(builder.arena, Expr, count), *at = inputs + parameters;
        if (parameters > 0)
            builder_parameter_symbols(&builder, inputs);
        *at++ = recipe->motion->model->t;
        memcpy(at, recipe->motion->q, builder.n * sizeof *inputs);
        for (size_t alpha = 0; alpha < builder.k; alpha++)
            at[builder.n + alpha] = builder_speed(&builder, alpha);
        Making making = {.builder = &builder,
                         .definitions = definitions,
                         .inputs = inputs,
                         .state = state_of(&builder, parameters),
                         .input_count = count,
                         .parameters = parameters,
                         .defined = defined,
                         .output_count = builder.n + builder.k};
        made = finish(&making, most, rates);
    }
    made = made && !builder.all_velocities;
    rates_builder_clear(&builder);
    return made;
}

bool rates_eliminate(Rates *rates, const Recipe *recipe, size_t most)
{
    const Equations *eq = recipe->eq;
    assert(!recipe->symbolic && !recipe->bound_late);
    *rates = (Rates){.n = eq->n, .k = eq->k, .eliminated = true};
    const char *why;
    // Nets of rows are solved by sparse factors, sooner than by formulas.
    if (eq->m > 0 && eq->sparse_velocities && eq->sparse_forces)
        return false;
    // Who waits for the end of the run waits for one elimination at most.
    Definitions *definitions =
        stop_not_requested(recipe->state->stop) ? definitions_new(recipe->motion, &why) : NULL;
    if (!definitions)
        return false;
    // Particles that lie on each other come to rest, where linear solves give 0 to the last bit.
    bool resting = recipe->motion->side_count > 0 && definitions->frame_count == 1;
    // Formulas from all conditions at once take the square of many coordinates.
    bool many = eq->m > 0 && eq->n > SIZE_SMALL;
    bool made = !resting && ((many && eliminate_by(rates, recipe, definitions, false, most)) ||
                             eliminate_by(rates, recipe, definitions, true, most));
    definitions_free(definitions);
    return made;
}
