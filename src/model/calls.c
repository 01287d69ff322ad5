// calls.c: functions of the language. Those of scalars are rows of expr/ops.def; the others
// are rows of the table below.
#include "model/model_impl.h"

enum { MOST_ARGUMENTS = 2 };

typedef Value (*CallFunction)(Elaborator *, Value *, const Place *, Place);

static Value call_dot(Elaborator *e, Value *args, const Place *places, Place place)
{
    (void)place;
    if (args[0].kind == VALUE_BAD || args[1].kind == VALUE_BAD)
        return value_bad();
    if (value_is_matrix(e, &args[0]) || value_is_matrix(e, &args[1]))
        return matrix_dot(e, args, places);
    Value a = value_as_vector(e, args[0], places[0], "an argument of dot");
    Value b = value_as_vector(e, args[1], places[1], "an argument of dot");
    if (a.kind == VALUE_BAD || b.kind == VALUE_BAD)
        return value_bad();
    Value value = value_scalar(vector_dot(e->model->vectors, a.vector, b.vector));
    value.dim = dim_times(a.dim, b.dim);
    value_mark(&value, &a);
    value_mark(&value, &b);
    return value;
}

static Value call_cross(Elaborator *e, Value *args, const Place *places, Place place)
{
    (void)place;
    Value a = value_as_vector(e, args[0], places[0], "an argument of cross");
    Value b = value_as_vector(e, args[1], places[1], "an argument of cross");
    if (a.kind == VALUE_BAD || b.kind == VALUE_BAD)
        return value_bad();
    value_mark(&a, &b);
    a.dim = dim_times(a.dim, b.dim);
    a.vector = vector_cross(e->model->vectors, a.vector, b.vector);
    return a;
}

static Value call_norm(Elaborator *e, Value *args, const Place *places, Place place)
{
    (void)place;
    if (value_is_matrix(e, &args[0])) {
        Value square = matrix_dot(e, (Value[]){args[0], args[0]}, (Place[]){places[0], places[0]});
        Value half = value_scalar(expr_pow_int(e->pool, expr_int(e->pool, 2), -1));
        return value_power(e, square, half, places[0]);
    }
    Value a = value_as_vector(e, args[0], places[0], "the argument of norm");
    if (a.kind == VALUE_BAD)
        return a;
    Expr square = vector_dot(e->model->vectors, a.vector, a.vector);
    Value value = value_scalar(expr_sqrt(e->pool, square));
    value.dim = a.dim;
    value_mark(&value, &a);
    return value;
}

static Value motion_of_point(Elaborator *e, Value *args, const Place *places, Place place,
                             const char *what, uint32_t times)
{
    Value point = value_as_point(e, args[0], places[0], what);
    if (point.kind == VALUE_BAD)
        return point;
    point.kind = VALUE_VECTOR;
    return value_prime(e, point, times, place);
}

static Value call_velocity(Elaborator *e, Value *args, const Place *places, Place place)
{
    return motion_of_point(e, args, places, place, "the argument of velocity", 1);
}

static Value call_acceleration(Elaborator *e, Value *args, const Place *places, Place place)
{
    return motion_of_point(e, args, places, place, "the argument of acceleration", 2);
}

// One derivative more than what the frame is turned by.
static int8_t order_of_omega(const Value *frame)
{
    return frame->order < 0 ? -1 : (int8_t)(frame->order + 1);
}

static Value call_omega(Elaborator *e, Value *args, const Place *places, Place place)
{
    (void)place;
    Value frame = args[0];
    if (frame.kind == VALUE_BAD)
        return frame;
    if (frame.kind != VALUE_FRAME && frame.kind != VALUE_BODY)
        return value_fail_kind(e, &frame, places[0], "the argument of omega", VALUE_FRAME);
    Vector spin = frame_omega(e->model->vectors, frame.frame);
    if (e->tracer)
        spin = trace_spin(e, spin, frame.frame);
    Value omega = value_of_vector(VALUE_VECTOR, spin);
    omega.order = order_of_omega(&frame);
    omega.timed = frame.timed;
    omega.domains = frame.domains;
    omega.dim = dim_of(0, 0, -1);
    return omega;
}

