// export_impl.h: a motion on its way out. Never leaves the room.
#ifndef ZWANG_EXPORT_IMPL_H
#define ZWANG_EXPORT_IMPL_H

#include "dynamics/equations_types.h"
#include "dynamics/motion_formulas.h"
#include "export/export.h"
#include "program/native.h"

// A language, as far as it is needed to name things and to write statements.
typedef struct {
    ProgramTongue tongue;
    const char *open, *close; // of an index: [ ] or ( )
    size_t first;             // index
    const char *comment;      // what a line of comment begins with
    const char *const *words; // that a name may not be; the last is NULL
    const char *const *calls; // nor may the system's be these, which the text calls; NULL: any
    // Of scripts: quotes, and what stands before, between and behind a parameter and its value.
    const char *quote;
    const char *param[3];
    // Of a table: before its kinds, before and behind a row of numbers and where its lines are
    // broken, before and behind the rows of coefficients, behind it.
    const char *table[7];
} Language;

// Symbols or values, in order.
typedef ARRAY(Expr) ExprRow;

// Everything in the order of the motion.
typedef struct {
    Arena *arena;
    Motion *motion;
    const Model *model;
    const ExportOrigin *origin;
    const Language *language;
    // Where one-sided conditions act at the start: the equations with these, and the start.
    Equations *acting;
    State *state;
    RunFormulas formulas;
    size_t n, k, m, sides, params; // no parameters where these are fixed
    // Which of the model's these are: all in an FMU; else those that are inputs are apart, an
    // argument u of their own.
    const size_t *param_at, *input_at;
    size_t inputs;
    ExprSubst *numbers; // then: their numbers; of an FMU: functions as they are switched
    ExprRow switches,
        modes; // of an FMU: arguments of functions that switch, symbols of their signs
    const MotionRow **conditions; // m, all in force
    const MotionRow **side_rows;  // one-sided ones, without those that are in force
    size_t held_count;            // how many are in force
    bool *kept;                   // m: the others follow from these along the motion
    bool shared;                  // so that some are left out, and reactions are shared with them
    bool parted;     // what acts on the speeds is not what a side asks of them (RunFormulas)
    bool all;        // velocities are in the state
    size_t unknowns; // of the equations that are solved in numbers: u', and some multipliers
    double to, every, tolerance;
    double *param_values; // of all of the model's, as they are set
    double *q, *u;        // the start
    bool has_energy;
    // Names in the language.
    const char *system;
    const char **param_names, **input_names, **coord_names, **speed_names, **condition_names,
        **residual_names, **side_names, **output_names;
    size_t residuals; // conditions that are told
    // Here t is followed by the inputs, where these are apart.
    // p | t → the inputs, as the model says
    Program *signals;
    // p | t | q | u → q' | u', or q' | matrix | right where these are solved in numbers; where
    // that is by iteration the unknowns are inputs too.
    Program *rates;
    // The same and dq | du → how these change in that direction; of iterated ones q' and right.
    Program *slopes;
    // p | t | q | u → q''; also u' where that is solved for in numbers
    Program *accelerations;
    // p | t | q | q' | q'' → directions of the reactions (m × n) | W − K (n); λ is an input too
    // where forces hold it not linearly
    Program *reactions;
    // p | t | q | q' | q'' | λ → energy (0 where there is none) | residuals | outputs
    Program *quantities;
    // p | t | q | u, and u' where that is solved for in numbers → of each side f, f', Φ⁰, its row
    // in the speeds, and what it does to them where that is not the same; matrix
    Program *instant;
    // p | t | q | u → what the state misses of the conditions that integration lets drift, and how
    // that changes with q | u, a row each
    Program *drifts;
    size_t drift_count;
    // p | t | q | u → what is at most 0 as long as nothing has happened that is left out
    Program *validity;
    size_t limits;
    // p | t | q | q' | q'' | λ → the same of frictions, which is measured by the reactions
    Program *cones;
    size_t cone_count;
    // The last two of them are where the speeds cease to determine the velocities.
    bool guards_speeds;
    Text left_out; // what it is, for the head
    // p → all parameters, each as its value says, or as it is where that is a number
    Program *follow;
} Exported;

// ---- export_programs.c
BASE_MUST_USE Status exported_init(Exported *exported, Simulation *run, Motion *motion,
                                   const Language *language, const ExportOrigin *origin, Diag *diag,
                                   RunFormulasRoom **room);
void exported_clear(Exported *exported);
// Rows of symbols: parameters; p | t | q; p | t | q | u; u' where that is solved for in numbers;
// what a host sets.
void exported_push(ExprRow *row, const Expr *exprs, size_t count);
void exported_push_params(const Exported *exported, ExprRow *row);
void exported_push_place(const Exported *exported, ExprRow *row);
void exported_push_state(const Exported *exported, ExprRow *row);
void exported_push_found_rates(const Exported *exported, ExprRow *row);
void exported_push_inputs(const Exported *exported, ExprRow *row);
// Σ_ν b_ν times each of `count` columns.
void exported_push_products(const Exported *exported, const Expr *b, const Expr *columns,
                            size_t count, ExprRow *outputs);
