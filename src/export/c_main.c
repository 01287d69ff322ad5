// c_main.c: the example at the end of exported C: integrates from the start and prints rows.
//
// Gragg's midpoint rule, extrapolated: short, of high order, and with an estimate of its error.
#include "export/c_impl.h"

static const char head[] = "#ifdef ZWANG_MAIN\n"
                           "#include <stdio.h>\n#include <string.h>\n\n"
                           "enum { COLUMNS = 8 };\n\n";

static const char choice[] =
    "/* The determinant of conditions and speeds, but for its sign. */\n"
    "static REAL @_choice(const @_params *p, REAL t, const @_state *y)\n"
    "{\n"
    "    REAL over[CHOICE + 1];\n"
    "    @_limits(p, t, y$(t), over);\n"
    "    return over[CHOICE];\n"
    "}\n\n"
    "/* Where that is less than a quarter or more than four times what it was, a step is too "
    "long:\n"
    "   there is no rate, so that none crosses a place where it vanishes or has a pole. */\n"
    "static void @_keep_choice(const @_params *p, REAL t, const @_state *y, REAL first,\n"
    "                        @_state *rate)\n"
    "{\n"
    "    REAL part = @_choice(p, t, y) / first;\n"
    "    if (!(part >= (REAL)0.25 && part <= 4))\n"
    "        rate->at[0] = (REAL)NAN;\n"
    "}\n\n";

static const char midpoint_begin[] =
    "/* From t over h by `count` steps of the midpoint rule (Gragg 1965). */\n"
    "static void midpoint(const @_params *p, REAL t, const @_state *y, REAL h, int count,\n"
    "                     @_state *end)\n"
    "{\n";

static const char first_choice[] = "    const REAL first = @_choice(p, t, y);\n";

static const char midpoint_steps[] =
    "    @_state last = *y, now, next, rate;\n"
    "    REAL step = h / (REAL)count;\n"
    "    @_derivative(p, t, y$(t), &rate);\n"
    "    for (int i = 0; i < @_STATE; i++)\n"
    "        now.at[i] = y->at[i] + step * rate.at[i];\n"
    "    for (int s = 1; s < count; s++) {\n"
    "        @_derivative(p, t + (REAL)s * step, &now$(t + (REAL)s * step), &rate);\n";

static const char keep_inside[] =
    "        @_keep_choice(p, t + (REAL)s * step, &now, first, &rate);\n";

static const char midpoint_next[] = "        for (int i = 0; i < @_STATE; i++)\n"
                                    "            next.at[i] = last.at[i] + 2 * step * rate.at[i];\n"
                                    "        last = now;\n"
                                    "        now = next;\n"
                                    "    }\n"
                                    "    @_derivative(p, t + h, &now$(t + h), &rate);\n";

static const char keep_end[] = "    @_keep_choice(p, t + h, &now, first, &rate);\n";

static const char midpoint_end[] =
    "    for (int i = 0; i < @_STATE; i++)\n"
    "        end->at[i] = (last.at[i] + now.at[i] + step * rate.at[i]) / 2;\n"
    "}\n\n";

static const char extrapolation[] =
    "/* The same for more and more steps, extrapolated; returns the error against what is\n"
    "   allowed, HUGE_VAL where the end is not finite. */\n"
    "static REAL extrapolate(const @_params *p, REAL t, const @_state *y, REAL h, REAL tolerance,\n"
    "                        @_state *end)\n"
    "{\n"
    "    @_state table[COLUMNS];\n"
    "    REAL error = 0;\n"
    "    for (int j = 0; j < COLUMNS; j++) {\n"
    "        midpoint(p, t, y, h, 2 * (j + 1), &table[j]);\n"
    "        for (int s = j - 1; s >= 0; s--) {\n"
    "            REAL ratio = (REAL)(j + 1) / (REAL)(s + 1);\n"
    "            for (int i = 0; i < @_STATE; i++)\n"
    "                table[s].at[i] = table[s + 1].at[i] +\n"
    "                                 (table[s + 1].at[i] - table[s].at[i]) / (ratio * ratio - "
    "1);\n"
    "        }\n"
    "    }\n"
    "    *end = table[0];\n"
    "    for (int i = 0; i < @_STATE; i++) {\n"
    "        REAL allowed = tolerance * (1 + (REAL)fabs(y->at[i]));\n"
    "        REAL part = (REAL)fabs(table[0].at[i] - table[1].at[i]) / allowed;\n"
    "        if (!(part < (REAL)HUGE_VAL))\n"
    "            return (REAL)HUGE_VAL;\n"
    "        if (part > error)\n"
    "            error = part;\n"
    "    }\n"
    "    return error;\n"
    "}\n\n";

