// matlab.c: the motion as one MATLAB (or Octave) file, whose function hands out the others.
#include "export/script_impl.h"

static const char *const words[] = {"break",
                                    "case",
                                    "catch",
                                    "classdef",
                                    "continue",
                                    "else",
                                    "elseif",
                                    "end",
                                    "for",
                                    "function",
                                    "global",
                                    "if",
                                    "otherwise",
                                    "parfor",
                                    "persistent",
                                    "return",
                                    "spmd",
                                    "switch",
                                    "try",
                                    "while",
                                    "until",
                                    "do",
                                    "unwind_protect",
                                    "endif",
                                    "endfor",
                                    "endfunction",
                                    "endwhile",
                                    "endswitch",
                                    NULL};

const Language export_matlab_language = {.tongue = {.indent = "    ",
                                                    .definition = "    ",
                                                    .end = ";",
                                                    .words = {{"pow", "power"},
                                                              {"fabs", "abs"},
                                                              {"fmin", "min"},
                                                              {"fmax", "max"},
                                                              {"real_sign", "sign"},
                                                              {"HUGE_VAL", "Inf"},
                                                              {NULL, NULL}}},
                                         .open = "(",
                                         .close = ")",
                                         .first = 1,
                                         .comment = "%",
                                         .words = words};

// {'x', 'y'}: single quotes, in which nothing is special but they themselves.
static void write_list(const char *name, const char *const *names, size_t count, Text *out)
{
    text_addf(out, "    f.%s = {", name);
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? ", '" : "'");
        for (const char *at = names[i]; *at; at++)
            text_add(out, *at == '\'' ? "''" : (char[]){*at, '\0'});
        text_add(out, "'");
    }
    text_add(out, "};\n");
}

static void write_front(const Exported *exported, Text *out)
{
    static const char *const functions[] = {"parameters", "follow",           "start",
                                            "derivative", "derivative_along", "jacobian",
                                            "motion",     "quantities",       "sides"};
    size_t count = sizeof functions / sizeof *functions - (exported->sides == 0);
    text_addf(out, "function f = %s()\n", exported->system);
    for (size_t i = 0; i < count; i++)
        text_addf(out, "    f.%s = @%s;\n", functions[i], functions[i]);
    write_list("coordinates", script_coordinates(exported), exported->n, out);
    write_list("speeds", exported->formulas.speed_names, exported->k, out);
    write_list("conditions", script_conditions(exported), exported->m, out);
    write_list("residuals", script_residuals(exported), exported->residuals, out);
    write_list("side_names", script_side_names(exported), exported->sides, out);
    write_list("outputs", script_outputs(exported), exported->model->outputs.count, out);
    text_add(out, "end\n\n");
}

static void write_params(const Exported *exported, Text *out)
{
    text_add(out, "function p = parameters()\n    p = struct();\n");
    for (size_t i = 0; i < exported->params; i++)
        text_addf(out, "    p.%s = %.17g;\n", exported->param_names[i], exported->param_values[i]);
    text_add(out,
             "end\n\n% After a change of some: those follow that the model defines by others.\n"
             "function p = follow(p)\n");
    script_follow(exported, out);
    text_add(out, "end\n\nfunction y = start()\n    y = [");
    script_numbers(exported->q, exported->n, out);
    text_add(out, exported->k ? ", " : "");
    script_numbers(exported->u, exported->k, out);
    text_add(out, "]';\nend\n\n");
}

static void write_derivative(const Exported *exported, Text *out)
{
    bool solved = exported->formulas.solved;
    script_template(exported,
                    solved ? "function rate = derivative(t, y, p)\n    rate = zeros($y, 1);\n"
                           : "function [rate, matrix, right] = equations(t, y, p)\n"
                             "    rate = zeros($n, 1);\n    matrix = zeros($k, $k);\n"
                             "    right = zeros($k, 1);\n",
                    out);
    script_rates(exported, out);
    text_add(out, "end\n\n");
    if (!solved)
        text_add(out, "function rate = derivative(t, y, p)\n"
                      "    [v, matrix, right] = equations(t, y, p);\n"
                      "    rate = [v; matrix \\ right];\nend\n\n");
    script_template(exported,
                    solved ? "function change = derivative_along(t, y, direction, p)\n"
                             "    change = zeros($y, 1);\n"
                           : "function change = derivative_along(t, y, direction, p)\n"
                             "    change = zeros($n, 1);\n    matrix = zeros($k, $k);\n"
                             "    right = zeros($k, 1);\n",
                    out);
    script_slopes(exported, out);
    if (!solved)
        script_template(exported,
                        "    rate = derivative(t, y, p);\n"
                        "    [v, whole, unused] = equations(t, y, p);\n"
                        "    change = [change; whole \\ (right - matrix * rate($n + 1:end))];\n",
                        out);
    script_template(exported,
                    "end\n\nfunction columns = jacobian(t, y, p)\n"
                    "    columns = zeros($y, $y);\n"
                    "    for j = 1:$y\n"
                    "        direction = zeros($y, 1);\n"
                    "        direction(j) = 1;\n"
                    "        columns(:, j) = derivative_along(t, y, direction, p);\n"
                    "    end\nend\n\n",
                    out);
}

static void write_motion(const Exported *exported, Text *out)
{
    script_template(exported,
                    "function [v, a, l] = motion(t, y, p)\n"
                    "    rate = derivative(t, y, p);\n"
                    "    v = rate(1:$n);\n    a = zeros($n, 1);\n    l = zeros($m, 1);\n",
                    out);
    script_accelerations(exported, out);
    if (exported->m) {
        script_template(exported, "    b = zeros($n, $m);\n    rest = zeros($n, 1);\n", out);
        script_reactions(exported, out);
        text_add(out, "    l = b \\ rest;\n");
    }
    script_template(exported,
                    "end\n\nfunction [energy, residual, out] = quantities(t, y, p)\n"
                    "    [v, a, l] = motion(t, y, p);\n"
                    "    residual = zeros($r, 1);\n    out = zeros($o, 1);\n",
                    out);
    script_quantities(exported, out);
    text_add(out, "end\n");
}

static void write_sides(const Exported *exported, Text *out)
{
    script_template(exported,
                    "\n% f, f', f'' of the motion without one-sided conditions, their rows in the\n"
                    "% speeds; the matrix of inertia in the speeds.\n"
                    "function [f, fdot, phi0, rows, inertia] = sides(t, y, p)\n"
                    "    rate = derivative(t, y, p);\n"
                    "    side = zeros(3 + $k, $s);\n    inertia = zeros($k, $k);\n",
                    out);
    script_sides(exported, out);
    text_add(out, "    f = side(1, :)';\n    fdot = side(2, :)';\n    phi0 = side(3, :)';\n"
                  "    rows = side(4:end, :)';\nend\n");
}

void export_matlab(const Exported *exported, Text *source, Text *header)
{
    (void)header;
    comment_head(exported,
                 "A MATLAB (or Octave) file: keep it under the name of its first function. Then\n"
                 "f = NAME(); p = f.parameters(); rate = f.derivative(t, y, p);\n"
                 "[velocities, accelerations, multipliers] = f.motion(t, y, p);\n"
                 "[energy, residuals, outputs] = f.quantities(t, y, p); f.jacobian(t, y, p).",
                 source);
    write_front(exported, source);
    write_params(exported, source);
    write_derivative(exported, source);
    write_motion(exported, source);
    if (exported->sides)
        write_sides(exported, source);
}
