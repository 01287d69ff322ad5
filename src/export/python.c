// python.c: the motion as a Python module that needs NumPy and nothing else.
#include "export/script_impl.h"

static const char *const words[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",    NULL};

const Language export_python_language = {
    .tongue = {.indent = "    ",
               .definition = "    ",
               .end = "",
               .words = {{"sin", "np.sin"},       {"cos", "np.cos"},
                         {"tan", "np.tan"},       {"asin", "np.arcsin"},
                         {"acos", "np.arccos"},   {"atan", "np.arctan"},
                         {"atan2", "np.arctan2"}, {"sinh", "np.sinh"},
                         {"cosh", "np.cosh"},     {"tanh", "np.tanh"},
                         {"exp", "np.exp"},       {"log", "np.log"},
                         {"sqrt", "np.sqrt"},     {"pow", "np.power"},
                         {"fabs", "np.abs"},      {"fmin", "np.minimum"},
                         {"fmax", "np.maximum"},  {"real_sign", "np.sign"},
                         {"HUGE_VAL", "np.inf"},  {NULL, NULL}}},
    .open = "[",
    .close = "]",
    .comment = "#",
    .words = words};

static const char docstring[] =
    "\n\"\"\"The motion of '@' as functions of (t, y, p).\n"
    "\n"
    "y holds the coordinates, then the independent speeds: COORDINATES + SPEEDS says which.\n"
    "p = parameters() holds the parameters; parameters(m=3) sets some of them, and those\n"
    "that the model defines by others follow. The functions:\n"
    "\n"
    "    start()                     the state that the model starts from\n"
    "    derivative(t, y, p)         dy/dt\n"
    "    jacobian(t, y, p)           its exact derivative by y\n"
    "    motion(t, y, p)             velocities, accelerations, multipliers (by CONDITIONS)\n"
    "    quantities(t, y, p)         energy, residuals and outputs, by name\n"
    "    sides(t, y, p)              of one-sided conditions f <= 0 (SIDES): f, f', f'' of the\n"
    "                                motion without them, their rows in the speeds; and the\n"
    "                                matrix of inertia in the speeds\n"
    "\n"
    "With SciPy:\n"
    "\n"
    "    from scipy.integrate import solve_ivp\n"
    "    p = parameters()\n"
    "    solve_ivp(derivative, (0, 1), start(), method=\"DOP853\", rtol=1e-10, atol=1e-10,\n"
    "              args=(p,))\n"
    "\"\"\"\n"
    "import types\n"
    "\n"
    "import numpy as np\n"
    "\n";

static void write_lists(const Exported *exported, Text *out)
{
    text_add(out, "COORDINATES = [");
    script_names(script_coordinates(exported), exported->n, out);
    text_add(out, "]\nSPEEDS = [");
    script_names(exported->formulas.speed_names, exported->k, out);
    text_add(out, "]\nCONDITIONS = [");
    script_names(script_conditions(exported), exported->m, out);
    text_add(out, "]\nRESIDUALS = [");
    script_names(script_residuals(exported), exported->residuals, out);
    text_add(out, "]\nSIDES = [");
    script_names(script_side_names(exported), exported->sides, out);
    text_add(out, "]\nOUTPUTS = [");
    script_names(script_outputs(exported), exported->model->outputs.count, out);
    text_add(out, "]\n\n\n");
}

// Parameters that follow others do so unless they are given.
static void write_params(const Exported *exported, Text *out)
{
    text_add(out, "def parameters(**given):\n    p = types.SimpleNamespace(\n");
    for (size_t i = 0; i < exported->params; i++)
        text_addf(out, "        %s=%.17g,\n", exported->param_names[i], exported->param_values[i]);
    text_add(out, "    )\n"
                  "    for name in given:\n"
                  "        if not hasattr(p, name):\n"
                  "            raise TypeError(f\"there is no parameter {name!r}\")\n"
                  "    if not given:\n"
                  "        return p\n"
                  "    p.__dict__.update(given)\n");
    for (size_t i = 0; i < exported->params; i++)
        if (exported_follows(exported, i))
            text_addf(out, "    if \"%s\" not in given:\n        p.%s = _follow(p).%s\n",
                      exported->param_names[i], exported->param_names[i], exported->param_names[i]);
    text_add(out, "    return p\n\n\ndef _follow(given):\n"
                  "    p = types.SimpleNamespace(**given.__dict__)\n");
    script_follow(exported, out);
    text_add(out, "    return p\n\n\ndef start():\n    return np.array([");
    script_numbers(exported->q, exported->n, out);
    text_add(out, exported->k ? ", " : "");
    script_numbers(exported->u, exported->k, out);
    text_add(out, "])\n\n\n");
}

static void write_derivative(const Exported *exported, Text *out)
{
    bool solved = exported->formulas.solved;
    if (!solved)
        script_template(exported,
                        "def _equations(t, y, p):\n"
                        "    rate, matrix, right = np.empty($n), np.empty($k * $k), np.empty($k)\n",
                        out);
    else
        text_add(out, "def derivative(t, y, p):\n    rate = np.empty(np.shape(y))\n");
    script_rates(exported, out);
    if (solved)
        text_add(out, "    return rate\n\n\n");
    else
        script_template(exported,
                        "    return rate, matrix.reshape($k, $k), right\n\n\n"
                        "def derivative(t, y, p):\n"
                        "    velocities, matrix, right = _equations(t, y, p)\n"
                        "    return np.concatenate([velocities, np.linalg.solve(matrix, right)])\n"
                        "\n\n",
                        out);
    text_add(out, "def derivative_along(t, y, direction, p):\n");
    script_template(exported,
                    solved ? "    change = np.empty(np.shape(y))\n"
                           : "    change, matrix, right = np.empty($n), np.empty($k * $k), "
                             "np.empty($k)\n",
                    out);
    script_slopes(exported, out);
    if (solved)
        text_add(out, "    return change\n\n\n");
    else
        script_template(
            exported,
            "    right = right - np.dot(matrix.reshape($k, $k), derivative(t, y, p)[$n:])\n"
            "    return np.concatenate([change, np.linalg.solve(_equations(t, y, p)[1], "
            "right)])\n\n\n",
            out);
    script_template(exported,
                    "def jacobian(t, y, p):\n"
                    "    return np.stack([derivative_along(t, y, e, p) for e in np.eye($y)], "
                    "axis=1)\n\n\n",
                    out);
}

static void write_motion(const Exported *exported, Text *out)
{
    script_template(exported,
                    "def motion(t, y, p):\n"
                    "    rate = derivative(t, y, p)\n"
                    "    v, a, l = rate[:$n], np.empty($n), np.empty($m)\n",
                    out);
    script_accelerations(exported, out);
    if (exported->m) {
        script_template(exported, "    b, rest = np.empty($m * $n), np.empty($n)\n", out);
        script_reactions(exported, out);
        script_template(exported,
                        "    l = np.linalg.lstsq(b.reshape($m, $n).T, rest, rcond=None)[0]\n", out);
    }
    script_template(exported,
                    "    return v, a, l\n\n\n"
                    "def quantities(t, y, p):\n"
                    "    v, a, l = motion(t, y, p)\n"
                    "    residual, out = np.empty($r), np.empty($o)\n",
                    out);
    script_quantities(exported, out);
    text_add(out, "    found = {}\n");
    if (exported->has_energy)
        text_add(out, "    found[\"energy\"] = energy\n");
    text_add(out, "    found.update(zip([\"residual.\" + name for name in RESIDUALS], residual))\n"
                  "    found.update(zip(OUTPUTS, out))\n"
                  "    return found\n");
}

void export_python(const Exported *exported, Text *source, Text *header)
{
    (void)header;
    comment_head(exported, "A Python module; NumPy is all that it needs.", source);
    script_template(exported, docstring, source);
    write_lists(exported, source);
    write_params(exported, source);
    write_derivative(exported, source);
    write_motion(exported, source);
    if (exported->sides) {
        script_template(exported,
                        "\n\ndef sides(t, y, p):\n"
                        "    rate = derivative(t, y, p)\n"
                        "    side, inertia = np.empty($s * (3 + $k)), np.empty($k * $k)\n",
                        source);
        script_sides(exported, source);
        script_template(exported,
                        "    side = side.reshape($s, 3 + $k)\n"
                        "    return side[:, 0], side[:, 1], side[:, 2], side[:, 3:], "
                        "inertia.reshape($k, $k)\n",
                        source);
    }
}
