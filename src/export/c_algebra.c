// c_algebra.c: what exported C needs to solve equations in numbers.
#include "export/c_impl.h"

static void write_solve(Text *out)
{
    text_add(out,
             "/* matrix x = right by elimination with pivots; x comes in the place of right. */\n"
             "static void solve(REAL *matrix, REAL *right, int size)\n"
             "{\n"
             "    for (int s = 0; s < size; s++) {\n"
             "        int pivot = s;\n"
             "        for (int i = s + 1; i < size; i++)\n"
             "            if (fabs(matrix[i * size + s]) > fabs(matrix[pivot * size + s]))\n"
             "                pivot = i;\n"
             "        for (int j = 0; j < size; j++) {\n"
             "            REAL kept = matrix[s * size + j];\n"
             "            matrix[s * size + j] = matrix[pivot * size + j];\n"
             "            matrix[pivot * size + j] = kept;\n"
             "        }\n"
             "        REAL last = right[s];\n"
             "        right[s] = right[pivot];\n"
             "        right[pivot] = last;\n"
             "        for (int i = s + 1; i < size; i++) {\n"
             "            REAL factor = matrix[i * size + s] / matrix[s * size + s];\n"
             "            for (int j = s + 1; j < size; j++)\n"
             "                matrix[i * size + j] -= factor * matrix[s * size + j];\n"
             "            right[i] -= factor * right[s];\n"
             "        }\n"
             "    }\n"
             "    for (int s = size - 1; s >= 0; s--) {\n"
             "        for (int j = s + 1; j < size; j++)\n"
             "            right[s] -= matrix[s * size + j] * right[j];\n"
             "        right[s] /= matrix[s * size + s];\n"
             "    }\n"
             "}\n\n");
}

static void write_combine(const Exported *exported, Text *out)
{
    name_template(exported,
                  "/* x of least |right - x b| for `count` rows b of `length`, by orthogonal rows\n"
                  "   (Gram and Schmidt, twice); b and right are used up. */\n"
                  "static void combine(REAL *b, REAL *right, int count, int length, REAL *x)\n"
                  "{\n"
                  "    REAL upper[@_CONDITIONS * @_CONDITIONS];\n"
                  "    for (int i = 0; i < count; i++) {\n"
                  "        REAL *row = b + i * length, size = 0;\n"
                  "        for (int j = 0; j < i; j++)\n"
                  "            upper[j * count + i] = 0;\n"
                  "        for (int turn = 0; turn < 2; turn++)\n"
                  "            for (int j = 0; j < i; j++) {\n"
                  "                REAL part = 0;\n"
                  "                for (int s = 0; s < length; s++)\n"
                  "                    part += b[j * length + s] * row[s];\n"
                  "                for (int s = 0; s < length; s++)\n"
                  "                    row[s] -= part * b[j * length + s];\n"
                  "                upper[j * count + i] += part;\n"
                  "            }\n"
                  "        for (int s = 0; s < length; s++)\n"
                  "            size += row[s] * row[s];\n"
                  "        size = sqrt(size);\n"
                  "        for (int s = 0; s < length; s++)\n"
                  "            row[s] /= size;\n"
                  "        upper[i * count + i] = size;\n"
                  "        x[i] = 0;\n"
                  "        for (int s = 0; s < length; s++)\n"
                  "            x[i] += row[s] * right[s];\n"
                  "        for (int s = 0; s < length; s++)\n"
                  "            right[s] -= x[i] * row[s];\n"
                  "    }\n"
                  "    for (int i = count - 1; i >= 0; i--) {\n"
                  "        for (int j = i + 1; j < count; j++)\n"
                  "            x[i] -= upper[i * count + j] * x[j];\n"
                  "        x[i] /= upper[i * count + i];\n"
                  "    }\n"
                  "}\n\n",
                  out);
}

// ---- Conditions that follow from others.

static void write_indices(const Exported *exported, const char *name, bool kept, Text *out)
{
    size_t count = 0;
    for (size_t i = 0; i < exported->m; i++)
        count += exported->kept[i] == kept;
    text_addf(out, "    static const int %s[%zu] = {", name, count);
    for (size_t i = 0, at = 0; i < exported->m; i++)
        if (exported->kept[i] == kept)
            text_addf(out, "%s%zu", at++ ? ", " : "", i);
    text_addf(out, "};\n    enum { %s = %zu };\n", kept ? "KEPT" : "LEFT", count);
}

static const char share_begin[] =
    "    REAL rows[KEPT * @_COORDINATES], right[@_COORDINATES], own[KEPT];\n"
    "    for (int i = 0; i < KEPT * @_COORDINATES; i++)\n"
    "        rows[i] = b[kept[i / @_COORDINATES] * @_COORDINATES + i % @_COORDINATES];\n"
    "    for (int s = 0; s < @_COORDINATES; s++)\n"
    "        right[s] = rest[s];\n"
    "    combine(rows, right, KEPT, @_COORDINATES, own);\n";

