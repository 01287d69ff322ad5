// friction_system.c: forces and rates where it is known what each contact does.
//
// With modes and directions fixed, each contact has a few unknown forces, and as many rates that
// vanish: stick all of its rows, slip those of its normal, friction following at once (|λ| is e·λ
// in the direction e of λ). Where the direction d of a sliding that begins is looked for, what F
// changes by across it, −x·d⊥, is one more unknown: d turns by x/|F|, and u'·d⊥ by −u'·d times
// that.
#include "contact/friction_impl.h"
#include "linalg/dense_factors.h"

#include <assert.h>

void friction_alloc(Friction *friction, Arena *arena, size_t count, size_t rows, size_t press_count)
{
    enum { SHARES = 3 * FRICTION_TANGENTS }; // of each that presses
    real_alloc_each(arena, rows, &friction->forces, &friction->rates, &friction->solved);
    friction->equations = real_alloc(arena, rows * rows);
    friction->columns = arena_array(arena, FrictionColumn, rows + 1);
    friction->pivots = arena_array(arena, int, rows + 1);
    friction->parts = arena_array(arena, FrictionPart, count + 1);
    friction->presses = arena_array(arena, FrictionPress, press_count + 1);
    friction->shares = arena_array(arena, FrictionShare, SHARES * press_count + 1);
    friction->trial = arena_array(arena, FrictionPiece, count + 1);
    friction->order = arena_array(arena, size_t, count + 1);
}

// ---- The equations.

void friction_across(const double *d, size_t tangents, double across[][FRICTION_TANGENTS])
{
    if (tangents == 2) {
        across[0][0] = -d[1];
        across[0][1] = d[0];
        return;
    }
    if (tangents < 3)
        return;
    // The axis that d is farthest from.
    size_t far = 0;
    for (size_t k = 1; k < 3; k++)
        far = fabs(d[k]) < fabs(d[far]) ? k : far;
    double length = sqrt(1 - d[far] * d[far]);
    size_t next = (far + 1) % 3, last = (far + 2) % 3;
    across[0][far] = 0;
    across[0][next] = -d[last] / length;
    across[0][last] = d[next] / length;
    for (size_t k = 0; k < 3; k++)
        across[1][k] =
            d[(k + 1) % 3] * across[0][(k + 2) % 3] - d[(k + 2) % 3] * across[0][(k + 1) % 3];
}

static FrictionColumn *next_column(Friction *friction, size_t row)
{
    FrictionColumn *column = &friction->columns[friction->unknowns++];
    *column =
        (FrictionColumn){.row = row, .forces = 1, .share = {1}, .tests = 1, .at = row, .test = {1}};
    return column;
}

static void stick(Friction *friction, const FrictionPart *part, const FrictionPiece *piece)
{
    for (size_t i = piece->held; i < (size_t)part->normals + part->tangents; i++)
        next_column(friction, part->row + i);
}

// The normal forces, friction following.
static void slip(Friction *friction, const FrictionPart *part, const FrictionPiece *piece)
{
    size_t m = part->normals, t = part->tangents;
    bool given = part->law == FRICTION_GIVEN || piece->held;
    for (size_t k = 0; k < t && given; k++)
        friction->forces[part->row + m + k] =
            -part->kinetic * (piece->held ? part->least : 1) * piece->d[k];
    for (size_t j = 0; j < m && !given; j++) {
        FrictionColumn *column = next_column(friction, part->row + j);
        double e = part->law == FRICTION_TWO_SIDED ? piece->e[j] : 1;
        if (t == 0)
            continue;
        column->forces = (uint8_t)(m - j + t);
        for (size_t k = 1; k < m - j; k++)
            column->share[k] = 0;
        for (size_t k = 0; k < t; k++)
            column->share[m - j + k] = -part->kinetic * e * piece->d[k];
    }
    double across[FRICTION_TANGENTS][FRICTION_TANGENTS];
    if (piece->turns > 0)
        friction_across(piece->d, t, across);
    for (size_t i = 0; i + 1 < t && piece->turns > 0; i++) {
        FrictionColumn *column = next_column(friction, part->row + m);
        column->forces = column->tests = (uint8_t)t;
        for (size_t k = 0; k < t; k++) {
            column->share[k] = -across[i][k];
            column->test[k] = across[i][k];
        }
        column->own = -piece->along / piece->turns - friction->added;
    }
}