static const char loop_begin[] =
    "/* From t until a later time; 0 where it cannot go on, or a million steps like the last "
    "thousand\n"
    "   would not lead there: t and y are as far as it came. */\n"
    "static int go(@_params *p, REAL *t, REAL until, REAL tolerance, REAL *step, @_state *y)\n"
    "{\n"
    "    REAL mark = *t;\n"
    "    for (int tried = 1; *t < until; tried++) {\n"
    "        @_state end;\n"
    "        int last = *t + *step >= until;\n"
    "        REAL h = last ? until - *t : *step;\n"
    "        REAL error = extrapolate(p, *t, y, h, tolerance, &end);\n"
    "        REAL change = (REAL)(0.9 * pow(error > 1e-12 ? error : 1e-12, -1.0 / 15));\n"
    "        if (error <= 1) {\n"
    "            *y = end;\n"
    "            *t = last ? until : *t + h;\n";

static const char loop_project[] = "            if (!@_project(p, *t, y$(*t)))\n"
                                   "                return 0;\n";

static const char loop_branch[] = "            if (!@_follow_branch(p, *t, y$(*t)))\n"
                                  "                return 0;\n";

static const char loop_valid[] = "            if (!@_valid(p, *t, y$(*t)))\n"
                                 "                return 0;\n";

static const char loop_end[] =
    "        }\n"
    "        if (!last || error > 1)\n"
    "            *step = h * (change > 3 ? 3 : change > (REAL)0.2 ? change : (REAL)0.2);\n"
    "        if (!(*t + *step / 1000 > *t))\n"
    "            return 0;\n"
    "        if (tried % 1000 == 0) {\n"
    "            if (until - *t > 1000 * (*t - mark))\n"
    "                return 0;\n"
    "            mark = *t;\n"
    "        }\n"
    "    }\n"
    "    return 1;\n"
    "}\n\n";

// What is not finite is said by name and time, and ends the example.
static const char failure[] = "static int is_finite(REAL value)\n"
                              "{\n"
                              "    return fabs(value) < HUGE_VAL;\n"
                              "}\n\n"
                              "/* Says why there is nothing beyond t. */\n"
                              "static int fail(const @_params *p, REAL t, const @_state *y)\n"
                              "{\n"
                              "    @_state rate;\n"
                              "    @_derivative(p, t, y$(t), &rate);\n";

static const char failed_valid[] =
    "    if (!@_valid(p, t, y$(t))) {\n"
    "        fprintf(stderr, \"@: before t = %.17g %s\\n\", (double)t,\n"
    "                \"";
static const char failed_valid_end[] = "\");\n"
                                       "        return 1;\n"
                                       "    }\n";

static const char failed_finite[] =
    "    fprintf(stderr, \"@: cannot go on from t = %.17g: \", (double)t);\n"
    "    for (int i = 0; i < @_STATE; i++)\n"
    "        if (!is_finite(y->at[i]) || !is_finite(rate.at[i])) {\n"
    "            fprintf(stderr, \"%s%s is not finite there\\n\",\n"
    "                    is_finite(y->at[i]) ? \"the rate of \" : \"\", names[i]);\n"
    "            return 1;\n"
    "        }\n"
    "    fprintf(stderr, \"no step from there has a finite end within the tolerance, or the next "
    "row \"\n"
    "                    \"would take millions of them\\n\");\n"
    "    return 1;\n"
    "}\n\n";

// The names of the state, for the first row and for messages.
static void write_names(const Exported *exported, Text *out)
{
    name_template(exported, "static const char *const names[@_STATE] = {", out);
    for (size_t i = 0; i < exported->n + exported->k; i++)
        text_addf(out, "%s\"%s\"", i ? ", " : "",
                  i < exported->n ? exported->coord_names[i]
                                  : exported->speed_names[i - exported->n]);
    text_add(out, "};\n\n");
}

