// user_functions.c: the user's own functions: how they are declared, given a body and called; and
// derivatives by a name.
//
// A function with a body is replaced by it wherever it is called. One without is left open: smooth,
// and otherwise unknown.
#include "algebra/algebra.h"
#include "expr/open_functions.h"
#include "model/model_impl.h"

#include <string.h>

enum { MOST_DERIVATIVES = 16 };

// ---- Declaring.

static bool check_arguments(Elaborator *e, const ModelFunction *function, uint32_t count,
                            Place place)
{
    if (count == function->arity)
        return true;
    if (function->arity == 1)
        return elaborate_fail(e, place, "'%s' takes one argument, not %u", function->name, count);
    return elaborate_fail(e, place, "'%s' takes %zu arguments, not %u", function->name,
                          function->arity, count);
}

// The names of the arguments in a head f(x, y); the words "f(x, y)" as well.
static void name_arguments(Elaborator *e, const Node *head, ModelFunction *function)
{
    const Child *children = syntax_children(e->syntax, head);
    const char **names = arena_alloc(e->arena, head->count * sizeof *names);
    Text text = {0};
    text_addf(&text, "%s(", function->name);
    for (uint32_t i = 0; i < head->count; i++) {
        Str name = syntax_name(e->syntax, e->syntax->nodes.at[children[i].node].name);
        names[i] = arena_copy_text(e->arena, name.at, name.length);
        text_addf(&text, "%s%s", i ? ", " : "", names[i]);
    }
    text_add(&text, ")");
    function->head = arena_copy_text(e->arena, text.at, text.length);
    expr_open_declare(e->pool, function->name, names, head->count);
    text_clear(&text);
}

static void push_arguments(Elaborator *e, const Node *head, const Expr *symbols, const Dim *dims)
{
    const Child *children = syntax_children(e->syntax, head);
    for (uint32_t i = 0; i < head->count; i++) {
        const Node *argument = &e->syntax->nodes.at[children[i].node];
        Str name = syntax_name(e->syntax, argument->name);
        array_push(&e->arguments, ((Argument){name, symbols[i], dims ? dims[i] : dim_pure()}));
    }
}

// Reads a body, in which the names of the head stand for the function's arguments.
static bool read_function_body(Elaborator *e, const Node *head, const Part *body,
                               ModelFunction *function, FunctionBody *own)
{
    if (body->role != PART_VALUE)
        return elaborate_function_table(e, body, function, own);
    // The dimensions of its arguments are known where it is called.
    bool units = e->units;
    e->units = false;
    *own = (FunctionBody){.syntax = e->syntax, .scope = e->scope, .part = body, .head = head};
    push_arguments(e, head, function->arguments, NULL);
    Place place = syntax_part_place(e->syntax, body);
    Value value = value_as_scalar(e, elaborate_span(e, body->span), place, "a function's value");
    e->arguments.count = 0;
    e->units = units;
    function->body = value.scalar;
    own->domains = value.domains;
    return value.kind != VALUE_BAD;
}

// The body that a setting gives, else that of the statement, else none.
static bool find_body(Elaborator *e, const Node *head, ModelFunction *function, FunctionBody *own)
{
    const Setting *setting = settings_take(e, str_of(function->name), true);
    const Part *body = statement_part(e, PART_VALUE);
    body = body ? body : statement_part(e, PART_TABLE);
    body = body ? body : statement_part(e, PART_RANDOM);
    const Syntax *file = e->syntax;
    if (!setting)
        return !body || read_function_body(e, head, body, function, own);
    e->syntax = setting->syntax;
    head = &e->syntax->nodes.at[setting->name->span.root];
    bool good =
        check_arguments(e, function, head->count, syntax_part_place(e->syntax, setting->name)) &&
        read_function_body(e, head, setting->value, function, own);
    e->syntax = file;
    return good;
}

