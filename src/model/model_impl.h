// model_impl.h: what elaboration knows while it reads. Never leaves this room.
//
// Elaboration runs over the syntax tree as a machine runs over code: one loop over
// statements, one loop over the nodes of an expression, and explicit stacks for `for` and
// `sum`. An expression with an error has the value BAD; BAD is silent, so that one mistake
// gives one message.
#ifndef ZWANG_MODEL_IMPL_H
#define ZWANG_MODEL_IMPL_H

#include "expr/expr.h"
#include "model/dimensions.h"
#include "model/domains.h"
#include "model/model.h"
#include "model/model_equation.h"
#include "model/text_places.h"
#include "model/vectors.h"
#include "text/text.h"

// Node evaluations in one model; a loop over a range typed wrongly ends here, not in the night.
// A fuzzer waits for less.
#ifndef MODEL_MOST_STEPS
#define MODEL_MOST_STEPS (1 << 21)
#endif
// A statement counts as much as several nodes, and so does a turn of a vector.
enum { MODEL_STATEMENT_STEPS = 16, MODEL_TURN_STEPS = 8 };
// Names in one model, each element of an array counted; and conditions. Coordinates cost most:
// what is derived from them is matrices.
enum { MODEL_MOST_NAMES = 1 << 17 };
enum { MODEL_MOST_COORDS = 1 << 15 };
enum { MODEL_MOST_CONDITIONS = 1 << 13 };
// One-sided ones, which are looked at one by one, may be more: every pair of 300 balls.
enum { MODEL_MOST_SIDES = 1 << 16 };
enum { MODEL_MOST_INDICES = 8 };
enum { MODEL_MOST_ERRORS = 100 };

typedef enum {
    VALUE_BAD, // an error has been reported
    VALUE_SCALAR,
    VALUE_VECTOR,
    VALUE_POINT,
    VALUE_FRAME,
    VALUE_BODY,
    VALUE_MATRIX, // scalars in rows and columns
    VALUE_FAMILY, // the bare name of an array
    VALUE_PART,   // what a part made: its name is `word`
    VALUE_WORD    // a name that grows: lambda.NAME; any name where symbols are free
} ValueKind;

typedef struct Value {
    ValueKind kind;
    Dim dim;          // of scalars, vectors and points
    int8_t order;     // the highest derivative of a coordinate in it, −1 without coordinates
    bool timed;       // t stands in it
    bool multiplier;  // lambda.NAME stands in it
    uint64_t domains; // bits of the roots and logarithms that the text has in it: domains.c
    Expr scalar;
    Vector vector;          // of vectors and points
    uint32_t rows, columns; // of matrices; a column has one column
    Expr *entries;          // row by row
    Dim *dims;              // of each entry
    Frame frame;            // of frames and bodies
    uint32_t body;          // of bodies: among the model's
    uint32_t family;        // of VALUE_FAMILY: its name's entry
    uint32_t entry;         // of what a bare name stands for: its entry; else 0, or of no meaning
    const char *word;
} Value;

typedef enum {
    NAME_CONST,
    NAME_PARAM,
    NAME_LET,
    NAME_INPUT,
    NAME_STATE,
    NAME_FUNCTION,
    NAME_COORD,
    NAME_SPEED,
    NAME_POINT,
    NAME_FRAME,
    NAME_BODY,
    NAME_TEMPLATE, // `index`: its statement
    NAME_PART
} NameKind;

enum { NO_START = UINT32_MAX };

typedef struct NameEntry {
    Str name; // "q", "q[2]"
    NameKind kind;
    bool family;    // the bare name of an array; its elements are entries of their own
    uint32_t index; // among the model's parameters, coordinates, speeds
    Value value;
    Place place;
    uint32_t start, start_velocity; // among the model's starts, or NO_START
    uint32_t first, last, next;     // a family's elements in order; 0 is none
    uint32_t rank;                  // how many indices
    const int64_t *low, *high;      // a family's ranges where it was made as a whole, else NULL
    bool replaced; // a coordinate that is an abbreviation; a parameter that is a number where it is
                   // 0
    const ModelUnit *unit; // that it was declared in; NULL: none
} NameEntry;

