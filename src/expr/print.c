// print.c: numbers read from text and expressions written to it, in the language's spelling.
//
// What is written is read back as the same node: a sum's terms and a product's factors are
// written flat, and whatever is a node of its own inside them stands in parentheses.
#include "expr/expr_impl.h"

#include <stdio.h>
#include <string.h>

// ---- Reading a number.

enum { LARGEST_EXPONENT = 5000, LONGEST_NUMBER = 5000, MANY_ZEROS = 24 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// An exponent ±digits that ends the text.
static bool read_exponent(const char *at, const char *end, int64_t *exponent)
{
    bool minus = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end)
        return false;
    *exponent = 0;
    for (; at < end; at++) {
        if (!is_digit(*at) || *exponent > LARGEST_EXPONENT)
            return false;
        *exponent = *exponent * 10 + (*at - '0');
    }
    if (minus)
        *exponent = -*exponent;
    return true;
}

bool expr_number_read(ExprPool *pool, Str digits, Expr *number)
{
    const char *at = digits.at, *end = digits.at + digits.length;
    if (digits.length == 0 || digits.length > LONGEST_NUMBER || !is_digit(*at))
        return false;
    Text plain = {0};
    int64_t exponent = 0, decimals = 0;
    bool good = true;
    for (bool point = false; at < end && good; at++) {
        if (is_digit(*at)) {
            text_add_char(&plain, *at);
            decimals += point;
        } else if (*at == '.' && !point && at + 1 < end && is_digit(at[1])) {
            point = true;
        } else {
            good = (*at == 'e' || *at == 'E') && read_exponent(at + 1, end, &exponent);
            break;
        }
    }
    exponent -= decimals;
    if (good && exponent <= LARGEST_EXPONENT && exponent >= -2 * LARGEST_EXPONENT) {
        fmpq_t value;
        fmpq_init(value);
        fmpz_set_str(fmpq_numref(value), plain.at, 10);
        fmpz_t power;
        fmpz_init(power);
        fmpz_set_ui(power, 10);
        fmpz_pow_ui(power, power, (ulong)(exponent < 0 ? -exponent : exponent));
        if (exponent < 0)
            fmpq_div_fmpz(value, value, power);
        else
            fmpq_mul_fmpz(value, value, power);
        *number = expr_number(pool, value);
        fmpz_clear(power);
        fmpq_clear(value);
    } else {
        good = false;
    }
    text_clear(&plain);
    return good;
}

// ---- Writing. A stack of pieces still to be written replaces recursion.

typedef enum { IN_SUM, IN_PRODUCT, IN_POWER } Within; // how tightly the surroundings bind

typedef struct {
    const char *word; // a fixed piece of text, or NULL for a node
    uint32_t node;
    Within within;
} Piece;

typedef struct {
    const ExprPool *pool;
    Text *out;
    ARRAY(Piece) stack;
    ARRAY(Piece) batch; // pieces of the node in hand, in reading order
    Arena *words;
} Printer;

static void put_word(Printer *printer, const char *word)
{
    array_push(&printer->batch, ((Piece){word, 0, IN_SUM}));
}

static void put_node(Printer *printer, uint32_t node, Within within)
{
    array_push(&printer->batch, ((Piece){NULL, node, within}));
}

// 1e300 for what would end in very many zeros: as it is read.
static void put_integer(Printer *printer, const fmpz_t value)
{
    char *digits = fmpz_get_str(NULL, 10, value);
    size_t length = strlen(digits), zeros = 0;
    while (zeros + 1 < length && digits[length - 1 - zeros] == '0')
        zeros++;
    bool many = zeros >= MANY_ZEROS;
    put_word(printer, arena_copy_text(printer->words, digits, many ? length - zeros : length));
    if (many) {
        char exponent[32];
        int written = snprintf(exponent, sizeof exponent, "e%zu", zeros);
        put_word(printer, arena_copy_text(printer->words, exponent, (size_t)written));
    }
    flint_free(digits);
}

// "^2", "^(1/2)"; nothing for 1.
static void put_exponent(Printer *printer, const fmpq_t exponent)
{
    if (fmpq_is_one(exponent))
        return;
    bool plain = fmpz_is_one(fmpq_denref(exponent)) && fmpq_sgn(exponent) > 0;
    put_word(printer, plain ? "^" : "^(");
    put_integer(printer, fmpq_numref(exponent));
    if (!fmpz_is_one(fmpq_denref(exponent))) {
        put_word(printer, "/");
        put_integer(printer, fmpq_denref(exponent));
    }
    if (!plain)
        put_word(printer, ")");
}

