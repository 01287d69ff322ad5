// unicode_names.c: names as a textbook prints them, in Unicode: θ′, ω₁, R_θ.
#include "show/show.h"
#include "text/text.h"

#include <assert.h>
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
    // Dots, underscores, braces and commas separate words (lambda.edge, R_theta, a_{x,theta});
    // brackets hold indices and are left as they are.
    while (*name) {
        size_t end = *name == '[' ? strcspn(name, "]'") : strcspn(name, "._^{}(), ['");
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