typedef struct {
    Str name;
    int64_t value, high;
    bool of_sum;    // else of a statement
    uint32_t owner; // the statement, or the NODE_TOTAL, that it belongs to
    uint32_t at;    // which variable of a statement; the NODE_EACH of a sum
    uint32_t terms; // of a sum: how many terms there were when it began
    bool paired;    // the second of pairs: it begins behind the loop around it
    uint32_t low_node, high_node;
} Loop;

// The statements that add up: kinetic, potential, …
typedef enum {
    ENERGY_KINETIC,
    ENERGY_POTENTIAL,
    ENERGY_LAGRANGIAN,
    ENERGY_ACCELERATION,
    ENERGY_DISSIPATION,
    ENERGY_COUNT
} EnergyKind;

// What an expression may hold, each level more than the one before.
typedef enum { LEVEL_PARAM, LEVEL_TIME, LEVEL_PLACE, LEVEL_VELOCITY, LEVEL_ALL } Level;

typedef struct {
    const Syntax *syntax;
    const Part *name, *value;
    bool used;
} Setting;

typedef enum { USE_LAMBDA, USE_NORMAL, USE_SLIP } ReactionUse;
typedef struct {
    const char *name; // without "lambda."
    Place place;
    ReactionUse what;
} LambdaUse;

typedef struct Scope Scope;

// What an argument's name stands for while a function's body is read.
typedef struct {
    Str name;
    Expr symbol;
    Dim dim;
} Argument;

// The body of a function of the user's own, whose dimension is found at each call.
typedef struct {
    const Syntax *syntax; // NULL where it has none, or none is left
    const Scope *scope;
    const Part *part;
    const Node *head;
    Dim value;    // of an open one, or a table
    Dim argument; // of a table, or of the first call of an open one
    uint64_t domains;
    bool asked; // the argument's dimension is known
} FunctionBody;

// The dimensions of the two columns of a table, and whether they were given.
typedef struct {
    Dim dim[2];
    bool given[2];
    Place places[2];
} TableDims;

// The dimensions of multipliers and their like, by the names of their symbols: of conditions that
// stand below where they are used.
typedef struct ReactionDims {
    NameMap *names;
    ARRAY(Dim) dims;
    Arena *arena;
} ReactionDims;

// What is read inside a part.
struct Scope {
    Str prefix;         // "front.", before all names that are made
    uint32_t statement; // of the template
    Place use;
    const struct Scope *around;
};

typedef struct PairsReading
    PairsReading;             // conditions over pairs, being read; see paired_conditions.c
typedef struct Tracer Tracer; // where the condition in hand takes hold; see places.c

// Parameters and starts as the text gives them, and how many settings were read with it.
typedef struct {
    ModelParam *params;
    ModelStart *starts;
    size_t start_count, setting_count, tree_count;
} ModelDefaults;

// Of the nodes of the pool, as far as they were looked at; see nesting.c.
typedef struct {
    ARRAY(uint16_t) depths;
} Nesting;