bool read_function(Elaborator *e)
{
    const Part *part = statement_part(e, PART_NAME);
    const Node *head = &e->syntax->nodes.at[part->span.root];
    Str name = syntax_name(e->syntax, head->name);
    Place place = syntax_part_place(e->syntax, part);
    place.length = (uint32_t)name.length;
    if (calls_is_function(name))
        return elaborate_fail(e, place, "'%s' is a function of the language; choose another name",
                              text_shown(name).at);
    ModelFunction function = {.arity = head->count, .place = place};
    function.name = names_own(e, name, NULL, 0).at;
    function.arguments = arena_alloc(e->arena, head->count * sizeof *function.arguments);
    for (uint32_t i = 0; i < head->count; i++)
        function.arguments[i] = expr_symbol_new(e->pool, "argument");
    name_arguments(e, head, &function);
    FunctionBody own = {0};
    const ModelUnit *unit;
    Expr scale;
    if (!find_body(e, head, &function, &own) || !elaborate_declared_unit(e, part, &unit, &scale))
        return false;
    if (unit && !expr_is_none(function.body))
        return elaborate_fail(e, place,
                              "the unit of a function with a body follows from the body; leave "
                              "out 'in %s'",
                              unit->text);
    if (unit && dim_is_pure(own.value))
        own.value = unit->dim;
    NameEntry *entry = names_declare(e, NAME_FUNCTION, name, NULL, 0, place);
    if (!entry)
        return false;
    entry->index = (uint32_t)e->model->functions.count;
    array_push(&e->model->functions, function);
    array_push(&e->bodies, own);
    return true;
}

// ---- Dimensions.

// Functions inside functions; beyond that nothing is said of dimensions.
enum { MOST_CALLS = 16 };

// Of a body, whose arguments have these dimensions: it is read again.
static bool dim_of_body(Elaborator *e, const ModelFunction *function, const FunctionBody *body,
                        const Dim *dims, Dim *value)
{
    *value = dim_any();
    if (!body->syntax || body->scope != e->scope || e->calls >= MOST_CALLS)
        return true;
    Elaborator around = *e;
    e->syntax = body->syntax;
    memset(&e->values, 0, sizeof e->values);
    memset(&e->arguments, 0, sizeof e->arguments);
    e->calls++;
    push_arguments(e, body->head, function->arguments, dims);
    Value read = elaborate_span(e, body->part->span);
    array_clear(&e->values);
    array_clear(&e->arguments);
    e->syntax = around.syntax;
    e->values.at = around.values.at;
    e->values.count = around.values.count;
    e->values.capacity = around.values.capacity;
    e->arguments.at = around.arguments.at;
    e->arguments.count = around.arguments.count;
    e->arguments.capacity = around.arguments.capacity;
    e->first_node = around.first_node;
    e->calls--;
    *value = read.dim;
    return read.kind != VALUE_BAD;
}

// Of an open one, or a table: its arguments are the same in every call.
static bool dim_of_open(Elaborator *e, FunctionBody *body, const Dim *dims, size_t arity,
                        Place place, Dim *value)
{
    *value = body->value;
    if (arity != 1)
        return true;
    if (!body->asked)
        body->argument = dims[0];
    body->asked = body->asked || !dims[0].any;
    return dim_check(e, dims[0], body->argument, place, "the argument of this function");
}

static bool dim_of_call(Elaborator *e, const ModelFunction *function, const Dim *dims, Place place,
                        Dim *value)
{
    size_t index = (size_t)(function - e->model->functions.at);
    *value = dim_any();
    if (!e->units || index >= e->bodies.count) // the text is gone behind its end
        return true;
    if (!expr_is_none(function->body))
        return dim_of_body(e, function, &e->bodies.at[index], dims, value);
    return dim_of_open(e, &e->bodies.at[index], dims, function->arity, place, value);
}

// ---- Calling.

// A call's derivatives: the numbers of its arguments, from 0.
typedef struct {
    uint32_t by[MOST_DERIVATIVES];
    size_t order;
} Derivative;

static bool read_numbers(Elaborator *e, const Node *node, Place place, size_t arity,
                         Derivative *derivative)
{
    const Child *children = syntax_children(e->syntax, node);
    Shown name = text_shown(syntax_name(e->syntax, node->name));
    if (node->primes > 1)
        return elaborate_fail(e, place, "write %s'[…] with a number for each derivative", name.at);
    for (uint32_t i = 0; i < node->by; i++) {
        int64_t number;
        if (!elaborate_integer(e, children[i].node, "the number of an argument", &number))
            return false;
        if (number < 1 || number > (int64_t)arity)
            return elaborate_fail(e, syntax_node_place(e->syntax, children[i].node),
                                  "'%s' has %zu argument%s, and no number %lld", name.at, arity,
                                  arity == 1 ? "" : "s", (long long)number);
        derivative->by[i] = (uint32_t)number - 1;
    }
    return true;
}