// The velocity of the particle of a body that is at a point now: that of its centre of mass
// plus omega × the way from there to the point.
static Value velocity_on(Elaborator *e, const Node *on)
{
    const Child *children = syntax_children(e->syntax, on);
    Place places[] = {syntax_node_place(e->syntax, children[0].node),
                      syntax_node_place(e->syntax, children[1].node)};
    Value point = value_as_point(e, elaborate_child(e, children[0].node), places[0],
                                 "what stands before 'on'");
    Value body = elaborate_child(e, children[1].node);
    if (point.kind == VALUE_BAD || body.kind == VALUE_BAD)
        return value_bad();
    if (body.kind != VALUE_BODY)
        return value_fail_kind(e, &body, places[1], "what follows 'on'", VALUE_BODY);
    Vectors *vectors = e->model->vectors;
    Vector centre = e->model->bodies.at[body.body].position;
    Vector arm = vector_sub(vectors, point.vector, centre);
    Vector turning = vector_cross(vectors, frame_omega(vectors, body.frame), arm);
    Vector velocity = vector_add(vectors, vector_rate(vectors, centre), turning);
    if (e->tracer) {
        const Node *what = &e->syntax->nodes.at[children[0].node];
        Str name = syntax_text(e->syntax, what->start, what->length);
        velocity = trace_particle(e, velocity, point.vector, name, body.body);
    }
    Value value = value_of_vector(VALUE_VECTOR, velocity);
    value.dim = dim_of(0, 1, -1);
    value_mark(&value, &point);
    value_mark(&value, &body);
    if (order_of_omega(&body) > value.order)
        value.order = order_of_omega(&body);
    return value;
}

static Value call_sqrt(Elaborator *e, Value *args, const Place *places, Place place)
{
    (void)place;
    Value a = value_as_scalar(e, args[0], places[0], "the argument of sqrt");
    if (a.kind == VALUE_BAD)
        return a;
    a.scalar = expr_sqrt(e->pool, a.scalar);
    if (!dim_power(a.dim, 1, 2, &a.dim))
        a.dim = dim_pure();
    return a;
}

// Both integers; the divisor is above zero, so that 0 ≤ mod < b.
static bool whole_division(Elaborator *e, const Value *args, const Place *places, int64_t *div,
                           int64_t *mod)
{
    int64_t a, b;
    if (args[0].kind == VALUE_BAD || args[1].kind == VALUE_BAD)
        return false;
    for (int i = 0; i < 2; i++)
        if (!value_integer(e, &args[i], i == 0 ? &a : &b))
            return elaborate_fail(e, places[i],
                                  "div and mod take integers, in numbers, constants and loop "
                                  "variables");
    if (b <= 0)
        return elaborate_fail(e, places[1], "div and mod divide by a positive integer");
    *mod = (a % b + b) % b;
    *div = (a - *mod) / b;
    return true;
}

static Value call_div(Elaborator *e, Value *args, const Place *places, Place place)
{
    (void)place;
    int64_t div, mod;
    if (!whole_division(e, args, places, &div, &mod))
        return value_bad();
    return value_scalar(expr_int(e->pool, div));
}

static Value call_mod(Elaborator *e, Value *args, const Place *places, Place place)
{
    (void)place;
    int64_t div, mod;
    if (!whole_division(e, args, places, &div, &mod))
        return value_bad();
    return value_scalar(expr_int(e->pool, mod));
}

// Its argument was read as the name of a condition, not as a value.
static Value call_normal(Elaborator *e, Value *args, const Place *places, Place place)
{
    (void)place;
    if (args[0].kind == VALUE_BAD || args[0].multiplier)
        return args[0];
    elaborate_fail(e, places[0],
                   "normal(NAME) is the normal force of a condition with friction; "
                   "its argument is the condition's name");
    return value_bad();
}

typedef struct {
    const char *name;
    uint32_t arguments;
    CallFunction call;
} CallRow;

static const CallRow calls[] = {
    {"dot", 2, call_dot},       {"cross", 2, call_cross},
    {"norm", 1, call_norm},     {"velocity", 1, call_velocity},
    {"omega", 1, call_omega},   {"acceleration", 1, call_acceleration},
    {"sqrt", 1, call_sqrt},     {"div", 2, call_div},
    {"mod", 2, call_mod},       {"diff", 2, call_diff},
    {"normal", 1, call_normal}, {"transpose", 1, call_transpose},
};
enum { CALL_COUNT = sizeof calls / sizeof *calls };

static const CallRow *find_call(Str name)
{
    for (size_t i = 0; i < CALL_COUNT; i++)
        if (str_is(name, calls[i].name))
            return &calls[i];
    return NULL;
}

bool calls_is_function(Str name)
{
    ExprOp op;
    return find_call(name) || expr_op_find(name, &op) || str_is(name, "sum");
}

// ---- Dispatch.