typedef struct Elaborator {
    Model *model; // NULL where symbols are free
    ExprPool *pool;
    Arena *arena;
    const Syntax *syntax;      // in hand: the model's, or a setting's
    const Syntax *file_syntax; // the model's; NULL where symbols are free
    Diag *diag;
    size_t errors, steps;
    size_t turns;                      // of vectors, counted among the steps
    const Statement *statement;        // in hand
    const Scope *scope;                // NULL outside of parts
    bool free_symbols;                 // every name is the symbol of that name
    bool units;                        // the model has some, so that dimensions are checked
    ARRAY(FunctionBody) bodies;        // of the model's functions
    size_t calls;                      // of functions inside each other, while bodies are read
    ReactionDims *reactions;           // of this model, as they are made
    const ReactionDims *known;         // of an earlier reading of it, or NULL
    const ModelQuantities *quantities; // what other names may stand for; NULL: nothing

    NameMap *name_map;      // from full names to entries
    ARRAY(NameEntry) names; // names.at[0] is none
    NameMap *lost;          // names whose declaration had an error
    NameMap *labels, *lost_labels, *output_labels;
    NameMap *columns;    // what columns are called after, in the order of unit_columns.c; NULL: not
    size_t column_count; // asked for yet, when there were so many
    ARRAY(LambdaUse) lambda_uses;
    uint32_t unnamed; // constraints without a name so far
    uint32_t unnamed_joints, unnamed_events, unnamed_samples;
    uint32_t frictions;      // laws of friction without a name so far
    size_t waits;            // of the statement in hand: its `while` + 1; 0 for none
    ModelWhole *switched;    // whiles.c
    ARRAY(ModelCoord) rated; // continuous states, before they are coordinates: states.c
    bool placing;            // a joint names a body that may be unplaced
    bool lost_joints;        // one had an error
    size_t side_count;       // one-sided conditions so far

    ARRAY(Value) values; // of the nodes of the expression in hand, from span.first on
    uint32_t first_node;
    ARRAY(Argument) arguments; // of the function whose body is read; none elsewhere
    ARRAY(Loop) loops;         // variables of `for` and `sum`, innermost last
    ARRAY(Value) terms;        // of the sums in hand
    ARRAY(Expr) exprs;         // scratch
    ARRAY(TextPlace) text_places;
    Nesting nesting;
    Frame brackets; // along whose axes a bare [a, b, c] is meant

    ARRAY(Syntax *) setting_trees;
    ARRAY(Setting) settings;
    ModelDefaults defaults; // of what they replace
    ARRAY(bool) failed;     // by statement
    ARRAY(Expr) energy_terms[ENERGY_COUNT];
    Place gravity_place;
    Tracer *tracer; // NULL unless a condition is read for its places
    PairsReading *pairs;
    bool keep_pairs;  // conditions over very many pairs are not written out
    bool host_inputs; // inputs are parameters, which a host sets,
    bool held_inputs; // or which do not change
    bool weigh_loads; // whiles.c
    int64_t seed;     // in the place of all seeds; −1: those of the text
    const ModelReplacement *replacements;
    size_t replacement_count;
    bool reduced; // some of them are coordinates
} Elaborator;

// ---- elaborator.c: storage and messages.
void elaborator_init(Elaborator *e, ExprPool *pool, Arena *arena, Diag *diag);
void elaborator_clear(Elaborator *e);
// Reports an error; false, for `return elaborate_fail(…)`.
bool elaborate_fail(Elaborator *e, Place place, const char *format, ...) BASE_PRINTF(3, 4);
// The same of a name that is none of the candidates, which are of this kind; with the nearest.
bool elaborate_fail_unknown(Elaborator *e, Place place, const char *kind, Str name,
                            const Str *candidates, size_t count);
// Counts steps, and the turns of vectors since the last one; false where there were too many,
// said once.
bool elaborate_step(Elaborator *e, size_t steps, Place place);
// Whether a place is in a file that the model includes.
bool elaborate_is_included(Place place);
// "line 7", or "line 7 of wheels.zw", for a message about another place.
Shown elaborate_line(Place place);

// ---- names.c: one set of names.
// What a name stands for where it is written: inside a part its own names come first. One with
// points is a full name.
const NameEntry *names_find(const Elaborator *e, Str name);
const NameEntry *names_find_full(const Elaborator *e, Str full);
const Loop *names_find_loop(const Elaborator *e, Str name);
// Declares NAME or, with rank > 0, NAME[indices]. The entry lives until the next declaration.
NameEntry *names_declare(Elaborator *e, NameKind kind, Str base, const int64_t *indices,
                         size_t rank, Place place);