static bool read_derivative(Elaborator *e, const Node *node, Place place, size_t arity,
                            Derivative *derivative)
{
    Shown name = text_shown(syntax_name(e->syntax, node->name));
    *derivative = (Derivative){.order = node->by ? node->by : node->primes};
    if (derivative->order > MOST_DERIVATIVES)
        return elaborate_fail(e, place, "a function has at most %d derivatives here",
                              MOST_DERIVATIVES);
    if (node->by > 0)
        return read_numbers(e, node, place, arity, derivative);
    if (node->primes > 0 && arity > 1)
        return elaborate_fail(e, place,
                              "'%s' has %zu arguments; write %s'[1](…) for its derivative by the "
                              "first",
                              name.at, arity, name.at);
    return true;
}

// The arguments of a call, and what is marked on them.
static bool read_values(Elaborator *e, const Node *node, Expr *args, Dim *dims, Value *value)
{
    const Child *children = syntax_children(e->syntax, node) + node->by;
    Text what = {0};
    text_addf(&what, "an argument of %s", text_shown(syntax_name(e->syntax, node->name)).at);
    bool good = true;
    for (uint32_t i = 0; i + node->by < node->count; i++) {
        Value arg = value_as_scalar(e, elaborate_child(e, children[i].node),
                                    syntax_node_place(e->syntax, children[i].node), what.at);
        good = good && arg.kind != VALUE_BAD;
        args[i] = arg.scalar;
        dims[i] = arg.dim;
        value_mark(value, &arg);
    }
    text_clear(&what);
    return good;
}

// What a body is worth at these arguments.
static Expr body_at(Elaborator *e, const ModelFunction *function, const Derivative *derivative,
                    const Expr *args)
{
    Expr body = function->body;
    for (size_t i = 0; i < derivative->order; i++)
        body = expr_diff(e->pool, body, function->arguments[derivative->by[i]]);
    return expr_replace(e->pool, body, function->arguments, args, function->arity);
}

static void body_value(Elaborator *e, const ModelFunction *function, const Derivative *derivative,
                       const Expr *args, Value *value)
{
    size_t index = (size_t)(function - e->model->functions.at);
    value->scalar = body_at(e, function, derivative, args);
    if (index < e->bodies.count) // the text is gone behind its end
        value->domains |=
            domains_at(e, e->bodies.at[index].domains, function->arguments, args, function->arity);
}

// Where every name is a symbol, every other function is open.
static Value call_at(Elaborator *e, ModelFunction *function, const Node *node, Place place)
{
    Derivative derivative;
    uint32_t arity = node->count - node->by;
    if ((function && !check_arguments(e, function, arity, place)) ||
        !read_derivative(e, node, place, arity, &derivative))
        return value_bad();
    Expr *args = base_alloc((arity + 1) * sizeof *args);
    Dim *dims = base_alloc((arity + 1) * sizeof *dims);
    Value value = {.kind = VALUE_SCALAR, .order = -1};
    bool good = read_values(e, node, args, dims, &value) &&
                (!function || dim_of_call(e, function, dims, place, &value.dim));
    for (size_t i = 0; i < derivative.order && good; i++)
        value.dim = dim_over(value.dim, dims[derivative.by[i]]);
    const char *name = function ? function->name : syntax_name(e->syntax, node->name).at;
    if (good && function && !expr_is_none(function->body))
        body_value(e, function, &derivative, args, &value);
    else if (good)
        value.scalar = expr_open(e->pool, name, derivative.by, derivative.order, args, arity);
    if (function)
        function->called = true;
    base_free(dims);
    base_free(args);
    return good ? value : value_bad();
}

bool functions_call(Elaborator *e, const Node *node, Place place, Value *value)
{
    Str name = syntax_name(e->syntax, node->name);
    const NameEntry *entry = e->free_symbols ? NULL : names_find(e, name);
    bool open = e->free_symbols && !calls_is_function(name) && node->count > node->by;
    if (!open && (!entry || entry->kind != NAME_FUNCTION))
        return false;
    *value = call_at(e, open ? NULL : &e->model->functions.at[entry->index], node, place);
    return true;
}

// ---- diff(e, x)

