// witness.c: real rational points where something can be seen.
//
// The points are small fractions from a fixed sequence, positive ones first, because masses,
// lengths and what stands under roots usually are. A point shows something only where balls
// show it: then it is a proof, whatever led to the point. Points where a sign jumps show nothing.
//
// An open function takes any value at a point, and any other at another point: its values are free
// numbers, wherever balls show that their arguments differ.
#include "algebra/algebra_impl.h"
#include "expr/open_functions.h"

typedef struct {
    Program *program;
    ExprList symbols;
    size_t outputs, apart; // values, and squares behind them that must not be 0
    slong (*points)[2];    // numerators and denominators, point after point
    size_t point_count;
} Search;

enum { QUICK_POINTS = 3, THOROUGH_POINTS = 40, POSITIVE_POINTS = 8 };
enum { LARGE_POINTS = 24, SMALL = 18 }; // after so many all numbers are below 1: asin has values
enum { FIRST_PRECISION = 64, QUICK_PRECISION = 128, LAST_PRECISION = 1024 };

static void choose_points(Search *search)
{
    Random random = random_seed(0x7A65756765u);
    size_t symbols = search->symbols.count;
    search->points = base_alloc((search->point_count * symbols + 1) * sizeof *search->points);
    for (size_t i = 0; i < search->point_count * symbols; i++) {
        slong numerator = 1 + (slong)random_below(&random, 17);
        slong denominator =
            i < LARGE_POINTS * symbols ? 1 + (slong)random_below(&random, 7) : SMALL;
        bool negative = random_below(&random, 2) && i >= POSITIVE_POINTS * symbols;
        search->points[i][0] = negative ? -numerator : numerator;
        search->points[i][1] = denominator;
    }
}

// ---- Open functions.

typedef struct {
    Expr node;        // f(a, b)
    const Expr *args; // without open functions
} OpenValue;

typedef struct {
    ExprPool *pool;
    Arena *arena;
    IndexMap image; // of every node
    ARRAY(OpenValue) values;
    ARRAY(Expr) outputs;
} Closing;

static Expr image_of(const Closing *closing, Expr e)
{
    uint32_t at = e.at;
    index_map_get(&closing->image, e.at, &at);
    return (Expr){at};
}

// (a − a')² + (b − b')² of two values of the same function.
static Expr distance(ExprPool *pool, const OpenValue *one, const OpenValue *other, size_t count)
{
    Expr sum = expr_int(pool, 0);
    for (size_t i = 0; i < count; i++) {
        Expr difference = expr_sub(pool, one->args[i], other->args[i]);
        sum = expr_add(pool, sum, expr_pow_int(pool, difference, 2));
    }
    return sum;
}

// A free number takes the place of an open function, and is called as that was written.
static Expr free_value(Closing *closing, Expr node, const Expr *args)
{
    ExprPool *pool = closing->pool;
    OpenValue value = {node, args};
    const ExprOpen *function = expr_open_of(pool, node);
    for (size_t i = 0; i < closing->values.count; i++)
        if (expr_open_of(pool, closing->values.at[i].node) == function) {
            Expr apart = distance(pool, &value, &closing->values.at[i], function->arity);
            array_push(&closing->outputs, apart);
        }
    array_push(&closing->values, value);
    Text name = {0};
    expr_print(pool, node, &name);
    Expr symbol = expr_symbol_new(pool, name.at);
    text_clear(&name);
    return symbol;
}

static void close_node(Closing *closing, Expr node)
{
    ExprPool *pool = closing->pool;
    size_t count = expr_arg_count(pool, node);
    Expr *args = arena_alloc(closing->arena, (count + 1) * sizeof *args);
    bool changed = false;
    for (size_t i = 0; i < count; i++) {
        args[i] = image_of(closing, expr_arg(pool, node, i));
        changed = changed || !expr_same(args[i], expr_arg(pool, node, i));
    }
    Expr image = node;
    if (expr_op(pool, node) == EXPR_OPEN)
        image = free_value(closing, node, args);
    else if (changed)
        image = expr_rebuild(pool, node, args);
    if (!expr_same(image, node))
        index_map_put(&closing->image, node.at, image.at);
}

// The expressions with free numbers for open functions, and behind them what must not be 0.
static void close_open(Closing *closing, const Expr *exprs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        array_push(&closing->outputs, exprs[i]);
    if (expr_is_none(expr_find_open(closing->pool, exprs, count)))
        return;
    ExprList nodes = expr_nodes(closing->pool, exprs, count);
    for (size_t i = 0; i < nodes.count; i++)
        close_node(closing, (Expr){nodes.at[i]});
    for (size_t i = 0; i < count; i++)
        closing->outputs.at[i] = image_of(closing, exprs[i]);
    expr_list_free(&nodes);
}

static void closing_clear(Closing *closing)
{
    arena_free(closing->arena);
    index_map_clear(&closing->image);
    array_clear(&closing->values);
    array_clear(&closing->outputs);
}