// What reactions act along and what they have to be; energy, residuals, outputs.
void exported_push_reactions(const Exported *exported, ExprRow *outputs);
void exported_push_quantities(const Exported *exported, ExprRow *outputs);
// Programs, with the definitions of the formulas or without; the rows are let go. NULL where
// something has no value. Along a direction: how the values change; the inputs then end with a
// direction for each symbol that moves.
Program *exported_lower(const Exported *exported, bool defined, ExprRow *inputs, ExprRow *outputs);
Program *exported_lower_along(const Exported *exported, bool defined, ExprRow *inputs,
                              ExprRow *moving, ExprRow *values);
// The values of expressions in the state, at the start; NaN where there are none.
typedef void StartValuesFn(const Exported *exported, const ExprRow *exprs, double *values);
StartValuesFn exported_start_values;
// speed_choice_limit.c: what vanishes where the speeds cease to determine the velocities; 0 where
// nothing in the state does, or the matter is too large.
Expr speed_choice_limit(const Exported *exported, StartValuesFn *values);
// What may have happened where the code is not valid.
const char *exported_end(const Exported *exported);
// Whether the unknowns are found by iteration.
static inline bool exported_iterates(const Exported *exported)
{
    return exported->formulas.implicit;
}
// Whether forces hold reactions not linearly: the last of the unknowns are these then.
static inline bool exported_bends(const Exported *exported)
{
    return exported->motion->bends;
}
// The model's own of a parameter, or of an input that is apart.
static inline const ModelParam *exported_param(const Exported *exported, size_t param)
{
    return &exported->model->params.at[exported->param_at[param]];
}
static inline const ModelParam *exported_input(const Exported *exported, size_t input)
{
    return &exported->model->params.at[exported->input_at[input]];
}
// Whether a parameter is an input, which a host sets; how many are.
bool exported_is_input(const Exported *exported, size_t param);
size_t exported_inputs(const Exported *exported);
// Whether something is left out that may happen.
static inline bool exported_leaves_out(const Exported *exported)
{
    return exported->limits > 0 || exported->held_count > 0 || exported->cone_count > 0;
}
// Whether a condition is one-sided, and in force.
static inline bool exported_is_held(const Exported *exported, size_t condition)
{
    return exported->conditions[condition]->constraint->kind == CONSTRAINT_ONE_SIDED;
}
// Whether a row beside the equations is a two-sided condition, which holds for a while.
static inline bool exported_is_two_sided(const MotionRow *side)
{
    return side->constraint->kind != CONSTRAINT_ONE_SIDED;
}
// Whether the value of a parameter is a formula in others, which follows them.
bool exported_follows(const Exported *exported, size_t param);

// ---- left_out.c
// An error for what the code cannot follow; where only the smooth motion is asked for, notes of
// what is left out, which `out` tells too.
BASE_MUST_USE Status left_out_check(const Motion *motion, const ExportOrigin *origin, Diag *diag,
                                    Text *out);
// Gives every function that switches a symbol for the sign of its argument.
void left_out_freeze(Exported *exported);
// An error for functions that switch and make velocities jump.
BASE_MUST_USE Status left_out_check_fmu(const Motion *motion, Diag *diag);
// Whether a one-sided condition is an equation of this motion, which may be NULL.
bool left_out_is_held(const Motion *acting, size_t side);
// What is at most 0 as long as no one-sided condition and no impulse has acted, in this order.
void left_out_limits(const Exported *exported, StartValuesFn *start_values, ExprRow *limits);
// The same of frictions, in the reactions: what sticks stays within its cone, and what presses from
// both sides keeps its sign.
void left_out_cones(const Exported *exported, ExprRow *cones);
// The arguments of functions that switch where these change their signs.
void left_out_switches(const Exported *exported, ExprRow *arguments);
// The same of events, whose functions are 0 where these act.
void left_out_triggers(const Exported *exported, ExprRow *arguments);

// ---- identifiers.c
// A name as the language allows it, unlike those that `taken` holds, where it is kept.
typedef ARRAY(const char *) NameSet;
const char *name_identifier(Arena *arena, const Language *language, const char *name,
                            NameSet *taken);
// A piece of text in which @ stands for the system's name. In C, where inputs are an argument, $*
// stands for it in the head of a function, $u in a call, $v in a list of what is not used, $(TIME)
// for the model's own at a time.
void name_template(const Exported *exported, const char *template, Text *out);
// The list of names that a program's statements use.
typedef struct {
    Arena *arena;
    ARRAY(const char *) at;
} NameList;
void names_add(NameList *names, const char *name);
// BEFORE + each name
void names_add_members(NameList *names, const char *before, const char *const *members,
                       size_t count);
// ARRAY[first], … as the language writes it; `from` counts from 0.
void names_add_places(const Exported *exported, NameList *names, const char *array, size_t from,
                      size_t count);
// The statements of a program, by its inputs' and outputs' names, which are let go.
void names_statements(const Exported *exported, const Program *program, NameList *inputs,
                      NameList *outputs, Text *out);

// ---- comments.c
// Lines of comment, in which nothing can end it.
void comment_add(const Language *language, const char *text, Text *out);
// What every text begins with: the system, the model, what was chosen, the equations.
void comment_head(const Exported *exported, const char *use, Text *out);
// The names of a list in a line of comment: "x, y, theta".
void comment_names(const char *const *names, size_t count, Text *out);
// A text as a part of a comment.
const char *comment_plain(Arena *arena, const char *text);

// The targets.
#define TARGET(NAME, word, function)                                                               \
    extern const Language function##_language;                                                     \
    void function(const Exported *exported, Text *source, Text *header);
#include "export/targets.def"
#undef TARGET

#endif