// How high the derivatives of coordinates in it are, −1 without coordinates; and whether t is.
static void mark_again(Elaborator *e, Value *value)
{
    const Model *model = e->model;
    value->order = -1;
    value->timed = expr_holds(e->pool, value->scalar, model->t);
    ExprList symbols = expr_symbols(e->pool, &value->scalar, 1);
    for (size_t i = 0; i < symbols.count; i++)
        for (size_t k = 0; k < model->coords.count; k++) {
            const Expr of[] = {model->coords.at[k].q, model->coords.at[k].v, model->coords.at[k].a};
            for (int8_t order = 0; order < 3; order++)
                if (of[order].at == symbols.at[i] && order > value->order)
                    value->order = order;
        }
    expr_list_free(&symbols);
}

// In an equation that is asked about, what a form has in speeds is differentiated by these: by v,
// or by v'. None where this is no speed.
static Expr speed_symbol(const Elaborator *e, Str what)
{
    size_t length = what.length;
    while (length > 0 && what.at[length - 1] == '\'')
        length--;
    const NameEntry *entry = e->quantities ? names_find(e, (Str){what.at, length}) : NULL;
    if (!entry || entry->kind != NAME_SPEED || what.length > length + 1)
        return (Expr){0};
    const ModelSpeed *speed = &e->model->speeds.at[entry->index];
    return what.length > length ? speed->rate : speed->u;
}

// ∂e/∂q' and ∂u/∂q' of all speeds so far.
typedef struct {
    size_t n, count;
    Expr *slope;  // n
    Expr *speeds; // count × n
} SpeedSlopes;

static SpeedSlopes slopes_of(Elaborator *e, Expr of)
{
    const Model *model = e->model;
    SpeedSlopes slopes = {model->coords.count, model->speeds.count, NULL, NULL};
    Expr *v = base_alloc((slopes.n + 1) * sizeof *v);
    slopes.slope = base_alloc((slopes.n + 1) * sizeof(Expr));
    slopes.speeds = base_alloc((slopes.count * slopes.n + 1) * sizeof(Expr));
    for (size_t i = 0; i < slopes.n; i++)
        v[i] = model->coords.at[i].v;
    expr_gradient(e->pool, of, v, slopes.n, slopes.slope);
    for (size_t k = 0; k < slopes.count; k++)
        expr_gradient(e->pool, model->speeds.at[k].value, v, slopes.n,
                      slopes.speeds + k * slopes.n);
    base_free(v);
    return slopes;
}

static Expr product(ExprPool *pool, const Expr *a, const Expr *b, size_t n)
{
    Expr sum = expr_int(pool, 0);
    for (size_t i = 0; i < n; i++)
        sum = expr_add(pool, sum, expr_mul(pool, a[i], b[i]));
    return sum;
}

// e is a function of the speeds where its slope is Σ c·∂u/∂q'; then c are its derivatives by them.
static bool by_speeds(Elaborator *e, Algebra *algebra, const SpeedSlopes *slopes, Expr *c)
{
    ExprPool *pool = e->pool;
    size_t n = slopes->n, r = slopes->count;
    Expr *matrix = base_alloc((r * r + r + 1) * sizeof *matrix), *right = matrix + r * r;
    for (size_t k = 0; k < r; k++) {
        for (size_t l = 0; l < r; l++)
            matrix[k * r + l] = product(pool, slopes->speeds + k * n, slopes->speeds + l * n, n);
        right[k] = product(pool, slopes->speeds + k * n, slopes->slope, n);
    }
    bool good = algebra_solve(algebra, matrix, right, r, 1, c);
    for (size_t i = 0; i < n && good; i++) {
        Expr rest = slopes->slope[i];
        for (size_t k = 0; k < r; k++)
            rest = expr_sub(pool, rest, expr_mul(pool, c[k], slopes->speeds[k * n + i]));
        Verdict verdict = algebra_is_zero(algebra, rest);
        good = verdict.answer == ANSWER_YES;
        verdict_clear(&verdict);
    }
    base_free(matrix);
    return good;
}

// The derivative by a speed, all other speeds held fixed, and the coordinates.
static Value diff_by_speed(Elaborator *e, Value of, size_t speed, Place place)
{
    SpeedSlopes slopes = slopes_of(e, of.scalar);
    Algebra *algebra = algebra_new(e->pool);
    Expr *c = base_alloc((slopes.count + 1) * sizeof *c);
    bool good = by_speeds(e, algebra, &slopes, c);
    if (good) {
        of.scalar = algebra_simplify(algebra, c[speed]);
        mark_again(e, &of);
    } else {
        elaborate_fail(e, place,
                       "this holds velocities that the speeds declared above do not determine; "
                       "differentiate by a velocity");
        of = value_bad();
    }
    base_free(c);
    algebra_free(algebra);
    base_free(slopes.slope);
    base_free(slopes.speeds);
    return of;
}

