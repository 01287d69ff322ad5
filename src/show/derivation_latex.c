// derivation_latex.c: a derivation as a LaTeX document that compiles by itself.
#include "show/show_impl.h"
#include "text/text.h"

#include <ctype.h>
#include <string.h>

// ---- Text and names. Whatever a model says is only ever text.

// A Greek letter, where `text` begins with one; returns its bytes, else 0.
static size_t add_greek(const char *text, Text *out)
{
    static const char *const greek[] = {
        "alpha",   "beta",   "gamma", "delta", "epsilon", "zeta",  "eta",   "theta", "iota",
        "kappa",   "lambda", "mu",    "nu",    "xi",      "pi",    "rho",   "sigma", "tau",
        "upsilon", "phi",    "chi",   "psi",   "omega",   "Gamma", "Delta", "Theta", "Lambda",
        "Xi",      "Pi",     "Sigma", "Phi",   "Psi",     "Omega"};
    for (size_t i = 0; i < sizeof greek / sizeof *greek; i++) {
        const char *letter = text_greek_letter(str_of(greek[i]));
        if (letter && strncmp(text, letter, strlen(letter)) == 0) {
            text_addf(out, "$\\%s$", greek[i]);
            return strlen(letter);
        }
    }
    return 0;
}

// A character outside of ASCII; returns its bytes. European letters, dashes and quotation marks
// are in LaTeX's fonts; what is not becomes a question mark, so that the document compiles.
static size_t add_character(const char *text, Text *out)
{
    static const char *const punctuation[] = {"–", "—", "‘", "’", "“", "”", "„", "…"};
    size_t length = add_greek(text, out);
    if (length > 0)
        return length;
    do
        length++;
    while (((unsigned char)text[length] & 0xC0) == 0x80);
    bool known = (unsigned char)text[0] <= 0xC5; // up to U+017F
    for (size_t i = 0; i < sizeof punctuation / sizeof *punctuation; i++)
        known = known || strncmp(text, punctuation[i], length) == 0;
    text_add_str(out, known ? (Str){text, length} : str_of("?"));
    return length;
}

// Whether a letter alone stands before `at`, as in R_theta.
static bool is_single(const char *begin, const char *at)
{
    size_t letters = 0;
    while (at > begin && (isalnum((unsigned char)at[-1]) || (at[-1] & 0x80) || at[-1] == '_')) {
        at--;
        letters += (*at & 0xC0) != 0x80; // a letter of several bytes is one
    }
    return letters == 1 && !isdigit((unsigned char)*at);
}

// The bytes of an index with the line before it, as in R_theta or P_roll.x; 0 where there is none.
static size_t subscript(const char *begin, const char *text)
{
    size_t length = 1;
    if (*text != '_' || !is_single(begin, text))
        return 0;
    while (isalnum((unsigned char)text[length]) ||
           (text[length] & 0x80 && text[length] != '\xE2' && text[length] != '\xC2') ||
           (text[length] == '.' && isalnum((unsigned char)text[length + 1])))
        length++;
    return length > 1 ? length : 0;
}

static void add_index(Str index, Text *out)
{
    Text word = {0};
    text_add_str(&word, index);
    bool greek = text_greek_letter(index) != NULL;
    text_add(out, "\\textsubscript{");
    if (greek)
        text_addf(out, "$\\%s$", word.at);
    else
        show_latex_escaped(word.at, out);
    text_add(out, "}");
    text_clear(&word);
}

