// foreign_words.c: what other languages call a function, and how it is written here.
#include "model/model_impl.h"

#include <ctype.h>
#include <string.h>

// In `ours` @ stands for the first argument and # for the second; ~ for the first one without the
// brackets that an operand needs.
static const Synonym functions[] = {
    {"ln", "log(~)"},
    {"log10", "log(~)/log(10)"},
    {"log2", "log(~)/log(2)"},
    {"cot", "1/tan(~)"},
    {"sec", "1/cos(~)"},
    {"csc", "1/sin(~)"},
    {"arctan", "atan(~)"},
    {"arcsin", "asin(~)"},
    {"arccos", "acos(~)"},
    {"arctan2", "atan2(~, #)"},
    {"pow", "@^#"},
    {"power", "@^#"},
    {"sgn", "sign(~)"},
    {"signum", "sign(~)"},
    {"fabs", "abs(~)"},
    {"cbrt", "@^(1/3)"},
    {"square", "@^2"},
    {"der", "@'"},
    {"ddt", "@'"},
    {"Dt", "@'"},
    {"derivative", "@'"},
    {"Derivative", "@'"},
    {"deriv", "@'"},
    {"d", "@'"},
    {"D", "@'"},
    {"heaviside", "(1 + sign(~))/2"},
    {"Heaviside", "(1 + sign(~))/2"},
    {"step", "(1 + sign(~))/2"},
    {"hypot", "sqrt(@^2 + #^2)"},
    {"sinc", "sin(~)/@"},
    {"clip", "min(max(~, LOW), HIGH)"},
    {"clamp", "min(max(~, LOW), HIGH)"},
    {"saturate", "min(max(~, LOW), HIGH)"},
    {"asinh", "log(@ + sqrt(@^2 + 1))"},
    {"acosh", "log(@ + sqrt(@^2 - 1))"},
    {"atanh", "log((1 + @)/(1 - @))/2"},
};

static bool is_operand(Str text)
{
    for (size_t i = 0; i < text.length; i++)
        if (!isalnum((unsigned char)text.at[i]) && !strchr("._'[]", text.at[i]) &&
            (unsigned char)text.at[i] < 0x80)
            return false;
    return text.length > 0;
}

static void add_operand(Text *text, Str operand)
{
    text_addf(text, is_operand(operand) ? "%s" : "(%s)", text_shown(operand).at);
}

static void add_template(Text *text, const char *ours, const Str arguments[2])
{
    for (; *ours; ours++)
        switch (*ours) {
        case '~': text_add(text, text_shown(arguments[0]).at); break;
        case '@': add_operand(text, arguments[0]); break;
        case '#': add_operand(text, arguments[1]); break;
        default: text_add_char(text, *ours); break;
        }
}

bool foreign_function_fail(Elaborator *e, const Node *node, Place place)
{
    Str name = syntax_name(e->syntax, node->name);
    const char *ours = str_synonym(name, functions, sizeof functions / sizeof *functions);
    if (!ours)
        return false;
    Str arguments[2] = {str_of("x"), str_of("n")};
    for (uint32_t i = 0; i < node->count && i < 2; i++) {
        Place own = syntax_node_place(e->syntax, syntax_children(e->syntax, node)[i].node);
        arguments[i] = syntax_text(e->syntax, own.start, own.length);
    }
    Text text = {0};
    add_template(&text, ours, arguments);
    if (ours[1] == '\'')
        elaborate_fail(e, place, "the time derivative of %s is written %s",
                       text_shown(arguments[0]).at, text.at);
    else
        elaborate_fail(e, place, "unknown function '%s'; write %s", text_shown(name).at, text.at);
    text_clear(&text);
    return true;
}

bool foreign_diff_fail(Elaborator *e, Place of)
{
    Str what = syntax_text(e->syntax, of.start, of.length);
    Text text = {0};
    add_operand(&text, what);
    elaborate_fail(e, of, "the time derivative of %s is written %s'", text_shown(what).at, text.at);
    text_clear(&text);
    return false;
}