// Writes p·factors/q for the coefficient ±p/q. `factors` are links of a product, or one node.
static void put_scaled(Printer *printer, const fmpq_t coefficient, const Link *factors,
                       size_t count)
{
    const ExprPool *pool = printer->pool;
    fmpz_t p;
    fmpz_init(p);
    fmpz_abs(p, fmpq_numref(coefficient));
    bool begun = false;
    if (!fmpz_is_one(p)) {
        put_integer(printer, p);
        begun = true;
    }
    fmpz_clear(p);
    for (size_t i = 0; i < count; i++) {
        const fmpq *exponent = number_value(pool, factors[i].weight);
        if (fmpq_sgn(exponent) < 0)
            continue;
        if (begun)
            put_word(printer, "*");
        put_node(printer, factors[i].arg, fmpq_is_one(exponent) ? IN_PRODUCT : IN_POWER);
        put_exponent(printer, exponent);
        begun = true;
    }
    if (!begun)
        put_word(printer, "1");
    fmpq_t minus;
    fmpq_init(minus);
    for (size_t i = 0; i < count; i++) {
        const fmpq *exponent = number_value(pool, factors[i].weight);
        if (fmpq_sgn(exponent) >= 0)
            continue;
        put_word(printer, "/");
        fmpq_neg(minus, exponent);
        put_node(printer, factors[i].arg, IN_POWER);
        put_exponent(printer, minus);
    }
    fmpq_clear(minus);
    if (!fmpz_is_one(fmpq_denref(coefficient))) {
        put_word(printer, "/");
        put_integer(printer, fmpq_denref(coefficient));
    }
}

static void put_sum(Printer *printer, const Node *node)
{
    const ExprPool *pool = printer->pool;
    for (size_t i = 0; i < node->count; i++) {
        Link link = pool->links.at[node->first + i];
        const fmpq *weight = number_value(pool, link.weight);
        bool minus = fmpq_sgn(weight) < 0;
        put_word(printer, i == 0 ? (minus ? "-" : "") : (minus ? " - " : " + "));
        const Node *term = &pool->nodes.at[link.arg];
        Link whole = {link.arg, NUMBER_ONE};
        if (term->op == EXPR_PRODUCT)
            put_scaled(printer, weight, pool->links.at + term->first, term->count);
        else
            put_scaled(printer, weight, &whole, 1);
    }
    const fmpq *constant = number_value(pool, node->value);
    if (fmpq_is_zero(constant))
        return;
    put_word(printer, fmpq_sgn(constant) < 0 ? " - " : " + ");
    put_scaled(printer, constant, NULL, 0);
}

static void put_call(Printer *printer, const Node *node)
{
    const Link *links = printer->pool->links.at + node->first;
    if (node->op == EXPR_POW) {
        put_node(printer, links[0].arg, IN_POWER);
        put_word(printer, "^");
        put_node(printer, links[1].arg, IN_POWER);
        return;
    }
    bool open = node->op == EXPR_OPEN;
    put_word(printer,
             open ? printer->pool->open.at[node->value]->spelling : expr_op_name((ExprOp)node->op));
    put_word(printer, "(");
    for (size_t i = 0; i < node->count; i++) {
        put_word(printer, i ? ", " : "");
        put_node(printer, links[i].arg, IN_SUM);
    }
    put_word(printer, ")");
}

// Whether the node needs parentheses where it stands.
static bool needs_parentheses(const ExprPool *pool, const Node *node, Within within)
{
    switch (node->op) {
    case EXPR_SUM: return within != IN_SUM;
    // A product that is a node of its own inside another stays one by its parentheses.
    case EXPR_PRODUCT: return within != IN_SUM;
    case EXPR_POW: return within == IN_POWER;
    case EXPR_NUMBER: {
        const fmpq *value = number_value(pool, node->value);
        bool plain = fmpz_is_one(fmpq_denref(value)) && fmpq_sgn(value) >= 0;
        return !plain && within != IN_SUM;
    }
    default: return false;
    }
}

static void put_inside(Printer *printer, uint32_t index, const Node *node)
{
    const ExprPool *pool = printer->pool;
    switch (node->op) {
    case EXPR_NUMBER:
    case EXPR_PRODUCT:
        if (number_sign(pool, node->value) < 0)
            put_word(printer, "-");
        put_scaled(printer, number_value(pool, node->value), pool->links.at + node->first,
                   node->count);
        break;
    case EXPR_SYMBOL: put_word(printer, expr_name(pool, (Expr){index})); break;
    case EXPR_PI: put_word(printer, "pi"); break;
    case EXPR_SUM: put_sum(printer, node); break;
    default: put_call(printer, node); break;
    }
}

void expr_print(const ExprPool *pool, Expr e, Text *out)
{
    Printer printer = {.pool = pool, .out = out, .words = arena_new()};
    array_push(&printer.stack, ((Piece){NULL, e.at, IN_SUM}));
    while (printer.stack.count > 0) {
        Piece piece = printer.stack.at[--printer.stack.count];
        if (piece.word) {
            text_add(out, piece.word);
            continue;
        }
        const Node *node = &pool->nodes.at[piece.node];
        bool parentheses = needs_parentheses(pool, node, piece.within);
        printer.batch.count = 0;
        if (parentheses)
            put_word(&printer, "(");
        put_inside(&printer, piece.node, node);
        if (parentheses)
            put_word(&printer, ")");
        for (size_t i = printer.batch.count; i-- > 0;)
            array_push(&printer.stack, printer.batch.at[i]);
    }
    array_clear(&printer.stack);
    array_clear(&printer.batch);
    arena_free(printer.words);
}

bool expr_is_printable(const ExprPool *pool, Expr e)
{
    enum { MOST = 1 << 20 };
    size_t count = 0;
    ARRAY(uint32_t) stack = {0};
    for (array_push(&stack, e.at); stack.count > 0 && count <= MOST; count++) {
        Expr top = {stack.at[--stack.count]};
        for (size_t i = 0; i < expr_arg_count(pool, top); i++)
            array_push(&stack, expr_arg(pool, top, i).at);
    }
    array_clear(&stack);
    return count <= MOST;
}