const char *names_kind(NameKind kind); // "a coordinate"
// "; in it there are the coordinates a.q, …" for a part or joint; "" where it has none.
const char *names_in_part(const Elaborator *e, const NameEntry *part);
// "q[2]", owned by the arena.
Str names_full(Elaborator *e, Str base, const int64_t *indices, size_t rank);
// The same as it is made here: "front.q[2]" inside a part.
Str names_own(Elaborator *e, Str base, const int64_t *indices, size_t rank);
// The name in a node, without indices and primes; "" where it has points.
Str names_base(const Syntax *syntax, uint32_t root);
// False, after a message, where a loop's variable has a name that is taken.
bool names_check_loop(Elaborator *e, Str name, Place place);
void names_lose(Elaborator *e, Str base);
// All names that a statement would have declared are lost.
void names_lose_statement(Elaborator *e, const Statement *statement);
bool names_fail_unknown(Elaborator *e, Place place, Str name);
// Whether a message was given, or none is due: the name is declared below, or its declaration had
// an error.
bool names_explain(Elaborator *e, Place place, Str name);
bool names_fail_element(Elaborator *e, Place place, const NameEntry *family, const int64_t *indices,
                        size_t rank);

// The name that a part makes or means: its base and its indices.
typedef struct {
    Str base;
    size_t rank;
    int64_t low[MODEL_MOST_INDICES], high[MODEL_MOST_INDICES]; // equal unless a range
    bool ranges;                                               // some index was written a..b
    uint32_t primes;                                           // behind it
    uint32_t entry; // of a name with points, which is there already; else 0
    Place place;
} Target;
bool elaborate_target(Elaborator *e, const Part *part, Target *target);
// The entry that a target means, or NULL after a message.
NameEntry *names_find_target(Elaborator *e, const Target *target);

// ---- values.c: typed arithmetic.
Value value_bad(void);
Value value_scalar(Expr scalar);
Value value_of_vector(ValueKind kind, Vector vector);
Value value_zero_vector(Elaborator *e, ValueKind kind);
bool value_integer(Elaborator *e, const Value *value, int64_t *integer);
const char *value_kind_name(ValueKind kind); // "a vector"
// Takes over order, time and multipliers of b.
void value_mark(Value *a, const Value *b);
Value value_negative(Elaborator *e, Value a, Place place);
Value value_power(Elaborator *e, Value a, Value b, Place place);
Value value_prime(Elaborator *e, Value a, uint32_t times, Place place);
// Sums and products of many at once; inverse may be NULL.
Value value_sum(Elaborator *e, const Value *terms, const bool *inverse, size_t count,
                const Place *places);
Value value_product(Elaborator *e, const Value *factors, const bool *inverse, size_t count,
                    const Place *places);
// Says that `what` must be of another kind; always BAD.
Value value_fail_kind(Elaborator *e, const Value *a, Place place, const char *what,
                      ValueKind wanted);
// As a scalar, a vector (0 is the zero vector) or a point (a vector is the point there from
// origin); BAD after a message. `what` names the place in a sentence: "the mass".
Value value_as_scalar(Elaborator *e, Value a, Place place, const char *what);
Value value_as_vector(Elaborator *e, Value a, Place place, const char *what);
Value value_as_point(Elaborator *e, Value a, Place place, const char *what);
// False, after a message, where the value holds more than the level allows.
bool value_within(Elaborator *e, const Value *a, Level level, Place place, const char *what);

// ---- nesting.c
// False, after a message, where functions, powers or products stand too deep inside each other, or
// an exponent is too large, or a number is none of those that a run has.
bool nesting_check(Elaborator *e, Expr scalar, Place place);

