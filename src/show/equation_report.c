// equation_report.c: what was found about published equations, for the eye and as JSON.
#include "show/check_impl.h"
#include "show/equation_text_impl.h"
#include "show/json_impl.h"
#include "show/layout_impl.h"
#include "show/pretty_impl.h"
#include "show/show_impl.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

// ---- An equation as it was asked, with the signs and letters of a textbook.

static size_t span_of(Str text, const char *others)
{
    size_t length = 0;
    while (length < text.length &&
           (isalnum((unsigned char)text.at[length]) || strchr(others, text.at[length])))
        length++;
    return length;
}

// A name with its primes, or a number.
static size_t add_word(Str text, Text *out)
{
    bool number = isdigit((unsigned char)*text.at);
    size_t length = span_of(text, number ? "." : "_.'");
    Text word = {0};
    text_add_str(&word, (Str){text.at, length});
    if (number)
        text_add(out, word.at);
    else
        show_name(word.at, out);
    text_clear(&word);
    return length;
}

// Blanks, line ends and comments are one blank.
static size_t skip_blanks(Str text)
{
    size_t length = 0;
    while (length < text.length) {
        if (text.at[length] == '#')
            while (length < text.length && text.at[length] != '\n')
                length++;
        else if (!isspace((unsigned char)text.at[length]))
            break;
        else
            length++;
    }
    return length;
}

// ^2 as ²; longer exponents stay as they are.
static bool add_power(Str text, Text *out)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    bool one = text.length > 1 && isdigit((unsigned char)text.at[1]) &&
               (text.length == 2 || !(isalnum((unsigned char)text.at[2]) || text.at[2] == '.'));
    if (one)
        text_add(out, raised[text.at[1] - '0']);
    return one;
}

// Where the bracket that opens here closes, and its last comma outside of others; 0 where there is
// none.
static size_t close_of(Str text, size_t *comma)
{
    size_t open = 0;
    *comma = 0;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];
        open += c == '(' || c == '[';
        open -= (c == ')' || c == ']') && open > 0;
        if (c == ',' && open == 1)
            *comma = i;
        if (open == 0)
            return i;
    }
    return 0;
}

static bool is_single(Str text)
{
    return span_of(text, "_.'+[],") == text.length;
}

static void add_part(Str text, size_t depth, Text *out);

// diff(e, x) as ∂e/∂x. Returns what was taken, 0 where it is no such call or is nested too deep.
static size_t add_derivative(Str text, size_t depth, Text *out)
{
    enum { MOST_NESTED = 8 };
    const size_t word = sizeof "diff" - 1;
    size_t comma, close;
    if (depth == MOST_NESTED || text.length <= word || strncmp(text.at, "diff(", word + 1) != 0)
        return 0;
    Str call = {text.at + word, text.length - word};
    close = close_of(call, &comma);
    if (close == 0 || comma == 0)
        return 0;
    Str of = {call.at + 1, comma - 1}, by = {call.at + comma + 1, close - comma - 1};
    size_t blanks = skip_blanks(by), taken = word + close + 1;
    bool primed = taken < text.length && text.at[taken] == '\'';
    text_add(out, primed ? "(" : "");
    text_add(out, is_single(of) ? "∂" : "∂(");
    add_part(of, depth + 1, out);
    text_add(out, is_single(of) ? "/∂" : ")/∂");
    add_part((Str){by.at + blanks, by.length - blanks}, depth + 1, out);
    text_add(out, primed ? ")" : "");
    return taken;
}

// One piece of an equation; what was taken.
static size_t add_piece(Str text, size_t depth, Text *out)
{
    size_t blanks = skip_blanks(text), derivative;
    if (blanks > 0)
        return text_add_char(out, ' '), blanks;
    if ((derivative = add_derivative(text, depth, out)) > 0)
        return derivative;
    if (isalnum((unsigned char)*text.at) || *text.at == '_')
        return add_word(text, out);
    if (*text.at == '^' && add_power(text, out))
        return 2;
    if (text.length > 1 && strncmp(text.at, "''", 2) == 0)
        return text_add(out, "″"), 2;
    const char *sign = *text.at == '*'    ? "·"
                       : *text.at == '-'  ? "−"
                       : *text.at == '\'' ? "′"
                                          : NULL;
    if (sign)
        text_add(out, sign);
    else
        text_add_char(out, *text.at);
    return 1;
}

static void add_part(Str text, size_t depth, Text *out)
{
    while (text.length > 0) {
        size_t taken = add_piece(text, depth, out);
        text = (Str){text.at + taken, text.length - taken};
    }
}

static void add_equation(Str text, Text *out)
{
    add_part(text, 0, out);
}

// ---- Text.

