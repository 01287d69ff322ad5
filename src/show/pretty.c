// pretty.c: expressions as a textbook prints them, in Unicode or LaTeX.
//
// Factors stand in the order numbers, parameters, coordinates, functions, velocities,
// accelerations, multipliers; terms with higher derivatives first.
#include "expr/open_functions.h"
#include "show/pretty_impl.h"

#include "show/latex_impl.h"
#include "show/quantities_impl.h"
#include "show/short_forms_impl.h"
#include "show/show_impl.h"
#include "show/symbol_class_impl.h"
#include "show/tree_size_impl.h"

#include <assert.h>
#include <string.h>

// ---- Style: Unicode text, or LaTeX.

static const char *times(const Show *show)
{
    return show->latex ? "\\," : "·";
}

static const char *minus_sign(const Show *show)
{
    return show->latex ? "-" : "−";
}

static void open_bracket(const Show *show, Text *out)
{
    text_add(out, show->latex ? "\\left(" : "(");
}

static void close_bracket(const Show *show, Text *out)
{
    text_add(out, show->latex ? "\\right)" : ")");
}

// ---- Classes.

static SymbolClass class_of(const Show *show, Expr e)
{
    switch (expr_op(show->pool, e)) {
    case EXPR_NUMBER: return CLASS_NUMBER;
    case EXPR_PI: return CLASS_PARAMETER;
    case EXPR_SYMBOL:
        return quantities_has(show, e) ? CLASS_FUNCTION : symbol_class(show->classes, e);
    default: return CLASS_FUNCTION;
    }
}

// The highest class of a factor: what a term is about.
static SymbolClass class_of_term(const Show *show, Expr e)
{
    if (expr_op(show->pool, e) != EXPR_PRODUCT)
        return class_of(show, e);
    SymbolClass highest = CLASS_NUMBER;
    for (size_t i = 0; i < expr_arg_count(show->pool, e); i++) {
        SymbolClass class = class_of(show, expr_arg(show->pool, e, i));
        if (class > highest)
            highest = class;
    }
    return highest;
}

// ---- Order of parts: by class, then as they stand. Lists are short; insertion will do.