// ---- domains.c
// Of a node of the text, whether it is a root, a logarithm or an inverse sine: its value is marked.
void domains_note(Elaborator *e, const Node *node, uint32_t index, Value *value);
// The same with values in the place of symbols.
uint64_t domains_at(Elaborator *e, uint64_t domains, const Expr *symbols, const Expr *values,
                    size_t count);
// The statement in hand uses a value.
void domains_use(Elaborator *e, const Value *value);

// ---- parts.c
bool parts_is_template(const Elaborator *e, const Statement *statement);
// Makes the template known; the statement behind it.
uint32_t parts_read_template(Elaborator *e, uint32_t index);
bool read_part(Elaborator *e);
// The label of a condition as it is written here: with the part's name before it where it is the
// part's own.
const char *parts_label(Elaborator *e, const char *label);
Value part_member(Elaborator *e, const char *part, Str member, Place place);

// ---- user_functions.c
bool read_function(Elaborator *e);
// Calls a function of the user's own; false where the name is none.
bool functions_call(Elaborator *e, const Node *node, Place place, Value *value);
Value call_diff(Elaborator *e, Value *args, const Place *places, Place place);

// ---- calls.c
Value elaborate_call(Elaborator *e, const Node *node, uint32_t index);
bool calls_is_function(Str name);

// Of foreign_words.c: the error that names our way of writing a function or a derivative of other
// languages. foreign_function_fail: false where the name is none of these.
bool foreign_function_fail(Elaborator *e, const Node *node, Place place);
bool foreign_diff_fail(Elaborator *e, Place of);

// ---- expression_value.c
// The value of a node that was worked out, and its place.
static inline Value *elaborate_slot(Elaborator *e, uint32_t node)
{
    return &e->values.at[node - e->first_node];
}
static inline Place elaborate_place(const Elaborator *e, uint32_t node)
{
    return syntax_node_place(e->syntax, node);
}
// What an entry stands for in an expression.
Value elaborate_entry(Elaborator *e, const NameEntry *entry);
// (expression_names.c) The values of these nodes, names as words that may grow.
Value elaborate_number(Elaborator *e, const Node *node, uint32_t index);
Value elaborate_name(Elaborator *e, const Node *node, uint32_t index);
Value elaborate_index(Elaborator *e, const Node *node, uint32_t index);
Value elaborate_member(Elaborator *e, const Node *node, uint32_t index);
Value elaborate_prime(Elaborator *e, const Node *node, uint32_t index);
Value elaborate_span(Elaborator *e, Span span);
// The same without its root: afterwards elaborate_child gives the root's children.
bool elaborate_below_root(Elaborator *e, Span span);
// A word that is used is complete: what it stands for.
Value elaborate_word(Elaborator *e, Value value, Place place);
// The settled value of a node of the expression in hand.
Value elaborate_child(Elaborator *e, uint32_t node);
// The same as an integer; `what` is "an index" or "the end of a range".
bool elaborate_integer(Elaborator *e, uint32_t node, const char *what, int64_t *integer);
// (statement_values.c) Of a part of a statement.
bool elaborate_scalar(Elaborator *e, const Part *part, Level level, const char *what, Expr *out);
bool elaborate_vector(Elaborator *e, const Part *part, Level level, const char *what, Vector *out);
// The same of a dimension, which is told where it is asked for.
bool elaborate_measure(Elaborator *e, const Part *part, Level level, const char *what, Dim want,
                       Expr *out, Dim *dim);
// The same of a datum: a number alone is told which unit it lacks.
bool elaborate_datum(Elaborator *e, const Part *part, const char *what, Dim want, Expr *out);
bool elaborate_directed(Elaborator *e, const Part *part, Level level, const char *what, Dim want,
                        Vector *out, Dim *dim);
bool elaborate_point(Elaborator *e, const Part *part, Level level, const char *what, Vector *out);
bool elaborate_frame(Elaborator *e, const Part *part, const char *what, Value *out);
bool elaborate_body(Elaborator *e, const Part *part, const char *what, size_t *out);