// With d = C b for the rows d that are left out: (1 + C'C) l = own, and C l for those.
static const char share_ideal[] =
    "    REAL parts[LEFT * KEPT], normal[KEPT * KEPT];\n"
    "    for (int d = 0; d < LEFT; d++) {\n"
    "        for (int i = 0; i < KEPT * @_COORDINATES; i++)\n"
    "            rows[i] = b[kept[i / @_COORDINATES] * @_COORDINATES + i % @_COORDINATES];\n"
    "        for (int s = 0; s < @_COORDINATES; s++)\n"
    "            right[s] = b[left[d] * @_COORDINATES + s];\n"
    "        combine(rows, right, KEPT, @_COORDINATES, parts + d * KEPT);\n"
    "    }\n"
    "    for (int i = 0; i < KEPT * KEPT; i++) {\n"
    "        normal[i] = i / KEPT == i % KEPT;\n"
    "        for (int d = 0; d < LEFT; d++)\n"
    "            normal[i] += parts[d * KEPT + i / KEPT] * parts[d * KEPT + i % KEPT];\n"
    "    }\n"
    "    solve(normal, own, KEPT);\n"
    "    for (int d = 0; d < LEFT; d++) {\n"
    "        x[left[d]] = 0;\n"
    "        for (int i = 0; i < KEPT; i++)\n"
    "            x[left[d]] += parts[d * KEPT + i] * own[i];\n"
    "    }\n";

// A servo's force is no combination of reactions.
static const char share_driven[] = "    for (int d = 0; d < LEFT; d++)\n"
                                   "        x[left[d]] = 0;\n";

static void write_share(const Exported *exported, Text *out)
{
    bool driven = exported->motion->servos > 0;
    text_addf(out,
              "/* Some conditions follow from the others%s. */\n"
              "static void share(const REAL *b, const REAL *rest, REAL *x)\n{\n",
              driven ? "" : ": of all multipliers x with rest = x b the least");
    write_indices(exported, "kept", true, out);
    write_indices(exported, "left", false, out);
    name_template(exported, share_begin, out);
    name_template(exported, driven ? share_driven : share_ideal, out);
    text_add(out, "    for (int i = 0; i < KEPT; i++)\n"
                  "        x[kept[i]] = own[i];\n"
                  "}\n\n");
}

void c_write_algebra(const Exported *exported, Text *out)
{
    if (!exported->formulas.solved || exported->shared || exported->drift_count)
        write_solve(out);
    if (exported->m)
        write_combine(exported, out);
    if (exported->shared)
        write_share(exported, out);
}

// ---- Stationary points.

static const char iteration[] =
    "/* The accelerations are a stationary point of Gauss's function: rates, then multipliers, by\n"
    "   Newton's method from p->near. 0 where it does not arrive, and x is not a number then. */\n"
    "static int stationary(const @_params *p, REAL t, const @_state *y$*, @_state *rate, REAL *x)\n"
    "{\n"
    "    const REAL small = sizeof(REAL) < sizeof(double) ? (REAL)1e-5 : (REAL)1e-13;\n"
    "    REAL matrix[@_UNKNOWNS * @_UNKNOWNS], step[@_UNKNOWNS], former = HUGE_VAL;\n"
    "    for (int i = 0; i < @_UNKNOWNS; i++)\n"
    "        x[i] = p->near[i];\n"
    "    for (int round = 0; round < 50; round++) {\n"
    "        REAL change = 0, size = 0;\n"
    "        @_equations(p, t, y$u, x, rate, matrix, step);\n"
    "        solve(matrix, step, @_UNKNOWNS);\n"
    "        for (int i = 0; i < @_UNKNOWNS; i++) {\n"
    "            if (!(fabs(step[i]) <= change) && change == change)\n"
    "                change = (REAL)fabs(step[i]);\n"
    "            if (fabs(x[i]) > size)\n"
    "                size = (REAL)fabs(x[i]);\n"
    "        }\n"
    "        /* Rounding: steps that no longer become smaller. */\n"
    "        if (former <= 1000 * small * (1 + size) && change >= former / 2)\n"
    "            return 1;\n"
    "        for (int i = 0; i < @_UNKNOWNS; i++)\n"
    "            x[i] -= step[i];\n"
    "        if (change <= small * size)\n"
    "            return 1;\n"
    "        former = change;\n"
    "    }\n"
    "    for (int i = 0; i < @_UNKNOWNS; i++)\n"
    "        x[i] = (REAL)NAN;\n"
    "    return 0;\n"
    "}\n\n"
    "void @_derivative(const @_params *p, REAL t, const @_state *y$*, @_state *rate)\n"
    "{\n"
    "    REAL x[@_UNKNOWNS];\n"
    "    stationary(p, t, y$u, rate, x);\n"
    "    for (int i = 0; i < @_SPEEDS; i++)\n"
    "        rate->at[@_COORDINATES + i] = x[i];\n"
    "}\n\n"
    "int @_follow_branch(@_params *p, REAL t, const @_state *y$*)\n"
    "{\n"
    "    @_state rate;\n"
    "    REAL x[@_UNKNOWNS];\n"
    "    int found = stationary(p, t, y$u, &rate, x);\n"
    "    for (int i = 0; i < @_UNKNOWNS && found; i++)\n"
    "        p->near[i] = x[i];\n"
    "    return found;\n"
    "}\n\n";

void c_write_iteration(const Exported *exported, Text *out)
{
    name_template(exported, iteration, out);
}