// What a reaction presses on the sliding friction of another contact.
static void press(Friction *friction, const FrictionPress *press, const FrictionPiece *pieces)
{
    const FrictionPart *by = &friction->parts[press->by], *on = &friction->parts[press->on];
    const FrictionPiece *piece = &pieces[press->by], *slides = &pieces[press->on];
    bool known = piece->mode == FRICTION_OPEN || piece->held;
    if (slides->mode != FRICTION_SLIPS)
        return;
    for (size_t k = 0; k < on->tangents; k++) {
        double share = -press->sliding * slides->d[k];
        size_t row = on->row + on->normals + k;
        if (known)
            friction->forces[row] += share * friction->forces[by->row];
        for (size_t j = 0; j < by->normals && !known; j++) {
            double e = by->law == FRICTION_TWO_SIDED ? piece->e[j] : 1;
            friction->shares[friction->share_count++] =
                (FrictionShare){by->column + j, row, e * share};
        }
    }
}

size_t friction_system_columns(Friction *friction, const FrictionPiece *pieces)
{
    memset(friction->forces, 0, friction->rows * sizeof *friction->forces);
    friction->unknowns = friction->share_count = 0;
    friction->pieces = pieces;
    for (size_t l = 0; l < friction->count; l++) {
        FrictionPart *part = &friction->parts[l];
        part->column = friction->unknowns;
        if (pieces[l].held || (pieces[l].mode == FRICTION_OPEN && part->least > 0))
            friction->forces[part->row] = part->least;
        if (pieces[l].mode == FRICTION_STICKS)
            stick(friction, part, &pieces[l]);
        else if (pieces[l].mode == FRICTION_SLIPS)
            slip(friction, part, &pieces[l]);
    }
    for (size_t i = 0; i < friction->press_count; i++)
        press(friction, &friction->presses[i], pieces);
    assert(friction->unknowns <= friction->rows);
    return friction->unknowns;
}

// One column of the equations, and its entry of the right side.
static void fill_column(const Friction *friction, size_t c, double *out)
{
    const FrictionColumn *column = &friction->columns[c];
    size_t rows = friction->rows;
    for (size_t i = 0; i < friction->unknowns; i++) {
        const FrictionColumn *test = &friction->columns[i];
        const double *A = friction->matrix + column->row * rows + test->at;
        double sum = 0;
        for (size_t k = 0; k < column->forces; k++, A += rows)
            sum +=
                column->share[k] * (test->tests == 1 ? A[0] : real_dot(test->test, A, test->tests));
        out[i] = sum;
    }
    for (size_t s = 0; s < friction->share_count; s++) {
        const FrictionShare *share = &friction->shares[s];
        for (size_t i = 0; i < friction->unknowns && share->column == c; i++) {
            const FrictionColumn *test = &friction->columns[i];
            const double *A = friction->matrix + share->row * rows + test->at;
            out[i] += share->share * real_dot(test->test, A, test->tests);
        }
    }
    out[c] += column->own;
    // What is added counts for the force that bears the row's number.
    if (friction->added > 0 && column->tests == 1)
        out[c] += friction->added;
}

static double right_side(const Friction *friction, size_t c)
{
    const FrictionColumn *column = &friction->columns[c];
    double sum = 0;
    for (size_t k = 0; k < column->tests; k++) {
        size_t row = column->at + k;
        double rate = friction->free[row];
        if (friction->added > 0)
            rate -= friction->added * friction->former[row];
        sum -= column->test[k] * rate;
    }
    return sum;
}

// Given forces act on every row.
static void subtract_given(Friction *friction)
{
    size_t rows = friction->rows;
    for (size_t i = 0; i < rows; i++) {
        if (friction->forces[i] == 0)
            continue;
        for (size_t c = 0; c < friction->unknowns; c++) {
            const FrictionColumn *test = &friction->columns[c];
            for (size_t k = 0; k < test->tests; k++)
                friction->solved[c] -=
                    friction->forces[i] * test->test[k] * friction->matrix[i * rows + test->at + k];
        }
    }
}

void friction_system_forces(Friction *friction, const double *solved)
{
    for (size_t c = 0; c < friction->unknowns; c++) {
        const FrictionColumn *column = &friction->columns[c];
        real_add_times(solved[c], column->share, column->forces, friction->forces + column->row);
    }
    for (size_t s = 0; s < friction->share_count; s++) {
        const FrictionShare *share = &friction->shares[s];
        friction->forces[share->row] += solved[share->column] * share->share;
    }
}

void friction_system_rates(Friction *friction)
{
    size_t rows = friction->rows;
    double square = 0;
    memset(friction->rates, 0, rows * sizeof *friction->rates);
    for (size_t i = 0; i < rows; i++)
        if (friction->forces[i] != 0)
            real_add_times(friction->forces[i], friction->matrix + i * rows, rows, friction->rates);
    for (size_t i = 0; i < rows; i++) {
        square += friction->forces[i] * friction->rates[i];
        friction->rates[i] += friction->free[i];
    }
    friction->far = sqrt(fabs(square));
}