// ---- matrices.c
// Whether it is a matrix or the bare name of an array of scalars; and as a matrix, also a vector:
// false where it is something else.
bool value_is_matrix(const Elaborator *e, const Value *a);
bool value_to_matrix(Elaborator *e, Value *a);
// The entry of a column or matrix of one entry, as a scalar. False for anything else.
bool value_take_only(Elaborator *e, Value *a);
const char *value_size_name(Elaborator *e, const Value *a); // "a 2×4 matrix", "a column of 3"
// A bracket that is no vector: a column, or the rows of a matrix.
Value value_bracket(Elaborator *e, const Value *values, uint32_t count, const Place *places);
// Arithmetic where one operand is a matrix.
Value matrix_negative(Elaborator *e, Value a);
Value matrix_product(Elaborator *e, const Value *factors, const bool *inverse, size_t count,
                     const Place *places);
Value matrix_sum(Elaborator *e, const Value *terms, const bool *inverse, size_t count,
                 const Place *places);
Value matrix_prime(Elaborator *e, Value a, uint32_t primes, Place place);
Value matrix_dot(Elaborator *e, const Value *args, const Place *places);
Value call_transpose(Elaborator *e, Value *args, const Place *places, Place place);

// ---- Statements; false where something was wrong (and has been said).
bool read_const(Elaborator *e);
bool read_param(Elaborator *e);
bool read_input(Elaborator *e);
// signals.c
// The table or the noise behind a name; *value is the function of the time that it is, `name` the
// name that it is written by.
bool elaborate_signal(Elaborator *e, const Part *part, Str name, Value *value);
// The table that a function of one argument is.
bool elaborate_function_table(Elaborator *e, const Part *part, ModelFunction *function,
                              FunctionBody *body);
// The seeds of all noise, once the parameters have their values.
void noises_settle(Elaborator *e);
// table_data.c: the numbers of a table, from its parts.
bool table_read(Elaborator *e, const Part *part, struct ExprTable *table, TableDims *dims);
bool read_let(Elaborator *e);
bool read_coord(Elaborator *e);
bool read_speed(Elaborator *e);
bool read_point(Elaborator *e);
bool read_mass(Elaborator *e);
bool read_energy(Elaborator *e);
bool read_gravity(Elaborator *e);
bool read_force(Elaborator *e);
bool read_frame(Elaborator *e);
bool read_body(Elaborator *e);
bool read_torque(Elaborator *e);
bool read_impulse(Elaborator *e);
// extras.c: the impulse of the statement in hand, with or without its instant.
bool elaborate_impulse(Elaborator *e, ModelImpulse *impulse);
// states.c: discrete and continuous states.
bool read_state(Elaborator *e);
bool state_is_continuous(const NameEntry *entry);
// A start or a `set` of its rate; false.
bool state_fail_primed(Elaborator *e, const NameEntry *entry, const Target *target);
// Continuous states become coordinates behind all others, each with the condition of its rate.
void states_finish(Elaborator *e);
// What their rates allow: the statements that hold them.
void states_check(Elaborator *e);
bool read_misplaced(Elaborator *e); // what the text has refused already
bool read_draw(Elaborator *e);
bool read_constraint(Elaborator *e);
bool read_servo(Elaborator *e);
bool read_friction(Elaborator *e);
bool read_output(Elaborator *e);
bool read_system(Elaborator *e);
bool read_include(Elaborator *e); // of a text that is in no folder
bool read_independent(Elaborator *e);
bool read_initial(Elaborator *e);
bool read_run(Elaborator *e);

// samples.c: when the sample in hand acts; and the same of all, once parameters have their values.
bool elaborate_sampling(Elaborator *e, ModelEvent *event);
void check_samples(Elaborator *e);

