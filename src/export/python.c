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
    .words = words,
    .quote = "\"",
    .param = {"        ", "=", ",\n"}};

static const char front[] =
    "\n"
    "\"\"\"The motion of '<system>' as functions of (t, y, p).\n"
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
    "?c     drift(t, y, p)              what y misses of the conditions that integration lets "
    "drift,\n"
    "?c                                 and how that changes with y\n"
    "?c     project(t, y, p)            y moved the least onto these conditions\n"
    "?i     follow_branch(t, y, p)      after every step: the accelerations are a stationary "
    "point,\n"
    "?i                                 found from p.near; this puts those of y there. False "
    "where\n"
    "?i                                 the branch has ended\n"
    "?o     sides(t, y, p)              of one-sided conditions f <= 0 (SIDES): f, f', f'' of the\n"
    "?o                                 motion without them, their rows G in the speeds;\n"
    "?op                                how their reactions act, P;\n"
    "?o                                 and the matrix M of the equations for the speeds: "
    "multipliers\n"
    "?o                                 l >= 0 give f'' - G M^-1 P' l (P is G unless it is told)\n"
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
    "\n"
    "COORDINATES = [<coordinates>]\n"
    "SPEEDS = [<speeds>]\n"
    "CONDITIONS = [<conditions>]\n"
    "RESIDUALS = [<residuals>]\n"
    "SIDES = [<sides>]\n"
    "OUTPUTS = [<outputs>]\n";

static const char parameters[] =
    "\n"
    "\n"
    "def parameters(**given):\n"
    "    p = types.SimpleNamespace(\n"
    "=parameters\n"
    "    )\n"
    "    for name in given:\n"
    "        if not hasattr(p, name):\n"
    "            raise TypeError(f\"there is no parameter {name!r}\")\n"
    "    p.__dict__.update(given)\n"
    "    # Those that others define follow, one after the other, unless they are given.\n"
    "    for name in [<follows>] if given else []:\n"
    "        if name not in given:\n"
    "            setattr(p, name, getattr(_follow(p), name))\n"
    "?i     p.near = np.array([<near>])\n"
    "    return p\n"
    "\n"
    "\n"
    "def _follow(given):\n"
    "    p = types.SimpleNamespace(**given.__dict__)\n"
    "=follow\n"
    "    return p\n"
    "\n"
    "\n"
    "def start():\n"
    "    return np.array([<start>])\n";

static const char derivative[] =
    "\n"
    "\n"
    "?s def derivative(t, y, p):\n"
    "?s     rate = np.empty(np.shape(y))\n"
    "?l def _equations(t, y, p):\n"
    "?i def _equations(t, y, x, p):\n"
    "?n     rate, matrix, right = np.empty(<n>), np.empty(<u> * <u>), np.empty(<u>)\n"
    "=rates\n"
    "?s     return rate\n"
    "?n     return rate, matrix.reshape(<u>, <u>), right\n"
    "?l \n"
    "?l \n"
    "?l def derivative(t, y, p):\n"
    "?l     rate, matrix, right = _equations(t, y, p)\n"
    "?l     return np.concatenate([rate, np.linalg.solve(matrix, right)[:<k>]])\n"
    "?i \n"
    "?i \n"
    "?i # Rates, then multipliers, by Newton's method from p.near; not numbers where it does not "
    "arrive.\n"
    "?i def _stationary(t, y, p):\n"
    "?i     x, former = np.array(p.near, dtype=float), np.inf\n"
    "?i     for _ in range(50):\n"
    "?i         rate, matrix, right = _equations(t, y, x, p)\n"
    "?i         step = np.linalg.solve(matrix, right)\n"
    "?i         change, size = np.max(np.abs(step)), np.max(np.abs(x))\n"
    "?i         # Rounding: steps that no longer become smaller.\n"
    "?i         if former <= 1e-10 * (1 + size) and change >= former / 2:\n"
    "?i             return rate, x\n"
    "?i         x = x - step\n"
    "?i         if change <= 1e-13 * size:\n"
    "?i             return rate, x\n"
    "?i         former = change\n"
    "?i     return rate, np.full(<u>, np.nan)\n"
    "?i \n"
    "?i \n"
    "?i def derivative(t, y, p):\n"
    "?i     rate, x = _stationary(t, y, p)\n"
    "?i     return np.concatenate([rate, x[:<k>]])\n"
    "?i \n"
    "?i \n"
    "?i def follow_branch(t, y, p):\n"
    "?i     x = _stationary(t, y, p)[1]\n"
    "?i     found = bool(np.all(np.isfinite(x)))\n"
    "?i     if found:\n"
    "?i         p.near = x\n"
    "?i     return found\n"
    "\n"
    "\n"
    "def derivative_along(t, y, direction, p):\n"
    "?s     change = np.empty(np.shape(y))\n"
    "?l     change, matrix, right = np.empty(<n>), np.empty(<u> * <u>), np.empty(<u>)\n"
    "?i     x = _stationary(t, y, p)[1]\n"
    "?i     change, right = np.empty(<n>), np.empty(<u>)\n"
    "=slopes\n"
    "?s     return change\n"
    "?l     _, whole, known = _equations(t, y, p)\n"
    "?l     right = right - matrix.reshape(<u>, <u>).dot(np.linalg.solve(whole, known))\n"
    "?l     return np.concatenate([change, np.linalg.solve(whole, right)[:<k>]])\n"
    "?i     step = np.linalg.solve(_equations(t, y, x, p)[1], right)\n"
    "?i     return np.concatenate([change, -step[:<k>]])\n"
    "\n"
    "\n"
    "def jacobian(t, y, p):\n"
    "    return np.stack([derivative_along(t, y, e, p) for e in np.eye(<y>)], axis=1)\n";