static void write_printing(const Exported *exported, Text *out)
{
    name_template(exported,
                  "/* 0 where there is no finite row. */\n"
                  "static int print_row(const @_params *p, REAL t, const @_state *y)\n"
                  "{\n"
                  "    @_instant instant;\n"
                  "    @_at(p, t, y$(t), &instant);\n"
                  "    for (int i = 0; i < @_STATE; i++)\n"
                  "        if (!is_finite(y->at[i]))\n"
                  "            return 0;\n"
                  "    for (int i = 0; i < @_COORDINATES; i++)\n"
                  "        if (!is_finite(instant.velocity.at[i]) ||\n"
                  "            !is_finite(instant.acceleration.at[i]))\n"
                  "            return 0;\n"
                  "    printf(\"%.17g\", (double)t);\n"
                  "    for (int i = 0; i < @_STATE; i++)\n"
                  "        printf(\",%.17g\", (double)y->at[i]);\n",
                  out);
    if (exported->has_energy)
        text_add(out, "    printf(\",%.17g\", (double)instant.energy);\n");
    text_add(out, "    printf(\"\\n\");\n    return 1;\n}\n\n");
}

static const char main_rows[] = "    printf(\"t\");\n"
                                "    for (int i = 0; i < @_STATE; i++)\n"
                                "        printf(strchr(names[i], ',') ? \",\\\"%s\\\"\" : \",%s\", "
                                "names[i]);\n";

static const char main_loop[] = "    if (!print_row(&p, 0, &y))\n"
                                "        return fail(&p, 0, &y);\n"
                                "    for (long row = 1; t < (REAL)to; row++) {\n"
                                "        double until = (double)row * every;\n"
                                "        if (until >= to * (1 - 1e-12))\n"
                                "            until = to;\n"
                                "        if (!go(&p, &t, (REAL)until, tolerance, &step, &y) ||\n"
                                "            !print_row(&p, t, &y))\n"
                                "            return fail(&p, t, &y);\n"
                                "    }\n"
                                "    return 0;\n"
                                "}\n"
                                "#endif\n";

static void write_invalid(const Exported *exported, Text *out)
{
    name_template(exported, failed_valid, out);
    text_add(out, exported_end(exported));
    text_add(out, failed_valid_end);
}

static const char signals_at[] = "/* The inputs, as the model says. */\n"
                                 "static const @_inputs *signals_at(const @_params *p, REAL t)\n"
                                 "{\n"
                                 "    static @_inputs u;\n"
                                 "    @_signals(p, t, &u);\n"
                                 "    return &u;\n"
                                 "}\n\n";

static void write_midpoint(const Exported *exported, Text *out)
{
    bool guards = exported->guards_speeds;
    if (guards) {
        text_addf(out, "enum { CHOICE = %zu };\n\n", exported->limits - 1);
        name_template(exported, choice, out);
    }
    name_template(exported, midpoint_begin, out);
    name_template(exported, guards ? first_choice : "", out);
    name_template(exported, midpoint_steps, out);
    name_template(exported, guards ? keep_inside : "", out);
    name_template(exported, midpoint_next, out);
    name_template(exported, guards ? keep_end : "", out);
    name_template(exported, midpoint_end, out);
}

void c_write_main(const Exported *exported, Text *out)
{
    name_template(exported, head, out);
    if (exported->inputs)
        name_template(exported, signals_at, out);
    write_midpoint(exported, out);
    name_template(exported, extrapolation, out);
    name_template(exported, loop_begin, out);
    if (exported->drift_count)
        name_template(exported, loop_project, out);
    if (exported_iterates(exported))
        name_template(exported, loop_branch, out);
    if (exported_leaves_out(exported))
        name_template(exported, loop_valid, out);
    text_add(out, loop_end);
    write_names(exported, out);
    name_template(exported, failure, out);
    if (exported_leaves_out(exported))
        write_invalid(exported, out);
    name_template(exported, failed_finite, out);
    write_printing(exported, out);
    name_template(exported,
                  "int main(void)\n{\n"
                  "    @_params p;\n"
                  "    @_state y;\n",
                  out);
    text_addf(out, "    const double to = %.17g, every = %.17g;\n", exported->to, exported->every);
    text_addf(out,
              "    const REAL tolerance = sizeof(REAL) < sizeof(double) ? (REAL)1e-5 : "
              "(REAL)%.17g;\n",
              exported->tolerance);
    text_add(out, "    REAL t = 0, step = (REAL)every;\n");
    name_template(exported, "    @_defaults(&p);\n    @_start(&y);\n", out);
    name_template(exported, main_rows, out);
    text_addf(out, "    printf(\"%s\\n\");\n", exported->has_energy ? ",energy" : "");
    text_add(out, main_loop);
}
