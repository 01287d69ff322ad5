// rates_impl.h: the motion's rates in the making. Only for rates.c, motion_formulas.c and the
// sources rates_*.c that help them.
#ifndef ZWANG_DYNAMICS_RATES_IMPL_H
#define ZWANG_DYNAMICS_RATES_IMPL_H

#include "dynamics/rates_decisions.h"
#include "motion/motion_types.h"
#include "program/program.h"

typedef struct Equations Equations; // dynamics.h
typedef struct Rates Rates;         // rates.h
typedef struct State State;

// Of two ways the one with fewer operations, once that is known.
typedef enum { SHORTER_OPEN, SHORTER_FIRST, SHORTER_SECOND } Shorter;
typedef struct {
    Shorter gammas;     // of the conditions as they were written, or of their rows
    Shorter velocities; // as the motion has solved for them, or by elimination
} ShorterWays;

// Of what and how the equations are made.
typedef struct {
    const Equations *eq;
    State *state;
    Motion *motion;
    bool symbolic;   // parameters stay symbols; else they have their numbers
    bool inputs;     // … when the program is there: it is parametrized
    bool bound_late; // … but not before the program is there: what they share is seen until then
    bool together;   // bodies together; else each by itself
    bool mixed;      // not Kane's: what asks for accelerations is not what gives reactions
    bool all_velocities; // of mixed ones: all velocities are speeds, and all multipliers unknown
    bool solved;         // by formulas, for u'
    bool brief;          // soon left again: the first that are there will do
    bool series;         // these are asked for: solved order by order, where that is shorter
    double effort;       // for simplifying; NAN: nothing is simplified
    RatesDecisions *decisions; // takes down what numbers decide; NULL: nobody asks again
    // Found once for all recipes that differ in nothing that velocities depend on; NULL: each time.
    ShorterWays *shorter;
} Recipe;

// The name of every expression that has one, by its index.
typedef struct {
    uint32_t *at;
    size_t count;
} ExprNames;

// Where parameters are inputs: what holds them alone has names of its own.
typedef struct {
    Expr *scales;   // n: typical sizes of the velocities, parameters like the others
    bool *constant; // of every expression, by its index: whether it holds parameters alone
    size_t constant_count, constant_room;
    ARRAY(ProgramDefinition) names;
    Expr *gathered; // of every expression: the same with one constant for each term; or none
    size_t gathered_room;
} ParameterNames;

// Expressions in t, q, u and in symbols of our own, each of which is defined by one expression
// and stands for a number that is worked out once.
typedef struct RatesBuilder {
    Arena *arena; // of all that is made on the way
    Motion *motion;
    const Equations *eq;
    const State *state;
    ExprPool *pool;
    size_t n, k;
    bool all_velocities; // they are the speeds
    Recipe recipe;
    ExprSubst *fixed;   // parameters to their numbers
    ExprSubst *reduced; // q' and q'' to their values, where these are single products
    ARRAY(ProgramDefinition) definitions;
    ExprNames names;
    Expr *B, *C;          // q' = B·u + C; n × k and n
    Expr *matrix, *right; // matrix·u' = right; k × k and k
    // Of mixed ones: the displacements on which no reaction does work, n × free, else NULL; and the
    // conditions whose multipliers are unknown too, by which matrix and right are larger.
    Expr *E;
    size_t free;
    const MotionRow **unknown;
    size_t unknown_count;
    bool implicit;      // some of them are not affine in q''
    ARRAY(Expr) pivots; // of every pivot that moves: what it is, then what it is measured by
    double effort;      // left of the recipe's
    ParameterNames parameters;
} RatesBuilder;

