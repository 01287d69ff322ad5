// expectations.h: the lines `#? …` of a gallery model, read, and rewritten as statements of the
// language, so that expectations are written in the model's own words. README.md says what each
// line means.
#ifndef ZWANG_TESTS_EXPECTATIONS_H
#define ZWANG_TESTS_EXPECTATIONS_H

#include "support.h"

#include <ctype.h>
#include <math.h>

typedef enum {
    EXPECT_FREEDOM,
    EXPECT_ASIDE,
    EXPECT_EQUATION,
    EXPECT_EQUATIONS_LIKE,
    EXPECT_MOTION,
    EXPECT_CONSERVED,
    EXPECT_LIKE,
    EXPECT_AT,
    EXPECT_EVENT,
    EXPECT_SAYS,
    EXPECT_LET,
    EXPECT_WITH,
    EXPECT_UNKNOWN
} ExpectKind;

typedef struct {
    ExpectKind kind;
    size_t line; // in the model, from 1
    size_t part; // 0 above the first `with`
    char *text;  // what follows the first words
    char *form;  // of an equation; with its label. Of an event its number; with its kind and name
    char *label;
    char *other;        // the other model
    char *left, *right; // of what is compared; right is NULL for what is conserved
    bool energy;        // `left` is added to the energy
    double at, within;  // `at` is NAN where the whole run is meant
} Expectation;

typedef struct {
    char *name; // of the model
    char *text; // the file
    Arena *arena;
    ARRAY(Expectation) all;
    size_t parts;
} Expectations;

// ---- Words.

static inline char *words_from(Expectations *in, const char *start, const char *end)
{
    while (start < end && isspace((unsigned char)*start))
        start++;
    while (end > start && isspace((unsigned char)end[-1]))
        end--;
    return arena_copy_text(in->arena, start, (size_t)(end - start));
}

static inline void expectation_wrong(const Expectations *in, const Expectation *one,
                                     const char *why)
{
    print_error("models/%s.zw:%zu: %s\n", in->name, one->line, why);
    fail();
}

// The words before the first `mark`, which *rest then follows; NULL where there is no mark.
static inline char *words_before(Expectations *in, const char **rest, const char *mark)
{
    const char *at = strstr(*rest, mark);
    if (!at)
        return NULL;
    char *words = words_from(in, *rest, at);
    *rest = at + strlen(mark);
    return words;
}

// ---- One line.

static inline void read_comparison(Expectations *in, Expectation *one, const char *rest)
{
    char *within = NULL;
    if (one->kind != EXPECT_EQUATION) {
        const char *at = strstr(rest, " within ");
        if (!at)
            expectation_wrong(in, one, "'within' is missing");
        within = words_from(in, at + strlen(" within "), at + strlen(at));
        one->within = strtod(within, NULL);
        rest = words_from(in, rest, at);
    }
    if (one->kind == EXPECT_CONSERVED) {
        one->energy = strncmp(rest, "energy", 6) == 0 && !isalnum((unsigned char)rest[6]);
        one->left = words_from(in, rest + (one->energy ? 6 : 0), rest + strlen(rest));
        return;
    }
    one->left = words_before(in, &rest, " = ");
    if (!one->left)
        expectation_wrong(in, one, "' = ' is missing");
    one->right = words_from(in, rest, rest + strlen(rest));
}

static inline void read_expectation(Expectations *in, Expectation *one)
{
    const char *rest = one->text;
    one->at = NAN;
    if (one->kind == EXPECT_EQUATION) {
        one->form = words_before(in, &rest, " ");
        one->label = words_before(in, &rest, ":");
        if (!one->form || !one->label)
            expectation_wrong(in, one, "say 'equation FORM LABEL: a = b'");
    }
    if (one->kind == EXPECT_EVENT) {
        one->form = words_before(in, &rest, " ");
        one->label = words_before(in, &rest, ":");
        if (!one->form || !one->label)
            expectation_wrong(in, one, "say 'event K KIND NAME: a = b within E'");
    }
    if (one->kind == EXPECT_LIKE) {
        one->other = words_before(in, &rest, ":");
        if (!one->other)
            expectation_wrong(in, one, "say 'like OTHER: a = b within E'");
    }
    if (one->kind == EXPECT_MOTION && strncmp(rest, "t=", 2) == 0) {
        one->at = strtod(rest + 2, NULL);
        (void)words_before(in, &rest, ":");
    }
    if (one->kind == EXPECT_EQUATION || one->kind == EXPECT_LIKE || one->kind == EXPECT_MOTION ||
        one->kind == EXPECT_CONSERVED || one->kind == EXPECT_AT || one->kind == EXPECT_EVENT)
        read_comparison(in, one, rest);
}