void show_latex_escaped(const char *text, Text *out)
{
    static const char *const special[][2] = {{"\\", "\\textbackslash{}"},
                                             {"{", "\\{"},
                                             {"}", "\\}"},
                                             {"$", "\\$"},
                                             {"&", "\\&"},
                                             {"#", "\\#"},
                                             {"%", "\\%"},
                                             {"_μ", "$_\\mu$"},
                                             {"_", "\\_"},
                                             {"^", "\\textasciicircum{}"},
                                             {"<", "$<$"},
                                             {">", "$>$"},
                                             {"⁺", "$^{+}$"},
                                             {"~", "\\textasciitilde{}"},
                                             {"₀", "$_{0}$"},
                                             {"₁", "$_{1}$"},
                                             {"₂", "$_{2}$"},
                                             {"₃", "$_{3}$"},
                                             {"−", "$-$"},
                                             {"″", "$''$"},
                                             {"′", "$'$"},
                                             {"½", "$\\frac{1}{2}$"},
                                             {"²", "$^{2}$"},
                                             {"Σ", "$\\sum$"},
                                             {"∫", "$\\int$"},
                                             {"·", "$\\cdot$"},
                                             {"ω", "$\\omega$"},
                                             {"ϑ", "$\\vartheta$"}};
    const char *begin = text;
    while (*text) {
        size_t i = 0, count = sizeof special / sizeof *special, index = subscript(begin, text);
        if (index > 0) {
            add_index((Str){text + 1, index - 1}, out);
            text += index;
            continue;
        }
        while (i < count && strncmp(text, special[i][0], strlen(special[i][0])) != 0)
            i++;
        if (i < count) {
            text_add(out, special[i][1]);
            text += strlen(special[i][0]);
        } else if ((unsigned char)*text >= 0x80) {
            text += add_character(text, out);
        } else {
            text_add_char(out, *text++);
        }
    }
}

static bool is_capital_like_latin(const char *greek)
{
    // These capitals look like Latin ones and have no command of their own.
    static const char *const same[] = {"Alpha", "Beta", "Epsilon", "Zeta", "Eta", "Iota", "Kappa",
                                       "Mu",    "Nu",   "Omicron", "Rho",  "Tau", "Chi"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(greek, same[i]) == 0)
            return true;
    return strcmp(greek, "omicron") == 0;
}

// One word of a name: a letter, a Greek letter, or letters set together.
static void add_stem(Str stem, Text *out)
{
    char word[32];
    if (stem.length < sizeof word) {
        memcpy(word, stem.at, stem.length);
        word[stem.length] = '\0';
        if (text_greek_letter(stem) && !is_capital_like_latin(word)) {
            text_addf(out, "\\%s ", word);
            return;
        }
    }
    if (stem.length == 1) {
        text_add_str(out, stem);
        return;
    }
    text_add(out, "\\mathit{");
    text_add_str(out, stem);
    text_add(out, "}");
}

// Names that the forms make for their functions, with signs that fonts lack.
static bool add_known(const char *name, Text *out)
{
    static const char *const known[][2] = {
        {"T⁺", "T^{+}"}, {"δT", "\\delta T"}, {"T₀", "T_{0}"},      {"S₀", "S_{0}"},
        {"T₁", "T_{1}"}, {"S₁", "S_{1}"},     {"𝒦", "\\mathcal{K}"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i][0]) == 0) {
            text_add(out, known[i][1]);
            return true;
        }
    if (strncmp(name, "δω_", strlen("δω_")) == 0) {
        text_add(out, "\\delta\\omega_{\\mathrm{");
        show_latex_escaped(name + strlen("δω_"), out);
        text_add(out, "}}");
        return true;
    }
    // Letters of their own, with numbers for indices.
    static const char *const letters[][2] = {
        {"β", "\\beta "}, {"ϑ", "\\vartheta "}, {"ω", "\\omega "}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (strncmp(name, letters[i][0], strlen(letters[i][0])) == 0) {
            text_addf(out, "%s%s", letters[i][1], name + strlen(letters[i][0]));
            return true;
        }
    return false;
}

// Names with indices in braces, a_{x,theta} or A^{(x)}_{theta,phi}: each word is a name itself.
static bool add_indexed(const char *name, Text *out)
{
    if (!strchr(name, '{'))
        return false;
    while (*name) {
        size_t end = strcspn(name, "_^{}(),");
        Text word = {0};
        text_add_str(&word, (Str){name, end});
        if (end > 0)
            show_latex_name(word.at, out);
        text_clear(&word);
        name += end;
        if (*name)
            text_add_char(out, *name++);
    }
    return true;
}