double friction_column_size(const Friction *friction, size_t c)
{
    const FrictionColumn *column = &friction->columns[c];
    double sum = fabs(column->own);
    for (size_t k = 0; k < column->forces; k++)
        sum += fabs(column->share[k]);
    for (size_t s = 0; s < friction->share_count; s++)
        sum += friction->shares[s].column == c ? fabs(friction->shares[s].share) : 0;
    return sum;
}

// No pivot is small against the terms of its column.
static bool is_regular(const Friction *friction, double least)
{
    size_t size = friction->unknowns;
    for (size_t c = 0; c < size; c++)
        if (!(fabs(friction->equations[c * size + c]) > least * friction_column_size(friction, c)))
            return false;
    return true;
}

void friction_system_equations(Friction *friction, const FrictionPiece *pieces)
{
    size_t n = friction_system_columns(friction, pieces);
    for (size_t c = 0; c < n; c++) {
        fill_column(friction, c, friction->equations + c * n);
        friction->solved[c] = right_side(friction, c);
    }
    subtract_given(friction);
}

bool friction_system_solve(Friction *friction, const FrictionPiece *pieces)
{
    friction_system_equations(friction, pieces);
    size_t n = friction->unknowns;
    if (n > 0) {
        double least = friction->added > 0 ? 0 : TOL_ZERO;
        if (!lu_factor(n, friction->equations, n, friction->pivots) || !is_regular(friction, least))
            return false;
        lu_solve(false, n, friction->equations, n, friction->pivots, friction->solved);
    }
    friction_system_forces(friction, friction->solved);
    friction_system_rates(friction);
    return real_all_finite(friction->rates, friction->rows);
}

// ---- Whether the pieces fit.

double friction_force_size(const Friction *friction, size_t l)
{
    const FrictionPart *part = &friction->parts[l];
    double size = friction->far;
    for (size_t k = 0; k < (size_t)part->normals + part->tangents; k++)
        size += fabs(friction->forces[part->row + k]);
    return size;
}

static double rate_size(const Friction *friction, size_t row)
{
    return friction->sizes[row] + friction->far;
}

static double length_of(const double *x, size_t count)
{
    return count == 1 ? fabs(*x) : real_length(x, count);
}

// |λ|.
static double normal_of(const FrictionPart *part, const double *forces)
{
    const double *p = forces + part->row;
    return part->law == FRICTION_ONE_SIDED ? real_max(p[0], 0) : length_of(p, part->normals);
}

double friction_bound(const Friction *friction, size_t l, const double *forces, bool sticks)
{
    const FrictionPart *part = &friction->parts[l];
    double bound = sticks ? part->limit : part->kinetic;
    if (part->normals > 0)
        bound *= normal_of(part, forces);
    for (size_t i = 0; i < friction->press_count; i++) {
        const FrictionPress *press = &friction->presses[i];
        if (press->on == l)
            bound += (sticks ? press->sticking : press->sliding) *
                     normal_of(&friction->parts[press->by], forces);
    }
    return bound;
}

bool friction_needs_direction(const Friction *friction, const FrictionPiece *pieces, size_t l)
{
    const FrictionPart *part = &friction->parts[l];
    bool needs = part->tangents > 0 && pieces[l].mode == FRICTION_SLIPS;
    for (size_t i = 0; i < friction->press_count && !needs; i++)
        needs =
            friction->presses[i].by == l && pieces[friction->presses[i].on].mode == FRICTION_SLIPS;
    return needs && part->law == FRICTION_TWO_SIDED;
}

bool friction_is_pressed(const Friction *friction, size_t l)
{
    bool pressed = false;
    for (size_t i = 0; i < friction->press_count && !pressed; i++)
        pressed = friction->presses[i].on == l;
    return pressed;
}

static void set_direction(double *d, const double *x, size_t count, double sign)
{
    double length = length_of(x, count);
    d[0] = 1;
    d[1] = d[2] = 0; // it has three parts
    for (size_t k = 0; k < count && length > 0; k++)
        d[k] = sign * x[k] / length;
}

// A one-sided contact without a force of its own, or with one that is too small: it opens.
static bool stays_closed(const Friction *friction, size_t l, FrictionPiece *becomes)
{
    const FrictionPart *part = &friction->parts[l];
    double missing = friction->forces[part->row] - part->least;
    if (part->law != FRICTION_ONE_SIDED || becomes->held ||
        !friction_is_negative(missing, friction_force_size(friction, l)))
        return true;
    becomes->held = part->least > 0;
    becomes->mode = becomes->held ? becomes->mode : FRICTION_OPEN;
    return false;
}