static inline ExpectKind kind_of(const char **rest)
{
    static const struct {
        const char *words;
        ExpectKind kind;
    } kinds[] = {
        {"freedom ", EXPECT_FREEDOM},
        {"aside ", EXPECT_ASIDE},
        {"equation ", EXPECT_EQUATION},
        {"equations like ", EXPECT_EQUATIONS_LIKE},
        {"motion ", EXPECT_MOTION},
        {"conserved ", EXPECT_CONSERVED},
        {"like ", EXPECT_LIKE},
        {"says ", EXPECT_SAYS},
        {"let ", EXPECT_LET},
        {"with ", EXPECT_WITH},
        {"at ", EXPECT_AT},
        {"event ", EXPECT_EVENT},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(*rest, kinds[i].words, strlen(kinds[i].words)) == 0) {
            *rest += strlen(kinds[i].words);
            return kinds[i].kind;
        }
    return EXPECT_UNKNOWN;
}

// ---- A whole model.

// A new part begins with a `with` after something else than a `with`.
static inline void add_expectation(Expectations *in, const char *words, size_t line)
{
    const char *rest = words;
    Expectation one = {.kind = kind_of(&rest), .line = line};
    bool follows_with = in->all.count > 0 && in->all.at[in->all.count - 1].kind == EXPECT_WITH;
    if (one.kind == EXPECT_UNKNOWN)
        expectation_wrong(in, &one, "unknown expectation");
    if (one.kind == EXPECT_WITH && !follows_with)
        in->parts++;
    one.part = in->parts - 1;
    one.text = words_from(in, rest, rest + strlen(rest));
    read_expectation(in, &one);
    array_push(&in->all, one);
}

static inline Expectations expectations_read(const char *name, const char *text)
{
    Expectations in = {.arena = arena_new(), .parts = 1};
    in.name = arena_copy_text(in.arena, name, strlen(name));
    in.text = arena_copy_text(in.arena, text, strlen(text));
    Text words = {0};
    size_t line = 0, begun = 0;
    for (const char *at = in.text; *at; line++) {
        const char *end = at + strcspn(at, "\n");
        bool marked = strncmp(at, "#?", 2) == 0;
        if (begun && !(marked && strncmp(at, "#?   ", 5) == 0)) {
            add_expectation(&in, words.at, begun);
            text_clear(&words);
            begun = 0;
        }
        if (marked) {
            begun = begun ? begun : line + 1;
            text_add_str(&words, (Str){at + 2, (size_t)(end - at - 2)});
            text_add_char(&words, ' ');
            if (words.length && words.at[0] == ' ')
                memmove(words.at, words.at + 1, words.length--);
        }
        at = *end ? end + 1 : end;
    }
    if (begun)
        add_expectation(&in, words.at, begun);
    text_clear(&words);
    return in;
}

static inline void expectations_clear(Expectations *in)
{
    array_clear(&in->all);
    arena_free(in->arena);
}

// ---- As statements: `let` as it is, everything that is compared as an output whose name is the
// number of its line. Lines keep their numbers.

static inline void output_name(const Expectation *one, char *name, size_t size)
{
    snprintf(name, size, "line%zu", one->line);
}

static inline void add_statement(const Expectation *one, Text *out)
{
    char name[32];
    output_name(one, name, sizeof name);
    if (one->kind == EXPECT_LET)
        text_addf(out, "let %s", one->text);
    else if (one->kind == EXPECT_LIKE)
        text_addf(out, "output %s = %s", name, one->left);
    else if (one->kind == EXPECT_CONSERVED)
        text_addf(out, "output %s = 0 + (%s)", name, one->energy ? "0" : one->left);
    else if (one->left && one->kind != EXPECT_EQUATION)
        text_addf(out, "output %s = (%s) - (%s)", name, one->left, one->right);
    // What goes beside the energy: its sign stands in front.
    if (one->energy)
        text_addf(out, " %s", one->left);
}

// The model's text for one part. Expectations that need the model alone are left out.
static inline void expectations_rewrite(const Expectations *in, size_t part, Text *out)
{
    size_t line = 0;
    for (const char *at = in->text; *at; line++) {
        size_t length = strcspn(at, "\n");
        if (strncmp(at, "#?", 2) != 0)
            text_add_str(out, (Str){at, length});
        for (size_t i = 0; i < in->all.count; i++) {
            const Expectation *one = &in->all.at[i];
            bool everywhere = one->kind == EXPECT_LET && one->part == 0;
            if (one->line == line + 1 && (one->part == part || everywhere))
                add_statement(one, out);
        }
        text_add_char(out, '\n');
        at += length + (at[length] == '\n');
    }
}

#endif