static const char motion[] =
    "\n"
    "\n"
    "def motion(t, y, p):\n"
    "    rate = derivative(t, y, p)\n"
    "    v, a, l = rate[:<n>], np.empty(<n>), np.zeros(<m>)\n"
    "=accelerations\n"
    "?m     b, rest = np.empty(<m> * <n>), np.empty(<n>)\n"
    "?m =reactions\n"
    "?m     b = b.reshape(<m>, <n>).T\n"
    "?w     l = np.linalg.lstsq(b, rest, rcond=None)[0]\n"
    "?h     # Some conditions follow from the others: of all multipliers the least.\n"
    "?d     # Some conditions follow from the others and are left out.\n"
    "?h     kept, left = [<kept>], [<left>]\n"
    "?d     kept = [<kept>]\n"
    "?h     own = np.linalg.lstsq(b[:, kept], rest, rcond=None)[0]\n"
    "?h     parts = np.linalg.lstsq(b[:, kept], b[:, left], rcond=None)[0]\n"
    "?h     l[kept] = np.linalg.solve(np.eye(len(kept)) + parts.dot(parts.T), own)\n"
    "?h     l[left] = parts.T.dot(l[kept])\n"
    "?d     l[kept] = np.linalg.lstsq(b[:, kept], rest, rcond=None)[0]\n"
    "    return v, a, l\n"
    "\n"
    "\n"
    "def quantities(t, y, p):\n"
    "    v, a, l = motion(t, y, p)\n"
    "    residual, out = np.empty(<r>), np.empty(<o>)\n"
    "=quantities\n"
    "    found = {}\n"
    "?e     found[\"energy\"] = energy\n"
    "    found.update(zip([\"residual.\" + name for name in RESIDUALS], residual))\n"
    "    found.update(zip(OUTPUTS, out))\n"
    "    return found\n"
    "?c \n"
    "?c \n"
    "?c def drift(t, y, p):\n"
    "?c     miss, slope = np.empty(<c>), np.empty(<c> * <y>)\n"
    "?c =drifts\n"
    "?c     return miss, slope.reshape(<c>, <y>)\n"
    "?c \n"
    "?c \n"
    "?c def project(t, y, p):\n"
    "?c     former = np.inf\n"
    "?c     for _ in range(50):\n"
    "?c         miss, slope = drift(t, y, p)\n"
    "?c         step = np.linalg.lstsq(slope, miss, rcond=None)[0]\n"
    "?c         change = np.max(np.abs(step))\n"
    "?c         if not change < former / 2:\n"
    "?c             break\n"
    "?c         y, former = y - step, change\n"
    "?c     return y if former <= 1e-9 * (1 + np.max(np.abs(y))) else np.full(<y>, np.nan)\n"
    "?o \n"
    "?o \n"
    "?o def sides(t, y, p):\n"
    "?o     rate = derivative(t, y, p)\n"
    "?o     side, inertia = np.empty(<s> * <w>), np.empty(<u> * <u>)\n"
    "?o =sides\n"
    "?o     side, inertia = side.reshape(<s>, <w>), inertia.reshape(<u>, <u>)\n"
    "?op     f, rate, phi0, rows, pushes = np.split(side, [1, 2, 3, 3 + <k>], axis=1)\n"
    "?op     return f[:, 0], rate[:, 0], phi0[:, 0], rows, pushes, inertia\n"
    "?oq     return side[:, 0], side[:, 1], side[:, 2], side[:, 3:], inertia\n";

void export_python(const Exported *exported, Text *source, Text *header)
{
    (void)header;
    comment_head(exported, "A Python module; NumPy is all that it needs.", source);
    script_write(exported, front, source);
    script_write(exported, parameters, source);
    script_write(exported, derivative, source);
    script_write(exported, motion, source);
}