// ---- rates_builder.c: velocities, parameters, and names for what is used more than once.
// The velocities and the equations for u', not yet solved; false where there are none. To be
// cleared in any case.
bool rates_builder_make(RatesBuilder *builder, const Recipe *recipe);
// The velocities alone: nothing to be defined where they are the speeds.
bool rates_builder_velocities(RatesBuilder *builder, const Recipe *recipe);
// Nothing but the parameters.
void rates_builder_parameters(RatesBuilder *builder, const Recipe *recipe);
void rates_builder_clear(RatesBuilder *builder);
// The symbol of a speed in use.
Expr builder_speed(const RatesBuilder *builder, size_t alpha);
// What the speeds are at the present state.
void builder_speeds(const RatesBuilder *builder, double *u);
// With the parameters' numbers.
Expr builder_fixed(RatesBuilder *builder, Expr e);
// The same with q', q'' replaced where they are short: not for what is yet to be differentiated.
Expr builder_reduced(RatesBuilder *builder, Expr e);
// A name for e, unless it is as short as a name itself; a rational factor stays outside.
Expr builder_name(RatesBuilder *builder, Expr e);
// A name for what holds parameters alone.
Expr builder_name_constant(RatesBuilder *builder, Expr e);
// The same where builder_name would let it go on without.
Expr builder_name_always(RatesBuilder *builder, Expr e);
// How symbols change that move along column alpha of B; the caller frees it.
ExprRates *builder_along(const RatesBuilder *builder, const Expr *symbols, size_t alpha);
// Outputs as a program of t | q | u, after the parameters where these are symbols; NULL where one
// has no value.
Program *builder_lower(RatesBuilder *builder, const Expr *outputs, size_t count);
// The inputs of such a program at the present state, with the parameters or without.
double *builder_inputs(const RatesBuilder *builder, bool parameters);
// Where parameters are inputs: how many numbers they are, with the typical sizes of velocities;
// these numbers; and their symbols.
size_t builder_parameter_count(const RatesBuilder *builder);
double *builder_parameters(const RatesBuilder *builder);
void builder_parameter_symbols(const RatesBuilder *builder, Expr *symbols);

// ---- rates_parameters.c
// Whether an expression is a number, or will be one as soon as the parameters are.
bool builder_is_constant(RatesBuilder *builder, Expr e);
// e as constant·rest.
void builder_take_constant(RatesBuilder *builder, Expr e, Expr *constant, Expr *rest);
// The same expressions with one constant for each term of a sum and for each product.
void builder_gather_constants(RatesBuilder *builder, Expr *exprs, size_t count);

// ---- rates.c
// The recipe of the shortest rates, symbolic or not as it says already; false where there are
// none.
bool rates_recipe(Recipe *recipe);

// ---- rates_elimination.c
// The rates by elimination on the definitions; false where that does not serve. `most` operations
// are wanted; SIZE_MAX: as few as can be.
bool rates_eliminate(Rates *rates, const Recipe *recipe, size_t most);

// ---- rates_kane.c: Kane's equations for u'; bodies together or each by itself. False where the
// run is to end meanwhile.
bool builder_equations(RatesBuilder *builder, bool together);

// ---- rates_bodies.c
// Adds what masses, bodies and their weights give, worked out along world's axes and about the
// origin; `along` takes derivatives along the columns of B.
void builder_add_bodies(RatesBuilder *builder, ExprRates **along);

// ---- rates_mixed.c: the equations for u' where servos, conditions that are not linear in the
// velocities or conditions on accelerations are. False where there are none.
bool builder_mixed(RatesBuilder *builder);
// 𝓜 q'' + h − Σ λ d with these rows, n; with a builder, as its names of what has numbers.
void rates_balance(Motion *motion, const MotionRow *const *rows, size_t count, Arena *arena,
                   RatesBuilder *builder, Expr *out);

// ---- rates_linear.c: linear equations by formulas, zeros exploited.
// A matrix in pivot order: row after row; left of the pivots and below them the multipliers.
typedef struct {
    RatesBuilder *builder;
    const Expr *given;        // the matrix as it was
    const double *scale;      // of the unknowns; NULL: 1
    Expr *entries, *inverses; // count × n, count: of the pivots
    size_t *rows, *columns;   // in the order of the pivots
    size_t *in_columns;       // how many entries each column has in rows without a pivot
    // Rows and columns, of which those that no pivot needs are left as they are; the numbers of the
    // entries at the present state, scaled.
    PivotSearch search;
} Elimination;
// Pivots are chosen by the entries at the present state, the unknowns in units of `scale`. False
// where no pivot is left for a row.
bool elimination_init(Elimination *elimination, RatesBuilder *builder, size_t count, size_t n,
                      const Expr *matrix, const double *scale);
// The unknowns of the pivots' columns; the others are taken as 0, and left alone in x.
void elimination_solve(const Elimination *elimination, const Expr *right, Expr *x);
// x of the builder's matrix·x = right, which is symmetric and positive; both are used up.
void builder_solve_symmetric(RatesBuilder *builder, Expr *x);

// ---- rates_sums.c: sums in fewer operations.
// Σ coefficients[i]·variables[i] + rest.
Expr sum_affine(ExprPool *pool, const Expr *coefficients, const Expr *variables, size_t count,
                Expr rest);
// The same expressions, with what the terms of a sum share taken out of it.
void sums_factor(ExprPool *pool, Expr *exprs, size_t count);

#endif
