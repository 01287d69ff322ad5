// unicode_names.c: names as a textbook prints them, in Unicode: θ′, ω₁, R_θ.
#include "model/model.h"
#include "show/show.h"
#include "text/text.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

static void add_subscript(Str digits, Text *out)
{
    static const char *const subscripts[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
    for (size_t i = 0; i < digits.length; i++)
        text_add(out, subscripts[digits.at[i] - '0']);
}

static size_t trailing_digits(Str word)
{
    size_t count = 0;
    while (count < word.length && word.at[word.length - 1 - count] >= '0' &&
           word.at[word.length - 1 - count] <= '9')
        count++;
    return count < word.length ? count : 0;
}

static void add_word(Str word, Text *out)
{
    size_t digits = trailing_digits(word);
    Str stem = {word.at, word.length - digits};
    const char *greek = text_greek_letter(stem);
    text_add_str(out, greek ? str_of(greek) : stem);
    add_subscript((Str){word.at + stem.length, digits}, out);
}

static void add_primes(size_t primes, Text *out)
{
    for (; primes >= 2; primes -= 2)
        text_add(out, "″");
    if (primes)
        text_add(out, "′");
}

void show_name(const char *name, Text *out)
{
    assert(name && out);
    // Dots, underscores, braces and commas separate words (lambda.edge, R_theta, a_{x,theta}), and
    // so do the signs of an expression; brackets hold indices and are left as they are.
    while (*name) {
        size_t end = *name == '[' ? strcspn(name, "]'") : strcspn(name, "._^{}(), +-*/=<>['");
        if (*name == '[')
            text_add_str(out, (Str){name, end});
        else
            add_word((Str){name, end}, out);
        size_t primes = strspn(name + end, "'");
        add_primes(primes, out);
        name += end + primes;
        if (*name && *name != '[')
            text_add_char(out, *name++);
    }
}

// ---- Names among words.

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// How long a name is that begins here, with its indices and parts: e[1], lambda.roll.x.
static size_t name_length(const char *at)
{
    size_t length = 0;
    while (is_letter(at[length]) || (at[length] == '.' && is_letter(at[length + 1])) ||
           (at[length] == '[' && strchr(at + length, ']')))
        length += at[length] == '[' ? strcspn(at + length, "]") + 1 : 1;
    return length;
}

static bool is_name(const Model *model, Str word)
{
    static const char multiplier[] = "lambda.";
    if (word.length >= sizeof multiplier && memcmp(word.at, multiplier, sizeof multiplier - 1) == 0)
        return true;
    for (size_t i = 0; i < model->coords.count; i++)
        if (str_is(word, model->coords.at[i].name))
            return true;
    for (size_t i = 0; i < model->speeds.count; i++)
        if (str_is(word, model->speeds.at[i].name))
            return true;
    for (size_t i = 0; i < model->params.count; i++)
        if (str_is(word, model->params.at[i].name))
            return true;
    // R_theta, p_x.
    const char *joint = memchr(word.at, '_', word.length);
    Str of = joint ? (Str){joint + 1, word.length - (size_t)(joint + 1 - word.at)} : (Str){0};
    return of.length > 0 && of.length + 2 == word.length && is_name(model, of);
}

// Behind what stands in quotes: a prime inside is no end of them.
static const char *behind_quotes(const char *at)
{
    const char mark = *at++;
    while (*at && (*at != mark || at[1] == mark || is_letter(at[1])))
        at++;
    return *at ? at + 1 : at;
}

void show_spelled(const Model *model, const char *words, Text *out)
{
    assert(model && words && out);
    while (*words) {
        const char *end = words;
        if (*words == '\'' || *words == '"') {
            end = behind_quotes(words);
            text_add_str(out, (Str){words, (size_t)(end - words)});
        } else if (isalpha((unsigned char)*words)) {
            size_t length = name_length(words), primes = strspn(words + length, "'");
            // Hamel's: no prime.
            primes = is_letter(words[length + primes]) ? 0 : primes;
            end = words + length + primes;
            Text name = {0};
            text_add_str(&name, (Str){words, length + primes});
            if (is_name(model, (Str){words, length}))
                show_name(name.at, out);
            else
                text_add(out, name.at);
            text_clear(&name);
            // What follows a word at once begins no quotes.
            while (*end == '\'')
                text_add_char(out, *end++);
        } else {
            text_add_char(out, *end++);
        }
        words = end;
    }
}