// An open contact whose parts would run into each other.
static bool open_fits(const Friction *friction, const FrictionPart *part, FrictionPiece *becomes)
{
    size_t i = part->row, t = part->tangents;
    double rate = friction->rates[i];
    const double *u = friction->rates + i + 1;
    if (!friction_is_negative(rate, rate_size(friction, i)))
        return true;
    becomes->held = false;
    if (becomes->mode != FRICTION_OPEN)
        return false;
    becomes->mode = FRICTION_SLIPS;
    becomes->turns = 0;
    if (part->slides)
        memcpy(becomes->d, part->direction, sizeof becomes->d);
    else if (t > 0 && length_of(u, t) <= -part->limit * rate)
        becomes->mode = FRICTION_STICKS;
    else if (t > 0)
        set_direction(becomes->d, u, t, 1);
    return false;
}

// Turns the normal reaction of a two-sided one to where it is; false where it was not there.
static bool settle_normal(const Friction *friction, size_t l, FrictionPiece *becomes)
{
    const FrictionPart *part = &friction->parts[l];
    const double *p = friction->forces + part->row;
    size_t m = part->normals;
    double length = length_of(p, m), off[3];
    for (size_t k = 0; k < m; k++)
        off[k] = p[k] - length * becomes->e[k];
    if (length_of(off, m) <= TOL_RATE * friction_force_size(friction, l))
        return true;
    set_direction(becomes->e, p, m, 1);
    return false;
}

static bool stick_fits(const Friction *friction, size_t l, FrictionPiece *becomes)
{
    const FrictionPart *part = &friction->parts[l];
    size_t m = part->normals;
    const double *p = friction->forces + part->row;
    if (!stays_closed(friction, l, becomes))
        return false;
    double size = friction_force_size(friction, l);
    double bound = friction_bound(friction, l, friction->forces, true);
    if (!friction_is_negative(bound - length_of(p + m, part->tangents), size))
        return !friction_needs_direction(friction, friction->pieces, l) ||
               settle_normal(friction, l, becomes);
    becomes->mode = FRICTION_SLIPS;
    becomes->turns = 0;
    set_direction(becomes->d, p + m, part->tangents, -1);
    if (part->law == FRICTION_TWO_SIDED)
        set_direction(becomes->e, p, m, 1);
    return false;
}

// A sliding that begins in several rows: F on the cone, u' along d. Else how both are to turn.
static bool direction_fits(const Friction *friction, size_t l, FrictionPiece *becomes)
{
    const FrictionPart *part = &friction->parts[l];
    size_t i = part->row, m = part->normals, t = part->tangents;
    const double *F = friction->forces + i + m, *u = friction->rates + i + m;
    double bound = friction_bound(friction, l, friction->forces, false);
    double size = rate_size(friction, i + m);
    if (bound > 0)
        set_direction(becomes->d, F, t, -1);
    else
        set_direction(becomes->d, u, t, 1);
    double across[FRICTION_TANGENTS] = {0};
    becomes->turns = bound;
    becomes->along = real_dot(becomes->d, u, t);
    for (size_t k = 0; k < t; k++)
        across[k] = u[k] - becomes->along * becomes->d[k];
    return real_length(across, t) <= TOL_ZERO * size &&
           fabs(length_of(F, t) - bound) <= TOL_ZERO * friction_force_size(friction, l);
}

static bool slip_fits(const Friction *friction, size_t l, FrictionPiece *becomes)
{
    const FrictionPart *part = &friction->parts[l];
    size_t i = part->row, m = part->normals, t = part->tangents;
    const double *u = friction->rates + i + m;
    if (!stays_closed(friction, l, becomes))
        return false;
    bool fits = !friction_needs_direction(friction, friction->pieces, l) ||
                settle_normal(friction, l, becomes);
    if (t == 0 || part->slides)
        return fits;
    double size = rate_size(friction, i + m), along = real_dot(becomes->d, u, t);
    if (friction_is_negative(along, size)) {
        becomes->mode = FRICTION_STICKS;
        return false;
    }
    return t > 1 ? direction_fits(friction, l, becomes) && fits : fits;
}

bool friction_system_fits(const Friction *friction, size_t l, const FrictionPiece *piece,
                          FrictionPiece *becomes)
{
    *becomes = *piece;
    if (piece->held && !open_fits(friction, &friction->parts[l], becomes))
        return false;
    switch (piece->mode) {
    case FRICTION_OPEN: return open_fits(friction, &friction->parts[l], becomes);
    case FRICTION_STICKS: return stick_fits(friction, l, becomes);
    case FRICTION_SLIPS: break;
    }
    return slip_fits(friction, l, becomes);
}