// events.c: an event or a sample and its block; the statement behind it.
uint32_t read_event(Elaborator *e, uint32_t index);
// The event that ends a run, from the two sides of a relation.
bool elaborate_until(Elaborator *e, const Part *left, ModelEvent *event);
// The conditions and frictions whose records are waited for are there.
void check_events(Elaborator *e);

// bodies.c: the unit vector to turn about, along the axes of `frame`.
bool elaborate_axis(Elaborator *e, const Part *part, Frame frame, Vec *axis);
Vec elaborate_unit(Elaborator *e, Vec v);
// A frame turned by a quaternion of four coordinates, whose unit norm is the condition NAME.unit,
// and which start at (1, 0, 0, 0); the places are those of the coordinates in the text.
Frame elaborate_quaternion(Elaborator *e, Frame frame, const Expr parameters[4],
                           const Place places[4], const char *name);
// ---- whiles.c
// What the statement in hand waits for, into e->waits; false after a message.
bool elaborate_while(Elaborator *e);
// 1 where a relation holds, else 0; its role is one of PART_WHILE_….
Expr relation_value(ExprPool *pool, Expr left, Expr right, PartRole relation);
// An energy, for as long as the statement in hand says.
void push_energy(Elaborator *e, EnergyKind kind, Expr energy);
ModelWhole *whole_new(Arena *arena);
void whole_clear(ModelWhole *whole);
void whiles_finish(Elaborator *e);
// ---- springs.c
bool read_spring(Elaborator *e); // and damper
bool read_bushing(Elaborator *e);
// Where it takes hold, which is judged when velocities are known; `side` is a body or frame, or
// NULL.
void keep_hold(Elaborator *e, const Part *part, const char *what, Vector position,
               const Value *side);
// The force of the spring of this name; false after a message.
bool spring_force(Elaborator *e, const char *label, Place place, Expr *force);
// ---- joints.c
bool read_joint(Elaborator *e);
void check_placed(Elaborator *e); // all bodies are
Value body_member(Elaborator *e, const Value *body, Str member, Place place);
// constraint.c: the condition that a residual vanishes, LABEL and MEMBER.
bool push_residual(Elaborator *e, const char *label, const char *member, Expr residual, Dim dim,
                   Place place);
bool declare_coordinate(Elaborator *e, Str name, Dim dim, Place place, Expr *q);
// declare.c: the symbols of what an entry stands for, which moves.
ModelCoord make_moving(Elaborator *e, NameEntry *entry);
// A parameter with this value.
bool declare_parameter(Elaborator *e, Str name, const Value *value, Place place);
// The entry of a name that makes one thing, with or without indices; NULL after a message.
NameEntry *declare_single(Elaborator *e, NameKind kind, const Target *target);
// A bare x, y or z is an axis where one is expected, whatever coordinates are called; else −1.
int bare_axis(const Elaborator *e, uint32_t node);
// The part of this role in the statement in hand, or NULL.
const Part *statement_part(const Elaborator *e, PartRole role);
// A label with its indices, "c[2]".
bool elaborate_label(Elaborator *e, const Part *part, NameMap *labels, const char *what,
                     const char **label);
// What acts along a coordinate is energy over it, and along a speed power over it; `seconds` is the
// power of them in the energy: −2, and −1 of impulses.
Dim dim_along(const NameEntry *entry, int seconds);
bool dim_check_along(Elaborator *e, const NameEntry *entry, Dim have, int seconds,
                     const Part *value, const char *load);
void check_intervals(Elaborator *e);
// interval_values.c: the radius behind the value of a name, none where there is none.
bool elaborate_interval(Elaborator *e, const Part *name, Dim dim, const ModelUnit *unit,
                        Expr *radius);