// A letter with or without digits is set as one; a word, upright.
static void add_subscript(Str tail, Text *out)
{
    size_t digits = 0;
    while (digits < tail.length && isdigit((unsigned char)tail.at[tail.length - 1 - digits]))
        digits++;
    Str stem = {tail.at, tail.length - digits}, number = {tail.at + stem.length, digits};
    if (stem.length <= 1 || text_greek_letter(stem)) {
        if (stem.length > 0)
            add_stem(stem, out);
        text_add(out, stem.length > 0 && digits ? "_{" : "");
        text_add_str(out, number);
        text_add(out, stem.length > 0 && digits ? "}" : "");
        return;
    }
    Text word = {0};
    text_add_str(&word, tail);
    text_add(out, "\\mathrm{");
    show_latex_escaped(word.at, out);
    text_add(out, "}");
    text_clear(&word);
}

void show_latex_name(const char *name, Text *out)
{
    if (add_known(name, out) || add_indexed(name, out))
        return;
    size_t length = strlen(name), primes = 0;
    while (primes < length && name[length - 1 - primes] == '\'')
        primes++;
    Str rest = {name, length - primes};
    size_t end = 0;
    while (end < rest.length && rest.at[end] != '.' && rest.at[end] != '_' && rest.at[end] != '[')
        end++;
    size_t digits = 0;
    while (digits + 1 < end && isdigit((unsigned char)rest.at[end - 1 - digits]))
        digits++;
    add_stem((Str){rest.at, end - digits}, out);
    // Digits, and what stands behind a dot, an underscore or in brackets, is one subscript.
    bool more = end < rest.length, bracket = more && rest.at[end] == '[';
    if (digits || more) {
        text_add(out, "_{");
        text_add_str(out, (Str){rest.at + end - digits, digits});
        if (more && digits)
            text_add(out, ",");
        size_t tail = rest.length - end - (bracket ? 2 : 1);
        if (bracket)
            text_add_str(out, (Str){rest.at + end + 1, tail});
        else if (more)
            add_subscript((Str){rest.at + end + 1, tail}, out);
        text_add(out, "}");
    }
    for (; primes > 0; primes--)
        text_add_char(out, '\'');
}

void show_latex_function(const char *name, Text *out)
{
    static const char *const own[] = {"sin",  "cos", "tan", "sinh", "cosh",
                                      "tanh", "exp", "log", "min",  "max"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0) {
            text_addf(out, "\\%s", name);
            return;
        }
    if (strcmp(name, "asin") == 0 || strcmp(name, "acos") == 0 || strcmp(name, "atan") == 0)
        text_addf(out, "\\arc%s", name + 1);
    else
        text_addf(out, "\\operatorname{%s}", name);
}

// ---- Names and equations.

static void add_named(const Show *show, const char *name, Expr value, Text *out)
{
    Text line = {0};
    show_latex_name(name, &line);
    text_add(&line, " = ");
    show_expr(show, show_short_function(show, value), &line);
    show_latex_display(line.at, out);
    text_clear(&line);
}

// What an equation belongs to: a name, and perhaps a number behind it, "theta (11)".
static void add_label(const char *label, Text *out)
{
    Text name = {0};
    size_t length = strcspn(label, " ");
    text_add_str(&name, (Str){label, length});
    show_latex_name(name.at, out);
    text_addf(out, "%s%s%s\\colon\\quad ", label[length] ? "\\text{" : "", label + length,
              label[length] ? "}" : "");
    text_clear(&name);
}

void show_latex_equation(const Show *show, const Form *form, const FormEquation *equation,
                         Text *out)
{
    Text line = {0}, left = {0}, right = {0};
    show_equation(show, form, equation, &left, &right);
    add_label(equation->label, &line);
    text_addf(&line, "%s = %s", left.at, right.at);
    show_latex_display(line.at, out);
    text_clear(&line);
    text_clear(&left);
    text_clear(&right);
}

// ---- The document.