static size_t *ordered_parts(const Show *show, Expr e, bool highest_first)
{
    size_t count = expr_arg_count(show->pool, e);
    size_t *order = base_alloc(count * sizeof *order + 1);
    SymbolClass *classes = base_alloc(count * sizeof *classes + 1);
    for (size_t i = 0; i < count; i++) {
        Expr part = expr_arg(show->pool, e, i);
        classes[i] =
            highest_first ? CLASS_MULTIPLIER - class_of_term(show, part) : class_of(show, part);
        size_t j = i;
        for (; j > 0 && classes[order[j - 1]] > classes[i]; j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
    base_free(classes);
    return order;
}

// ---- Writing. Recursion is bounded by the size that show_expr lets through.

typedef enum { BIND_SUM, BIND_PRODUCT, BIND_POWER } Binding;
static void write_expr(const Show *show, Expr e, Binding within, Text *out);
static void write_arguments(const Show *show, Expr e, Text *out);

static void add_integer(const fmpz_t value, Text *out)
{
    char *digits = fmpz_get_str(NULL, 10, value);
    text_add(out, digits);
    flint_free(digits);
}

static void add_superscript(const fmpz_t value, Text *out)
{
    static const char *const superscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char *digits = fmpz_get_str(NULL, 10, value);
    for (const char *at = digits; *at; at++)
        text_add(out, superscripts[*at - '0']);
    flint_free(digits);
}

// A small whole exponent: ², ^{2}.
static void add_times(const Show *show, uint32_t exponent, Text *out)
{
    fmpz_t value;
    fmpz_init_set_ui(value, exponent);
    if (show->latex)
        text_addf(out, "^{%u}", exponent);
    else
        add_superscript(value, out);
    fmpz_clear(value);
}

static void latex_exponent(const fmpq_t exponent, Text *out)
{
    text_add(out, "^{");
    add_integer(fmpq_numref(exponent), out);
    if (!fmpz_is_one(fmpq_denref(exponent))) {
        text_add(out, "/");
        add_integer(fmpq_denref(exponent), out);
    }
    text_add(out, "}");
}

void show_styled_name(const Show *show, const char *name, Text *out)
{
    if (show->latex)
        show_latex_name(name, out);
    else
        show_name(name, out);
}

// A power of a sine, a cosine or a tangent, as it is printed: sin²ψ.
static bool write_raised_function(const Show *show, Expr base, const fmpq_t exponent, Text *out)
{
    ExprOp op = expr_op(show->pool, base);
    bool raised = show->latex && (op == EXPR_SIN || op == EXPR_COS || op == EXPR_TAN) &&
                  fmpz_is_one(fmpq_denref(exponent)) && fmpz_cmp_ui(fmpq_numref(exponent), 1) > 0;
    if (raised) {
        show_latex_function(expr_op_name(op), out);
        latex_exponent(exponent, out);
        write_arguments(show, base, out);
    }
    return raised;
}

static void write_power(const Show *show, Expr base, const fmpq_t exponent, Text *out)
{
    if (write_raised_function(show, base, exponent, out))
        return;
    fmpq_t half;
    fmpq_init(half);
    fmpq_set_si(half, 1, 2);
    if (fmpq_is_one(exponent)) {
        write_expr(show, base, BIND_PRODUCT, out);
    } else if (fmpq_equal(exponent, half)) {
        text_add(out, show->latex ? "\\sqrt{" : "sqrt(");
        write_expr(show, base, BIND_SUM, out);
        text_add(out, show->latex ? "}" : ")");
    } else {
        write_expr(show, base, BIND_POWER, out);
        if (show->latex) {
            latex_exponent(exponent, out);
        } else if (fmpz_is_one(fmpq_denref(exponent))) {
            add_superscript(fmpq_numref(exponent), out);
        } else {
            text_add(out, "^(");
            add_integer(fmpq_numref(exponent), out);
            text_add(out, "/");
            add_integer(fmpq_denref(exponent), out);
            text_add(out, ")");
        }
    }
    fmpq_clear(half);
}

// The factors with positive (or, turned over, negative) exponents. Returns how many.
static size_t write_factors(const Show *show, Expr product, const size_t *order, bool below,
                            bool begun, Text *out)
{
    size_t written = 0;
    fmpq_t exponent;
    fmpq_init(exponent);
    for (size_t i = 0; i < expr_arg_count(show->pool, product); i++) {
        fmpq_set(exponent, expr_arg_weight(show->pool, product, order[i]));
        if ((fmpq_sgn(exponent) < 0) != below)
            continue;
        fmpq_abs(exponent, exponent);
        if (begun || written > 0)
            text_add(out, times(show));
        write_power(show, expr_arg(show->pool, product, order[i]), exponent, out);
        written++;
    }
    fmpq_clear(exponent);
    return written;
}

static size_t factors_below(const Show *show, Expr product)
{
    size_t count = 0;
    for (size_t i = 0; i < expr_arg_count(show->pool, product); i++)
        count += fmpq_sgn(expr_arg_weight(show->pool, product, i)) < 0;
    return count;
}

// |coefficient|·e, where e is no number: p·factors/(q·below).
static void write_scaled(const Show *show, const fmpq_t coefficient, Expr e, Text *out)
{
    bool product = expr_op(show->pool, e) == EXPR_PRODUCT;
    size_t *order = product ? ordered_parts(show, e, false) : NULL;
    fmpz_t p;
    fmpz_init(p);
    fmpz_abs(p, fmpq_numref(coefficient));
    size_t above = product ? expr_arg_count(show->pool, e) - factors_below(show, e) : 1;
    size_t below = (product ? factors_below(show, e) : 0) + !fmpz_is_one(fmpq_denref(coefficient));
    bool begun = !fmpz_is_one(p) || above == 0;
    bool fraction = show->latex && below > 0;
    if (fraction)
        text_add(out, "\\frac{");
    if (begun)
        add_integer(p, out);
    if (product)
        write_factors(show, e, order, false, begun, out);
    else {
        if (begun)
            text_add(out, times(show));
        write_expr(show, e, BIND_PRODUCT, out);
    }
    if (fraction)
        text_add(out, "}{");
    else if (below > 0)
        text_add(out, below > 1 ? "/(" : "/");
    if (!fmpz_is_one(fmpq_denref(coefficient)))
        add_integer(fmpq_denref(coefficient), out);
    if (product)
        write_factors(show, e, order, true, !fmpz_is_one(fmpq_denref(coefficient)), out);
    if (fraction)
        text_add(out, "}");
    else if (below > 1)
        text_add(out, ")");
    fmpz_clear(p);
    base_free(order);
}

static void write_number(const fmpq_t value, Text *out)
{
    fmpz_t p;
    fmpz_init(p);
    fmpz_abs(p, fmpq_numref(value));
    add_integer(p, out);
    fmpz_clear(p);
    if (!fmpz_is_one(fmpq_denref(value))) {
        text_add(out, "/");
        add_integer(fmpq_denref(value), out);
    }
}

static void write_sign(const Show *show, bool first, bool minus, Text *out)
{
    if (first)
        text_add(out, minus ? minus_sign(show) : "");
    else
        text_addf(out, " %s ", minus ? minus_sign(show) : "+");
}

static void write_sum(const Show *show, Expr e, Text *out)
{
    size_t *order = ordered_parts(show, e, true);
    size_t count = expr_arg_count(show->pool, e);
    const fmpq *constant = expr_value(show->pool, e);
    // Among terms of one class a positive one leads, where there is one.
    if (count > 0 && fmpq_sgn(expr_arg_weight(show->pool, e, order[0])) < 0) {
        SymbolClass first = class_of_term(show, expr_arg(show->pool, e, order[0]));
        for (size_t i = 1; i < count; i++) {
            if (class_of_term(show, expr_arg(show->pool, e, order[i])) != first)
                break;
            if (fmpq_sgn(expr_arg_weight(show->pool, e, order[i])) > 0) {
                size_t lead = order[i];
                memmove(order + 1, order, i * sizeof *order);
                order[0] = lead;
                break;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        const fmpq *weight = expr_arg_weight(show->pool, e, order[i]);
        write_sign(show, i == 0, fmpq_sgn(weight) < 0, out);
        write_scaled(show, weight, expr_arg(show->pool, e, order[i]), out);
    }
    if (!fmpq_is_zero(constant)) {
        write_sign(show, false, fmpq_sgn(constant) < 0, out);
        write_number(constant, out);
    }
    base_free(order);
}

// The argument of a sine, a cosine or a tangent that is a letter needs no brackets in print.
static bool is_bare(const Show *show, Expr e)
{
    ExprOp op = expr_op(show->pool, e);
    return show->latex && (op == EXPR_SIN || op == EXPR_COS || op == EXPR_TAN) &&
           expr_op(show->pool, expr_arg(show->pool, e, 0)) == EXPR_SYMBOL;
}

static void write_arguments(const Show *show, Expr e, Text *out)
{
    if (is_bare(show, e)) {
        text_add(out, " ");
        write_expr(show, expr_arg(show->pool, e, 0), BIND_SUM, out);
        return;
    }
    open_bracket(show, out);
    for (size_t i = 0; i < expr_arg_count(show->pool, e); i++) {
        text_add(out, i ? ", " : "");
        write_expr(show, expr_arg(show->pool, e, i), BIND_SUM, out);
    }
    close_bracket(show, out);
}

// Whether an open function of several arguments is differentiated here: ∂U/∂x.
static bool is_partial(const Show *show, Expr e)
{
    if (expr_op(show->pool, e) != EXPR_OPEN)
        return false;
    const ExprOpen *open = expr_open_of(show->pool, e);
    return open->order > 0 && open->arity > 1;
}

// Whether a function is taken at the very names that its arguments were given.
static bool is_at_own_names(const Show *show, Expr e)
{
    const ExprOpen *open = expr_open_of(show->pool, e);
    bool own = open->arguments != NULL;
    for (uint32_t i = 0; i < open->arity && own; i++) {
        Expr arg = expr_arg(show->pool, e, i);
        own = expr_is_symbol(show->pool, arg) &&
              strcmp(expr_name(show->pool, arg), open->arguments[i]) == 0;
    }
    return own;
}

// x, or x², for an argument by which it is differentiated so many times.
static void write_by(const Show *show, const ExprOpen *open, uint32_t argument, uint32_t times,
                     Text *out)
{
    text_add(out, show->latex ? "\\partial " : "∂");
    if (open->arguments)
        show_styled_name(show, open->arguments[argument], out);
    else
        text_addf(out, show->latex ? "x_{%u}" : "x%u", argument + 1);
    if (times > 1)
        add_times(show, times, out);
}

// ∂²U/∂x∂y, and where it is taken unless that is what its arguments are called.
static void write_partial(const Show *show, Expr e, Text *out)
{
    const ExprOpen *open = expr_open_of(show->pool, e);
    text_add(out, show->latex ? "\\frac{\\partial" : "∂");
    if (open->order > 1)
        add_times(show, open->order, out);
    text_add(out, show->latex ? " " : "");
    show_styled_name(show, open->name, out);
    text_add(out, show->latex ? "}{" : "/");
    for (uint32_t i = 0, times; i < open->order; i += times) {
        for (times = 1; i + times < open->order && open->by[i + times] == open->by[i];)
            times++;
        write_by(show, open, open->by[i], times, out);
    }
    text_add(out, show->latex ? "}" : "");
    if (!is_at_own_names(show, e))
        write_arguments(show, e, out);
}

// f(x), f′(x), f″(x); ∂U/∂x.
static void write_open(const Show *show, Expr e, Text *out)
{
    const ExprOpen *open = expr_open_of(show->pool, e);
    if (is_partial(show, e)) {
        write_partial(show, e, out);
        return;
    }
    show_styled_name(show, open->name, out);
    for (uint32_t i = 0; show->latex && i < open->order; i++)
        text_add_char(out, '\'');
    for (uint32_t i = 0; !show->latex && i < open->order; i += 2)
        text_add(out, i + 1 < open->order ? "″" : "′");
    write_arguments(show, e, out);
}

static void write_call(const Show *show, Expr e, Text *out)
{
    ExprOp op = expr_op(show->pool, e);
    if (op == EXPR_OPEN) {
        write_open(show, e, out);
        return;
    }
    if (op == EXPR_POW) {
        write_expr(show, expr_arg(show->pool, e, 0), BIND_POWER, out);
        text_add(out, show->latex ? "^{" : "^");
        write_expr(show, expr_arg(show->pool, e, 1), show->latex ? BIND_SUM : BIND_POWER, out);
        text_add(out, show->latex ? "}" : "");
        return;
    }
    if (show->latex)
        show_latex_function(expr_op_name(op), out);
    else
        text_add(out, expr_op_name(op));
    write_arguments(show, e, out);
}

static bool wants_parentheses(const Show *show, Expr e, Binding within)
{
    switch (expr_op(show->pool, e)) {
    case EXPR_SUM:
    case EXPR_PRODUCT: return within != BIND_SUM;
    case EXPR_POW: return within == BIND_POWER;
    case EXPR_OPEN: return within > (show->latex ? BIND_PRODUCT : BIND_SUM) && is_partial(show, e);
    case EXPR_NUMBER:
        return within != BIND_SUM && (fmpq_sgn(expr_value(show->pool, e)) < 0 ||
                                      !fmpz_is_one(fmpq_denref(expr_value(show->pool, e))));
    default: return false;
    }
}

static void write_inside(const Show *show, Expr e, Text *out)
{
    switch (expr_op(show->pool, e)) {
    case EXPR_NUMBER:
        write_sign(show, true, fmpq_sgn(expr_value(show->pool, e)) < 0, out);
        write_number(expr_value(show->pool, e), out);
        break;
    case EXPR_SYMBOL: show_styled_name(show, expr_name(show->pool, e), out); break;
    case EXPR_PI: text_add(out, show->latex ? "\\pi" : "π"); break;
    case EXPR_SUM: write_sum(show, e, out); break;
    case EXPR_PRODUCT:
        write_sign(show, true, fmpq_sgn(expr_value(show->pool, e)) < 0, out);
        write_scaled(show, expr_value(show->pool, e), e, out);
        break;
    default: write_call(show, e, out); break;
    }
}

static void write_expr(const Show *show, Expr e, Binding within, Text *out)
{
    bool parentheses = wants_parentheses(show, e, within);
    if (parentheses)
        open_bracket(show, out);
    write_inside(show, e, out);
    if (parentheses)
        close_bracket(show, out);
}

// ---- What is too long to be read is counted instead.

enum { LONGEST_SHOWN = 4000 }; // nodes of the tree as it would be written

// A line of a report, as far as it is one expression.
typedef struct {
    size_t nodes, parts;
} Line;

// One part of a line.
static void write_part(const Show *show, Expr e, Line line, Text *out)
{
    if (quantities_collect(show, e, line.nodes, line.parts))
        text_add(out, "…");
    else if (!quantities_replace(show, &e) && show_tree_size(show, e) >= LONGEST_SHOWN)
        text_addf(out,
                  show->latex ? "\\text{(%zu operations, too long to be read)}"
                              : "… (%zu operations, too long to be read)",
                  show_graph_size(show, e));
    else
        write_expr(show, e, BIND_SUM, out);
}

void show_expr(const Show *show, Expr e, Text *out)
{
    assert(!expr_is_none(e));
    write_part(show, e, (Line){show_tree_size(show, e), 1}, out);
}

void show_definition(const Show *show, const ShowQuantity *quantity, Text *out)
{
    assert(expr_is_symbol(show->pool, quantity->symbol));
    show_styled_name(show, expr_name(show->pool, quantity->symbol), out);
    text_add(out, " = ");
    write_expr(show, quantity->value, BIND_SUM, out);
}

static bool is_minus(const Show *show, Expr e)
{
    ExprOp op = expr_op(show->pool, e);
    return (op == EXPR_NUMBER || op == EXPR_PRODUCT) && fmpq_sgn(expr_value(show->pool, e)) < 0;
}

// Adds `coefficient·symbol` to a sum that is being written. A coefficient that is a sum keeps
// its parentheses; any other joins the symbol in one product.
static void add_collected(const Show *show, Expr coefficient, Expr symbol, bool first, Line line,
                          Text *out)
{
    ExprPool *pool = show->motion->pool;
    if (quantities_collect(show, coefficient, line.nodes, line.parts))
        return;
    bool settled = quantities_replace(show, &coefficient);
    bool minus = is_minus(show, coefficient);
    if (minus)
        coefficient = expr_neg(pool, coefficient);
    write_sign(show, first, minus, out);
    if (!settled && show_tree_size(show, coefficient) >= LONGEST_SHOWN) {
        text_addf(out, show->latex ? "\\text{(%zu operations)}\\," : "(… %zu operations)·",
                  show_graph_size(show, coefficient));
        show_styled_name(show, expr_name(pool, symbol), out);
    } else {
        write_expr(show, expr_mul(pool, coefficient, symbol), BIND_SUM, out);
    }
}

// Adds what is left to a sum that is being written; its own first sign joins it.
static void add_rest(const Show *show, Expr rest, bool first, Line line, Text *out)
{
    Text tail = {0};
    const char *sign = minus_sign(show);
    write_part(show, rest, line, &tail);
    if (!first && str_is((Str){tail.at, tail.length}, "0")) {
        text_clear(&tail);
        return; // seen to be 0 only now that it is written
    }
    bool minus = strncmp(tail.at, sign, strlen(sign)) == 0;
    write_sign(show, first, minus, out);
    text_add(out, tail.at + (minus ? strlen(sign) : 0));
    text_clear(&tail);
}

// Adds a part to the size of a line.
static Line longer(const Show *show, Line line, Expr part)
{
    bool nothing = expr_is_zero(show->pool, part);
    return (Line){line.nodes + (nothing ? 0 : show_tree_size(show, part)), line.parts + !nothing};
}

static void write_collected(const Show *show, const LinearParts *parts, const Expr *symbols,
                            size_t count, Text *out)
{
    Expr *coefficients = base_alloc((count + 1) * sizeof *coefficients);
    Line line = {0};
    for (size_t i = 0; i < count; i++) {
        coefficients[i] = show_short(show, parts->coefficients[i]);
        line = longer(show, line, coefficients[i]);
    }
    Expr rest = show_short(show, parts->rest);
    line = longer(show, line, rest);
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        if (expr_is_zero(show->pool, coefficients[i]))
            continue;
        add_collected(show, coefficients[i], symbols[i], first, line, out);
        first = false;
    }
    if (first || !expr_is_zero(show->pool, rest))
        add_rest(show, rest, first, line, out);
    base_free(coefficients);
}

// So many unknowns are too many to read, if what stands before them is endless.
enum { MOST_COLLECTED = 16 };
static const size_t ENDLESS = (size_t)1 << 31;

void show_collected(const Show *show, Expr e, const Expr *symbols, size_t count, Text *out)
{
    assert(symbols || count == 0);
    if (count > MOST_COLLECTED && show_tree_size(show, e) >= ENDLESS) {
        show_expr(show, e, out);
        return;
    }
    LinearParts parts = show_linear_parts(show, e, symbols, count);
    if (parts.linear)
        write_collected(show, &parts, symbols, count, out);
    else
        show_expr(show, show_short(show, e), out);
}

// ---- A single expression, made short for itself.

// e in its short form; none where it is too long to be read.
static Expr readable(const Show *show, Expr e)
{
    enum { WORTH_TRYING = 1000, READABLE = 120 };
    double effort = 1e5;
    size_t size = expr_is_none(e) ? 0 : show_graph_size(show, e);
    Expr shorter = e;
    if (size > 0 && size <= WORTH_TRYING)
        shorter = algebra_simplify_within(show->motion->algebra, e, &effort);
    return size > 0 && show_tree_size(show, shorter) <= READABLE ? shorter : (Expr){0};
}

bool show_is_readable(const Show *show, Expr e)
{
    return !expr_is_none(readable(show, e));
}

void show_readable(const Show *show, Expr e, Text *out)
{
    Expr shorter = readable(show, e);
    if (expr_is_none(shorter))
        text_add(out, "… (too long to be read)");
    else
        show_expr(show, shorter, out);
}