static Value fail_diff(Elaborator *e, const Value *by, Place place)
{
    if (by->kind == VALUE_SCALAR)
        elaborate_fail(e, place,
                       "'diff' differentiates by a coordinate, a velocity, a speed, a parameter or "
                       "an argument, and this is none of them");
    else if (by->kind != VALUE_BAD)
        value_fail_kind(e, by, place, "the second argument of diff", VALUE_SCALAR);
    return value_bad();
}

static bool holds_velocities(const Elaborator *e, Expr of)
{
    const Model *model = e->model;
    for (size_t i = 0; i < model->coords.count; i++)
        if (expr_holds(e->pool, of, model->coords.at[i].v) ||
            expr_holds(e->pool, of, model->coords.at[i].a))
            return true;
    return false;
}

static Value fail_rate(Elaborator *e, Place place)
{
    elaborate_fail(
        e, place,
        "this holds velocities; by the rate of a speed only what a form has in speeds is "
        "differentiated");
    return value_bad();
}

// By a speed that stands for itself: what holds it, and what holds velocities besides.
static Value diff_by_symbol(Elaborator *e, Value of, Expr symbol, Str what, Place place)
{
    Expr own = expr_diff(e->pool, of.scalar, symbol);
    const NameEntry *entry = names_find(e, what);
    Value rest = value_scalar(expr_int(e->pool, 0));
    if (holds_velocities(e, of.scalar) && entry)
        rest = diff_by_speed(e, of, entry->index, place);
    else if (holds_velocities(e, of.scalar))
        rest = fail_rate(e, place);
    if (rest.kind == VALUE_BAD)
        return rest;
    of.scalar = expr_add(e->pool, own, rest.scalar);
    return of;
}

// Whether this is a velocity or an acceleration, and what is differentiated by it has speeds in the
// place of these.
static bool is_in_speeds(const Elaborator *e, Expr of, Expr by)
{
    const Model *model = e->model;
    bool speeds = false;
    for (size_t i = 0; i < model->speeds.count && e->quantities; i++)
        speeds = speeds || expr_holds(e->pool, of, model->speeds.at[i].u) ||
                 expr_holds(e->pool, of, model->speeds.at[i].rate);
    for (size_t i = 0; i < model->coords.count && speeds; i++)
        if (expr_same(by, model->coords.at[i].v) || expr_same(by, model->coords.at[i].a))
            return true;
    return false;
}

static Value diff_value(Elaborator *e, Value *args, const Place *places)
{
    Value of = value_as_scalar(e, args[0], places[0], "the first argument of diff");
    const Value *by = &args[1];
    if (of.kind == VALUE_BAD)
        return of;
    Str what = syntax_text(e->syntax, places[1].start, places[1].length);
    Expr symbol = speed_symbol(e, what);
    if (!expr_is_none(symbol))
        return diff_by_symbol(e, of, symbol, what, places[0]);
    const NameEntry *entry = names_find(e, what);
    if (entry && entry->kind == NAME_SPEED && !entry->family)
        return diff_by_speed(e, of, entry->index, places[0]);
    if (by->kind != VALUE_SCALAR || !expr_is_symbol(e->pool, by->scalar))
        return fail_diff(e, by, places[1]);
    if (expr_same(by->scalar, e->model->t)) {
        foreign_diff_fail(e, places[0]);
        return value_bad();
    }
    if (is_in_speeds(e, of.scalar, by->scalar)) {
        elaborate_fail(e, places[0],
                       "this is written in speeds, so that no velocity stands in it; differentiate "
                       "by a speed, or take the function of a form in velocities, as lagrange.T+");
        return value_bad();
    }
    of.scalar = expr_diff(e->pool, of.scalar, by->scalar);
    if (!e->quantities) // these may hold speeds
        mark_again(e, &of);
    return of;
}

Value call_diff(Elaborator *e, Value *args, const Place *places, Place place)
{
    (void)place;
    Dim dim = dim_over(args[0].dim, args[1].dim);
    Value value = diff_value(e, args, places);
    value.dim = dim;
    return value;
}