static void add_proof(const Verdict *verdict, Text *out)
{
    if (verdict->proof == PROOF_EXACT)
        text_add(out, "   proved exactly");
    else
        text_addf(out, "   modular, wrong with a probability below 2^%.0f",
                  ceil(verdict->log2_error));
}

static void add_number(double value, Text *out)
{
    text_addf(out, "%s%.6g", value < 0 ? "−" : "", fabs(value));
}

static void add_refutation(const Show *show, const InquiryEquation *found, Text *out)
{
    text_add(out, "no: left − right ");
    if (show_is_readable(show, found->difference)) {
        text_add(out, "= ");
        show_readable(show, found->difference, out);
        text_add(out, " on the motion, for example left − right = ");
    } else {
        text_add(out, "is not 0 on the motion, for example left − right = ");
    }
    add_number(found->value, out);
    for (size_t i = 0; i < found->state_count; i++) {
        text_add(out, i ? ", " : " at ");
        show_name(found->state[i].name, out);
        text_add(out, " = ");
        add_number(found->state[i].value, out);
    }
}

static void answer_text(const Show *show, const ShowEquation *equation, Text *out)
{
    const InquiryEquation *found = equation->found;
    if (equation->label)
        text_addf(out, "%s: ", equation->label);
    if (found->verdict.answer == ANSWER_YES) {
        text_add(out, "yes");
        if (!expr_is_none(found->factor)) {
            text_add(out, ", times ");
            show_readable(show, found->factor, out);
        }
        text_add(out, found->special ? ", for the values of the parameters: " : ": ");
        add_equation(equation->text, out);
        add_proof(&found->verdict, out);
        return;
    }
    if (found->verdict.answer == ANSWER_NO)
        add_refutation(show, found, out);
    else
        text_addf(out, "undecided: %s",
                  found->verdict.reason ? found->verdict.reason : "no proof was found");
    text_add(out, "\n    of ");
    add_equation(equation->text, out);
}

void show_equations_text(const Show *show, const ShowEquation *equations, size_t count, Text *out)
{
    for (size_t i = 0; i < count; i++) {
        if (!equations[i].found)
            continue;
        answer_text(show, &equations[i], out);
        text_add_char(out, '\n');
    }
}

// ---- JSON.

static void json_expr(const Show *show, const char *key, Expr e, Text *out)
{
    Text text = {0};
    if (!expr_is_none(e) && show_is_readable(show, e))
        expr_print(show->pool, e, &text);
    text_addf(out, ",\"%s\":", key);
    show_json_string_or_null(text.at, out);
    text_clear(&text);
}

static void json_refutation(const Show *show, const InquiryEquation *found, Text *out)
{
    json_expr(show, "difference", found->difference, out);
    text_add(out, ",\"witness\":{");
    for (size_t i = 0; i < found->state_count; i++)
        show_json_entry(i == 0, found->state[i].name, found->state[i].value, out);
    text_add(out, "},\"value\":");
    show_json_number(found->value, out);
}

static void json_found(const Show *show, const InquiryEquation *found, Text *out)
{
    const Verdict *verdict = &found->verdict;
    text_addf(out, "\"follows\":%s", show_json_answer(verdict->answer));
    if (verdict->answer == ANSWER_YES) {
        text_addf(out, ",\"proof\":\"%s\"", show_proof_name(verdict->proof));
        if (verdict->proof == PROOF_MODULAR)
            text_addf(out, ",\"log2_error\":%.0f", ceil(verdict->log2_error));
        json_expr(show, "factor", found->factor, out);
        text_addf(out, ",\"special\":%s", found->special ? "true" : "false");
    } else if (verdict->answer == ANSWER_NO) {
        json_refutation(show, found, out);
    } else {
        text_add(out, ",\"reason\":");
        show_json_string_or_null(verdict->reason, out);
    }
}

static void json_equation(const Show *show, const ShowEquation *equation, Text *out)
{
    Text text = {0};
    text_add_str(&text, equation->text);
    text_add(out, "{\"label\":");
    show_json_string_or_null(equation->label, out);
    text_add(out, ",\"equation\":");
    show_json_string_or_null(text.at, out);
    text_add(out, ",");
    if (equation->found) {
        json_found(show, equation->found, out);
    } else {
        text_add(out, "\"follows\":null,\"error\":");
        show_json_string_or_null(equation->wrong, out);
    }
    text_add(out, "}");
    text_clear(&text);
}

void show_equations_json(const Show *show, const ShowEquation *equations, size_t count, Text *out)
{
    bool all = true;
    text_add(out, "{\"equations\":[");
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? "," : "");
        json_equation(show, &equations[i], out);
        all = all && equations[i].found && equations[i].found->verdict.answer == ANSWER_YES;
    }
    text_addf(out, "],\"all_follow\":%s}\n", all ? "true" : "false");
}
