// julia.c: the motion as a Julia module.
#include "export/script_impl.h"

static const char *const words[] = {
    "baremodule", "begin",  "break",  "catch", "const",   "continue", "do",       "else",
    "elseif",     "end",    "export", "false", "finally", "for",      "function", "global",
    "if",         "import", "let",    "local", "macro",   "module",   "quote",    "return",
    "struct",     "true",   "try",    "using", "while",   "mutable",  "abstract", "primitive",
    "type",       "where",  "in",     "isa",   NULL};

const Language export_julia_language = {.tongue = {.indent = "    ",
                                                   .definition = "    ",
                                                   .end = "",
                                                   .words = {{"atan2", "atan"},
                                                             {"pow", "^"},
                                                             {"fabs", "abs"},
                                                             {"fmin", "min"},
                                                             {"fmax", "max"},
                                                             {"real_sign", "sign"},
                                                             {"HUGE_VAL", "Inf"},
                                                             {NULL, NULL}}},
                                        .open = "[",
                                        .close = "]",
                                        .first = 1,
                                        .comment = "#",
                                        .words = words};

static void write_list(const char *name, const char *const *names, size_t count, Text *out)
{
    text_addf(out, "const %s = String[", name);
    script_names(names, count, out);
    text_add(out, "]\n");
}

// A structure with keywords: values that follow others are formulas of them.
static void write_params(const Exported *exported, Text *out)
{
    text_add(out,
             "\n# After a change of some, `follow!` lets those follow that the model defines by "
             "others.\nBase.@kwdef mutable struct Parameters\n");
    for (size_t i = 0; i < exported->params; i++)
        text_addf(out, "    %s::Float64 = %.17g\n", exported->param_names[i],
                  exported->param_values[i]);
    text_add(out, "end\n\nfunction follow!(p)\n");
    script_follow(exported, out);
    text_add(out, "    return p\nend\n\nstart() = Float64[");
    script_numbers(exported->q, exported->n, out);
    text_add(out, exported->k ? ", " : "");
    script_numbers(exported->u, exported->k, out);
    text_add(out, "]\n\n");
}

static void write_derivative(const Exported *exported, Text *out)
{
    bool solved = exported->formulas.solved;
    script_template(exported,
                    solved ? "function derivative(t, y, p)\n    rate = zeros($y)\n"
                           : "function equations(t, y, p)\n"
                             "    rate, matrix, right = zeros($n), zeros($k * $k), zeros($k)\n",
                    out);
    script_rates(exported, out);
    script_template(exported,
                    solved ? "    return rate\nend\n\n"
                           : "    return rate, reshape(matrix, $k, $k), right\nend\n\n"
                             "function derivative(t, y, p)\n"
                             "    rate, matrix, right = equations(t, y, p)\n"
                             "    return [rate; matrix \\ right]\nend\n\n",
                    out);
    script_template(exported,
                    solved ? "function derivative_along(t, y, direction, p)\n"
                             "    change = zeros($y)\n"
                           : "function derivative_along(t, y, direction, p)\n"
                             "    change, matrix, right = zeros($n), zeros($k * $k), zeros($k)\n",
                    out);
    script_slopes(exported, out);
    script_template(exported,
                    solved ? "    return change\nend\n\n"
                           : "    rate = derivative(t, y, p)[$n + 1:end]\n"
                             "    right -= reshape(matrix, $k, $k) * rate\n"
                             "    return [change; equations(t, y, p)[2] \\ right]\nend\n\n",
                    out);
    script_template(exported,
                    "function jacobian(t, y, p)\n"
                    "    columns = zeros($y, $y)\n"
                    "    for j in 1:$y\n"
                    "        direction = zeros($y)\n"
                    "        direction[j] = 1\n"
                    "        columns[:, j] = derivative_along(t, y, direction, p)\n"
                    "    end\n"
                    "    return columns\nend\n\n",
                    out);
}

static void write_motion(const Exported *exported, Text *out)
{
    script_template(exported,
                    "function motion(t, y, p)\n"
                    "    rate = derivative(t, y, p)\n"
                    "    v, a, l = rate[1:$n], zeros($n), zeros($m)\n",
                    out);
    script_accelerations(exported, out);
    if (exported->m) {
        script_template(exported, "    b, rest = zeros($m * $n), zeros($n)\n", out);
        script_reactions(exported, out);
        script_template(exported, "    l = reshape(b, $n, $m) \\ rest\n", out);
    }
    script_template(exported,
                    "    return v, a, l\nend\n\n"
                    "function quantities(t, y, p)\n"
                    "    v, a, l = motion(t, y, p)\n"
                    "    residual, out = zeros($r), zeros($o)\n",
                    out);
    script_quantities(exported, out);
    text_add(out, "    found = Dict{String, Float64}()\n");
    if (exported->has_energy)
        text_add(out, "    found[\"energy\"] = energy\n");
    text_add(out, "    for i in eachindex(RESIDUALS)\n"
                  "        found[\"residual.\" * RESIDUALS[i]] = residual[i]\n"
                  "    end\n"
                  "    for i in eachindex(OUTPUTS)\n"
                  "        found[OUTPUTS[i]] = out[i]\n"
                  "    end\n"
                  "    return found\nend\n\n");
}

static void write_sides(const Exported *exported, Text *out)
{
    script_template(
        exported,
        "# f, f', f'' of the motion without one-sided conditions, their rows; inertia.\n"
        "function sides(t, y, p)\n"
        "    rate = derivative(t, y, p)\n"
        "    side, inertia = zeros($s * (3 + $k)), zeros($k * $k)\n",
        out);
    script_sides(exported, out);
    script_template(exported,
                    "    side = permutedims(reshape(side, 3 + $k, $s))\n"
                    "    return side[:, 1], side[:, 2], side[:, 3], side[:, 4:end], "
                    "reshape(inertia, $k, $k)\nend\n\n",
                    out);
}

void export_julia(const Exported *exported, Text *source, Text *header)
{
    (void)header;
    comment_head(exported,
                 "A Julia module: p = Parameters(); derivative(t, y, p), jacobian(t, y, p),\n"
                 "motion(t, y, p): velocities, accelerations, multipliers; quantities(t, y, p).",
                 source);
    script_template(exported, "module Zwang_@\n\n", source);
    write_list("COORDINATES", script_coordinates(exported), exported->n, source);
    write_list("SPEEDS", exported->formulas.speed_names, exported->k, source);
    write_list("CONDITIONS", script_conditions(exported), exported->m, source);
    write_list("RESIDUALS", script_residuals(exported), exported->residuals, source);
    write_list("SIDES", script_side_names(exported), exported->sides, source);
    write_list("OUTPUTS", script_outputs(exported), exported->model->outputs.count, source);
    write_params(exported, source);
    write_derivative(exported, source);
    write_motion(exported, source);
    if (exported->sides)
        write_sides(exported, source);
    text_add(source, "end\n");
}