// ---- The search.

static bool search_init(Search *search, const Algebra *algebra, const Expr *exprs, size_t count,
                        WitnessEffort effort)
{
    Closing closing = {.pool = algebra->pool, .arena = arena_new()};
    close_open(&closing, exprs, count);
    exprs = closing.outputs.at;
    *search = (Search){.outputs = count, .apart = closing.outputs.count - count};
    count = closing.outputs.count;
    search->symbols = expr_symbols(algebra->pool, exprs, count);
    search->point_count = effort == WITNESS_QUICK ? QUICK_POINTS : THOROUGH_POINTS;
    if (search->symbols.count == 0)
        search->point_count = 1;
    Expr *symbols = base_alloc((search->symbols.count + 1) * sizeof *symbols);
    for (size_t i = 0; i < search->symbols.count; i++)
        symbols[i] = (Expr){search->symbols.at[i]};
    search->program =
        program_new(algebra->pool, symbols, search->symbols.count, exprs, count, NULL);
    base_free(symbols);
    closing_clear(&closing);
    choose_points(search);
    return search->program != NULL;
}

static void search_clear(Search *search)
{
    program_free(search->program);
    expr_list_free(&search->symbols);
    base_free(search->points);
}

static void point_at(const Search *search, size_t point, size_t symbol, fmpq_t value)
{
    const slong *parts = search->points[point * search->symbols.count + symbol];
    fmpq_set_si(value, parts[0], (ulong)parts[1]);
}

static bool try_point(const Search *search, size_t point, slong precision, WitnessTest test,
                      void *context)
{
    slong inputs = (slong)search->symbols.count;
    slong outputs = (slong)(search->outputs + search->apart);
    arb_ptr at = _arb_vec_init(inputs), values = _arb_vec_init(outputs);
    fmpq_t value;
    fmpq_init(value);
    for (size_t i = 0; i < search->symbols.count; i++) {
        point_at(search, point, i, value);
        arb_set_fmpq(at + i, value, precision);
    }
    program_run_ball(search->program, precision, at, values);
    bool apart = true;
    for (size_t i = 0; i < search->apart && apart; i++)
        apart = witness_excludes_zero(NULL, values + search->outputs + i, precision);
    bool shown = apart && test(context, values, precision);
    fmpq_clear(value);
    _arb_vec_clear(at, inputs);
    _arb_vec_clear(values, outputs);
    return shown;
}

// "x = 3/7, theta = 2".
static char *point_text(const Search *search, const Algebra *algebra, size_t point)
{
    Text text = {0};
    fmpq_t value;
    fmpq_init(value);
    for (size_t i = 0; i < search->symbols.count; i++) {
        point_at(search, point, i, value);
        slong num = fmpz_get_si(fmpq_numref(value)), den = fmpz_get_si(fmpq_denref(value));
        text_addf(&text, "%s%s = %ld", i ? ", " : "",
                  expr_name(algebra->pool, (Expr){search->symbols.at[i]}), (long)num);
        if (den != 1)
            text_addf(&text, "/%ld", (long)den);
    }
    if (search->symbols.count == 0)
        text_add(&text, "any values");
    fmpq_clear(value);
    return text.at;
}

bool witness_find(const Algebra *algebra, const Expr *exprs, size_t count, WitnessEffort effort,
                  WitnessTest test, void *context, char **text)
{
    Search search;
    bool found = false;
    slong last = effort == WITNESS_QUICK ? QUICK_PRECISION : LAST_PRECISION;
    if (search_init(&search, algebra, exprs, count, effort)) {
        for (slong precision = FIRST_PRECISION; precision <= last && !found; precision *= 2)
            for (size_t i = 0; i < search.point_count && !found; i++) {
                found = try_point(&search, i, precision, test, context);
                if (found)
                    *text = point_text(&search, algebra, i);
            }
    }
    search_clear(&search);
    return found;
}

typedef struct {
    size_t count;
    double *values;
} PointValues;

static bool keep_values(void *context, arb_srcptr values, slong precision)
{
    const PointValues *kept = context;
    if (!witness_excludes_zero(NULL, values, precision))
        return false;
    for (size_t i = 0; i < kept->count; i++) {
        if (!arb_is_finite(values + i))
            return false;
        kept->values[i] = arf_get_d(arb_midref(values + i), ARF_RND_NEAR);
    }
    return true;
}

bool algebra_nonzero_point(Algebra *algebra, const Expr *exprs, size_t count, double *values)
{
    char *text = NULL;
    PointValues kept = {count, values};
    bool found = witness_find(algebra, exprs, count, WITNESS_THOROUGH, keep_values, &kept, &text);
    base_free(text);
    return found;
}

bool witness_excludes_zero(void *context, arb_srcptr values, slong precision)
{
    (void)context, (void)precision;
    return arb_is_finite(values) && !arb_contains_zero(values);
}