static Value fail_unknown(Elaborator *e, const Node *node, Place place)
{
    Str name = syntax_name(e->syntax, node->name);
    Shown shown = text_shown(name);
    const NameEntry *entry = e->free_symbols ? NULL : names_find(e, name);
    place.length = 0;
    while (e->syntax->source->at[place.start + place.length] != '(')
        place.length++;
    if (!e->free_symbols && !entry && names_explain(e, place, name))
        return value_bad();
    if (entry && !calls_is_function(name)) {
        elaborate_fail(e, place, "'%s' is %s, not a function; a product is written with '*'",
                       shown.at, names_kind(entry->kind));
        return value_bad();
    }
    if (foreign_function_fail(e, node, place))
        return value_bad();
    size_t own = e->model ? e->model->functions.count : 0;
    Str *candidates = base_alloc((EXPR_OP_COUNT + CALL_COUNT + 1 + own) * sizeof *candidates);
    size_t count = 0;
    for (size_t i = 0; i < own; i++)
        candidates[count++] = str_of(e->model->functions.at[i].name);
    for (int op = 0; op < EXPR_OP_COUNT; op++)
        if (expr_op_arity((ExprOp)op) > 0 && op != EXPR_POW && op != EXPR_OPEN)
            candidates[count++] = str_of(expr_op_name((ExprOp)op));
    for (size_t i = 0; i < CALL_COUNT; i++)
        candidates[count++] = str_of(calls[i].name);
    candidates[count++] = str_of("sum");
    elaborate_fail_unknown(e, place, "function", name, candidates, count);
    base_free(candidates);
    return value_bad();
}

static bool check_count(Elaborator *e, const Node *node, uint32_t index, uint32_t wanted, bool more)
{
    if (node->count == wanted || (more && node->count > wanted))
        return true;
    Str name = syntax_name(e->syntax, node->name);
    return elaborate_fail(e, syntax_node_place(e->syntax, index), "'%s' takes %s%s, not %u",
                          text_shown(name).at, more ? "at least " : "",
                          wanted == 1 ? "one argument" : "two arguments", node->count);
}

// A function of scalars; min and max take any number from two on.
static Value scalar_call(Elaborator *e, const Node *node, uint32_t index, ExprOp op)
{
    const Child *children = syntax_children(e->syntax, node);
    uint32_t arity = (uint32_t)expr_op_arity(op);
    if (!check_count(e, node, index, arity, op == EXPR_MIN || op == EXPR_MAX))
        return value_bad();
    Text what = {0};
    text_addf(&what, "an argument of %s", expr_op_name(op));
    Value value = value_bad(), *args = base_alloc((node->count + 1) * sizeof *args);
    Place *places = base_alloc((node->count + 1) * sizeof *places);
    bool bad = false;
    for (uint32_t i = 0; i < node->count; i++) {
        Value arg = value_as_scalar(e, elaborate_child(e, children[i].node),
                                    syntax_node_place(e->syntax, children[i].node), what.at);
        bad = bad || arg.kind == VALUE_BAD;
        args[i] = arg;
        places[i] = syntax_node_place(e->syntax, children[i].node);
        if (bad)
            continue;
        Expr a = i == 0 ? arg.scalar : value.scalar;
        Expr b = i == 0 ? (Expr){0} : arg.scalar;
        if (i == 0)
            value = arg;
        else
            value_mark(&value, &arg);
        if (i > 0 || arity == 1)
            value.scalar = expr_call(e->pool, op, a, b);
    }
    text_clear(&what);
    bad = bad || !dim_call(e, op, args, node->count, places, &value.dim);
    base_free(args);
    base_free(places);
    return bad ? value_bad() : value;
}

Value elaborate_call(Elaborator *e, const Node *node, uint32_t index)
{
    Str name = syntax_name(e->syntax, node->name);
    Place place = syntax_node_place(e->syntax, index);
    const Child *children = syntax_children(e->syntax, node);
    if (node->count == 1 && str_is(name, "velocity")) {
        const Node *only = &e->syntax->nodes.at[children[0].node];
        if (only->kind == NODE_ON)
            return velocity_on(e, only);
    }
    for (uint32_t i = 0; i < node->count; i++)
        if (e->syntax->nodes.at[children[i].node].kind == NODE_ON) {
            elaborate_fail(e, syntax_node_place(e->syntax, children[i].node),
                           "'P on B' has a meaning only as velocity(P on B)");
            return value_bad();
        }
    Value own;
    if (functions_call(e, node, place, &own))
        return own;
    if (node->primes > 0 && calls_is_function(name)) {
        elaborate_fail(e, place,
                       "'%s' is a function of the language; its derivative is written out, or "
                       "taken by diff(…)",
                       text_shown(name).at);
        return value_bad();
    }
    ExprOp op;
    if (expr_op_find(name, &op))
        return scalar_call(e, node, index, op);
    const CallRow *row = find_call(name);
    if (!row || (e->free_symbols && row->call != call_sqrt))
        return fail_unknown(e, node, place);
    if (!check_count(e, node, index, row->arguments, false))
        return value_bad();
    Value args[MOST_ARGUMENTS];
    Place places[MOST_ARGUMENTS];
    for (uint32_t i = 0; i < node->count; i++) {
        args[i] = elaborate_child(e, children[i].node);
        places[i] = syntax_node_place(e->syntax, children[i].node);
    }
    return row->call(e, args, places, place);
}