static void add_head(const Model *model, Text *out)
{
    text_add(out,
             "\\documentclass[a4paper,fleqn]{article}\n"
             "\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n"
             "\\usepackage{amsmath}\n\\usepackage{graphicx}\n"
             "\\usepackage[margin=2.2cm]{geometry}\n"
             "\\setlength{\\parindent}{0pt}\n\\allowdisplaybreaks\n\\begin{document}\n\\section*{");
    show_latex_escaped(*model->title ? model->title : model->name, out);
    text_add(out, "}\n");
}

static void add_coordinates(const Motion *motion, Text *out)
{
    text_add(out, "Coordinates: ");
    for (size_t i = 0; i < motion->n; i++) {
        text_add(out, i ? ", $" : "$");
        show_latex_name(motion->model->coords.at[i].name, out);
        text_add(out, "$");
    }
    text_addf(out, ". Degrees of freedom: %zu.\n\n", motion->k);
}

static void add_conditions(const Show *show, Text *out)
{
    const Model *model = show->motion->model;
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        Text line = {0};
        text_add(&line, "\\text{");
        show_latex_escaped(constraint->name, &line);
        text_add(&line, "}\\colon\\quad ");
        show_expr(show, show_short(show, constraint->left), &line);
        text_add(&line, constraint->kind != CONSTRAINT_ONE_SIDED ? " = "
                        : constraint->at_least                   ? " \\ge "
                                                                 : " \\le ");
        show_expr(show, show_short(show, constraint->right), &line);
        text_addf(&line, "\\quad\\text{(%s)}", show_about_condition(show->motion, constraint));
        text_add(out, i ? "" : "Conditions:\n");
        show_latex_display(line.at, out);
        text_clear(&line);
    }
}

// Velocities that are speeds themselves, where there is something to choose.
static void add_independent(const Motion *motion, Text *out)
{
    bool first = true;
    for (size_t i = 0; i < motion->k && motion->m + motion->model->speeds.count > 0; i++) {
        const MotionSpeed *speed = &motion->state.speeds[i];
        if (speed->declared)
            continue;
        text_add(out, first ? "Independent velocities: $" : ", $");
        show_latex_name(speed->name, out);
        text_add(out, speed->chosen ? "$ (chosen by the program)" : "$");
        first = false;
    }
    text_add(out, first ? "" : ".\n\n");
}

static void add_speeds(const Show *show, Text *out)
{
    const Motion *motion = show->motion;
    bool orthonormal = show_are_orthonormal(show), first = true;
    for (size_t i = 0; i < motion->k; i++) {
        const MotionSpeed *speed = &motion->state.speeds[i];
        if (!speed->declared)
            continue;
        text_add(out, !first        ? ""
                      : orthonormal ? "Orthonormal speeds (Hamel 236):\n"
                                    : "Speeds:\n");
        add_named(show, speed->name, speed->value, out);
        first = false;
    }
    add_independent(motion, out);
    if (!orthonormal)
        return;
    Text line = {0};
    show_orthonormal(show, &line);
    show_latex_display(line.at, out);
    text_clear(&line);
}

static void add_velocities(const Show *show, Text *out)
{
    Motion *motion = show->motion;
    bool first = true;
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr velocity = motion_in_speeds(motion, motion->v[nu]);
        if (expr_same(velocity, motion->v[nu]))
            continue;
        text_add(out, first ? "The velocities in the independent speeds:\n" : "");
        add_named(show, expr_name(motion->pool, motion->v[nu]), velocity, out);
        first = false;
    }
}

// The classical mistake, each equation with what it lacks.
static void add_naive(const Show *show, const Form *form, Text *out)
{
    for (size_t i = 0; i < form->equations.count; i++) {
        FormEquation wrong = form->equations.at[i];
        if (expr_is_none(wrong.naive))
            return;
        Expr missing = show_short(show, expr_sub(show->motion->pool, wrong.right, wrong.naive));
        text_add(out, i ? ""
                        : "The common mistake: the conditions put into $T$ too early, $R$ "
                          "left out (Quanjel no. 10, Hamel 229 and 240):\n");
        wrong.right = wrong.naive;
        show_latex_equation(show, form, &wrong, out);
        if (expr_is_zero(show->pool, missing)) {
            text_add(out, "This one is right: nothing is missing.\n");
            continue;
        }
        Text line = {0};
        show_expr(show, missing, &line);
        text_add(out, "This one is wrong. The right side lacks\n");
        show_latex_display(line.at, out);
        text_clear(&line);
    }
}