// The coordinate, or where allowed the speed, that a force acts along; NULL after a message.
const NameEntry *elaborate_along(Elaborator *e, const Part *along, const char *what, bool speeds);
// The point of `at` in the statement in hand, and what its `on` names; `load` is "a force".
bool elaborate_load_point(Elaborator *e, const char *load, ModelLoadPoint *point);
// Whether two vectors are the same to the eye.
bool is_same_vector(Elaborator *e, Vector a, Vector b);
// The condition that a quaternion or a state brings with it.
void push_silent(Elaborator *e, const char *name, Expr left, Expr right, Place place);
// pictures.c: the conditions whose surfaces are drawn are there.
void check_draws(Elaborator *e);
// False, after a message with the nearest name, where there is no constraint of this name.
bool elaborate_constraint_name(Elaborator *e, Str name, Place place);
// lambda.NAME of every output or equation names a constraint.
void check_lambdas(Elaborator *e);

// ---- places.c: between begin and end, whatever a condition names is moved by a little; or points
// stand `apart`, as symbols.
void tracer_begin(Elaborator *e, bool apart);
void tracer_end(Elaborator *e);
// A point, a particle of a body, an angular velocity and a vector that a frame carries, moved.
Vector trace_point(Elaborator *e, Vector position, const char *name);
Vector trace_particle(Elaborator *e, Vector velocity, Vector position, Str text, size_t body);
Vector trace_spin(Elaborator *e, Vector omega, Frame frame);
Vector trace_carried(Elaborator *e, Vector vector, Frame frame);
// The places of a condition, from its residual as it was traced.
void places_keep(Elaborator *e, Expr traced, ModelConstraint *constraint);
// The velocities of points in a condition, from its residual with the points apart.
void velocities_keep(Elaborator *e, Expr apart, ModelConstraint *constraint);

// ---- friction_clauses.c
// The friction that the condition just made has, by the statement in hand, and its law of shocks;
// `whole` where it is three of them.
bool read_condition_friction(Elaborator *e, bool whole);
void push_friction(Elaborator *e, struct ModelFriction *friction); // with its names
// normal(NAME) and slip.NAME of every use: the names are those of frictions.
void check_frictions(Elaborator *e);

// ---- paired_conditions.c: conditions over very many pairs, kept as one.
// Reads a loop of them; false where it is none, or none that can be kept so: then it is a loop.
bool pairs_read(Elaborator *e, uint32_t statement);
// While they are read: whether a node has a value of its own there, or none is asked for. The value
// of any other one is handed in.
bool pairs_has_value(const Elaborator *e, uint32_t node, Value *value);
void pairs_keep_value(Elaborator *e, uint32_t node, Value value);
// Whether a condition of this name would be one of them; it is then marked.
bool pairs_name(Elaborator *e, Str name);

// ---- model.c
void read_statement_range(Elaborator *e, uint32_t first, uint32_t end);
// The end of a range of `for`.
bool loops_read_bound(Elaborator *e, const Part *part, int64_t *bound);

// ---- settings.c
void settings_read(Elaborator *e, const ModelSetting *settings, size_t count);
// The last setting of a constant or of a function of this full name, or NULL; it is used up.
const Setting *settings_take(Elaborator *e, Str name, bool function);
// Whether the last setting of a parameter is the number 0, which is taken then; without one: as the
// text says.
bool settings_take_zero(Elaborator *e, Str name, bool text);
// All settings that are left: parameters and the start.
void settings_apply(Elaborator *e);
// ---- run_statements.c
size_t element_count(const Elaborator *e, const NameEntry *entry); // of a family; else 1
// A start for one name or all of a family; a setting replaces what was given.
bool give_start(Elaborator *e, const Target *target, const Part *value, bool approx, bool setting);
// Puts starts into starts that use them; an error where that has no end.
void order_starts(Elaborator *e);
// Values for one element or all of a family, from a scalar or a bracket of as many.
bool elaborate_each(Elaborator *e, const Part *value, size_t count, Level level, const char *what,
                    Expr *values, Dim *dims);
// Where value number `at` of these stands.
Place elaborate_each_place(const Elaborator *e, const Part *value, size_t count, size_t at);

#endif