static void add_form(const Show *show, const Form *form, bool naive, ShowTold *told, Text *out)
{
    if (form->reason) {
        text_add(out, "Does not apply: ");
        show_latex_escaped(form->reason, out);
        text_add(out, ".\n");
        return;
    }
    // The last of its steps is the equations.
    show_steps_latex(show, form, told, out);
    bool result = form->steps.count == 0;
    for (size_t i = 0; i < form->functions.count && result; i++)
        add_named(show, form->functions.at[i].name, form->functions.at[i].value, out);
    for (size_t i = 0; i < form->equations.count && result; i++)
        show_latex_equation(show, form, &form->equations.at[i], out);
    if (form->kind == FORM_MULTIPLIERS)
        show_reactions_latex(show, form, out);
    for (size_t i = 0; i < form->notes.count; i++) {
        text_add(out, "(");
        show_latex_escaped(form->notes.at[i], out);
        text_add(out, ")\n\n");
    }
    if (naive)
        add_naive(show, form, out);
    show_least_action_latex(show, form, out);
}

// A section behind the definitions of the quantities that it uses.
static void add_section(const Show *show, Text *section, Text *out)
{
    ShowQuantity quantity;
    for (bool first = true; show_next_quantity(show, &quantity); first = false) {
        Text line = {0};
        text_add(out, first ? "With the quantities:\n" : "");
        show_definition(show, &quantity, &line);
        show_latex_display(line.at, out);
        text_clear(&line);
    }
    text_add(out, section->at ? section->at : "");
    text_clear(section);
}

static void latex_report(const Show *show, Form *const *forms, size_t count, bool naive, Text *out)
{
    Text section = {0};
    ShowTold told = {0};
    add_head(show->motion->model, out);
    add_coordinates(show->motion, out);
    add_conditions(show, &section);
    add_speeds(show, &section);
    add_velocities(show, &section);
    show_curved_latex(show, &section);
    add_section(show, &section, out);
    for (size_t i = 0; i < count; i++) {
        add_form(show, forms[i], naive, &told, &section);
        text_add(out, "\\subsection*{");
        show_latex_escaped(form_title(forms[i]->kind), out);
        text_add(out, "}\n");
        add_section(show, &section, out);
    }
    if (show->reactions_by) {
        show_reactions_latex(show, show->reactions_by, &section);
        text_add(out, "\\subsection*{Multipliers and reactions}\n");
        add_section(show, &section, out);
    }
    text_add(out, "\\end{document}\n");
    show_told_clear(&told);
}

void show_derivation_latex(Show *show, Form *const *forms, size_t count, bool naive, Text *out)
{
    show->latex = true;
    show_in_short(show, latex_report, forms, count, naive, out);
    show->latex = false;
}

void show_latex_append(const char *title, const char *words, Text *document)
{
    static const char end[] = "\\end{document}\n";
    size_t ending = sizeof end - 1;
    if (document->length < ending || strcmp(document->at + document->length - ending, end) != 0)
        return;
    document->length -= ending;
    text_addf(document, "\\section*{%s}\n\\begin{itemize}\n\\raggedright\n", title);
    // The first line is the system's title.
    words += strcspn(words, "\n");
    words += *words == '\n';
    while (*words) {
        Text line = {0};
        size_t length = strcspn(words, "\n"), inner = strspn(words, " ");
        text_add_str(&line, (Str){words + inner, length - inner});
        text_add(document, inner ? "\\\\\\hspace*{1em}" : "\\item ");
        show_latex_escaped(line.at ? line.at : "", document);
        text_add(document, "\n");
        text_clear(&line);
        words += length + (words[length] == '\n');
    }
    text_add(document, "\\end{itemize}\n");
    text_add(document, end);
}
