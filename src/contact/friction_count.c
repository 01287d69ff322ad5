// friction_count.c: every motion that Coulomb's law allows at an instant.
//
// In the plane a contact has a handful of modes, and with each choice the equations are linear: all
// choices are tried, and what fits is kept, once for each motion. Where one contact begins to slide
// in space, its direction is a root of an equation of degree 2 in sine and cosine, the others being
// eliminated; the reaction of one pin is a root of a quadratic. Where there are several of these at
// once, or a sliding begins in three rows, Newton's method begins from many sides, and there may be
// others.
#include "contact/friction_impl.h"

#include <assert.h>

typedef struct {
    Friction *friction;
    FrictionMotions *found;
    FrictionPiece *pieces, *start;
    double *free;  // a copy, to which unit forces are added
    bool certain;  // so far all there are were found
    size_t starts; // of Newton's method that are left
} Count;

// ---- The modes of a contact.

static bool begins(const FrictionPart *part)
{
    return part->tangents > 0 && !part->slides;
}

// The mode of this number; false where there are fewer. Sticking comes first, so that a motion
// which two modes share is said to stick.
static bool choose(const FrictionPart *part, size_t number, FrictionPiece *piece)
{
    bool one = part->law == FRICTION_ONE_SIDED;
    bool held = part->least > 0 && part->tangents > 0;
    bool signs = part->law == FRICTION_TWO_SIDED && part->normals == 1;
    size_t ways = begins(part) && part->tangents == 1 ? 2 : 1, slips = ways * (signs ? 2 : 1);
    size_t sticks = !begins(part) ? 0 : signs && part->presses ? 2 : 1;
    size_t closed = sticks + slips, first = number;
    number -= held && number >= closed ? closed : 0;
    *piece = (FrictionPiece){.mode = FRICTION_STICKS, .d = {1}, .e = {1}};
    if (part->slides)
        memcpy(piece->d, part->direction, sizeof piece->d);
    piece->held = held && first >= closed;
    if (number < sticks) {
        piece->e[0] = number == 0 ? 1 : -1;
        return true;
    }
    number -= sticks;
    piece->mode = FRICTION_SLIPS;
    if (number < slips) {
        if (ways == 2 && number % 2 == 1)
            piece->d[0] = -1;
        if (signs && number / ways == 1)
            piece->e[0] = -1;
        return true;
    }
    piece->mode = FRICTION_OPEN;
    return one && !held && number == slips;
}

static size_t modes_of(const FrictionPart *part)
{
    FrictionPiece piece;
    size_t number = 0;
    while (choose(part, number, &piece))
        number++;
    return number;
}

double friction_count_modes(const Friction *friction)
{
    double product = 1;
    for (size_t l = 0; l < friction->count; l++)
        product *= (double)modes_of(&friction->parts[l]);
    return product;
}

// Whether a direction of this contact is unknown in this mode: that of its sliding in space, or
// that of its normal reaction.
static bool turns(const FrictionPart *part, const FrictionPiece *piece)
{
    return piece->mode == FRICTION_SLIPS && begins(part) && part->tangents > 1;
}

static bool is_pin(const Friction *friction, const FrictionPiece *pieces, size_t l)
{
    return friction->parts[l].normals > 1 && friction_needs_direction(friction, pieces, l);
}

// ---- What fits.

static bool all_fit(Friction *friction, const FrictionPiece *pieces)
{
    for (size_t l = 0; l < friction->count; l++)
        if (!friction_system_fits(friction, l, &pieces[l], &friction->trial[l]))
            return false;
    return true;
}

// The forces at hand stick where a sign of the normal reaction was not known.
static void try_singular(Count *count)
{
    FrictionStatics statics = friction_statics(count->friction, count->pieces);
    if (statics.feasible)
        friction_motions_take(count->found, count->friction, count->pieces, &statics);
}

static void try_pieces(Count *count)
{
    Friction *friction = count->friction;
    if (!friction_system_solve(friction, count->pieces))
        try_singular(count);
    else if (all_fit(friction, count->pieces))
        friction_motions_take(count->found, friction, count->pieces, NULL);
}

// From directions that are nearly right, modes staying as they are.
static void try_directions(Count *count)
{
    Friction *friction = count->friction;
    size_t bytes = friction->count * sizeof *count->start;
    memcpy(count->start, count->pieces, bytes);
    if (friction_newton(friction, count->pieces, LIMIT_STEPS) == FRICTION_FITS)
        friction_motions_take(count->found, friction, count->pieces, NULL);
    memcpy(count->pieces, count->start, bytes);
}

// ---- One direction unknown.

// The rates of rows of contact l as functions of its own forces, the others following:
// start + response·p, of `rows` rows. False where the others' equations are singular.
static bool eliminate(Count *count, size_t l, double *start, double *response)
{
    Friction *friction = count->friction;
    const FrictionPart *part = &friction->parts[l];
    size_t own = (size_t)part->normals + part->tangents, rows = friction->rows;
    FrictionPiece held = count->pieces[l];
    const double *free = friction->free;
    count->pieces[l].mode = FRICTION_OPEN;
    bool regular = friction_system_solve(friction, count->pieces);
    memcpy(start, friction->rates + part->row, own * sizeof *start);
    friction->free = count->free;
    for (size_t k = 0; k < own && regular; k++) {
        const double *unit = friction->matrix + (part->row + k) * rows;
        for (size_t i = 0; i < rows; i++)
            count->free[i] = free[i] + unit[i];
        regular = friction_system_solve(friction, count->pieces);
        for (size_t i = 0; i < own; i++)
            response[i * own + k] = friction->rates[part->row + i] - start[i];
    }
    friction->free = free;
    count->pieces[l] = held;
    return regular;
}

// u' is along d where d⊥·(a + Bd) = 0.
static size_t find_angles(const FrictionPart *part, bool held, double sign, const double *start,
                          const double *G, double *angles)
{
    size_t m = part->normals, own = m + 2;
    double a[2], B[2][2], mu = part->kinetic * sign;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2 && (m == 0 || held); j++) {
            a[i] = start[m + i];
            B[i][j] = -mu * (held ? part->least : 1) * G[(m + i) * own + m + j];
        }
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2 && m == 1 && !held; j++) {
            a[i] = start[1 + i] * G[0] - start[0] * G[(1 + i) * 3];
            B[i][j] = mu * (start[0] * G[(1 + i) * 3 + 1 + j] - start[1 + i] * G[1 + j]);
        }
    double c[] = {(B[1][0] - B[0][1]) / 2, a[1], -a[0], (B[1][0] + B[0][1]) / 2,
                  (B[1][1] - B[0][0]) / 2};
    return friction_trigonometric_roots(c, angles, LIMIT_STEPS);
}

static void try_turning(Count *count, size_t l)
{
    const FrictionPart *part = &count->friction->parts[l];
    FrictionPiece *piece = &count->pieces[l];
    double start[3], response[9], angles[LIMIT_STEPS];
    assert(part->normals <= 1 && part->tangents == 2);
    if (!eliminate(count, l, start, response)) {
        count->certain = false;
        return;
    }
    double sign = part->law == FRICTION_TWO_SIDED ? piece->e[0] : 1;
    size_t found = find_angles(part, piece->held, sign, start, response, angles);
    for (size_t k = 0; k < found; k++) {
        piece->d[0] = cos(angles[k]);
        piece->d[1] = sin(angles[k]);
        try_directions(count);
    }
}

// The rates by what the reaction of a contact presses where it is of length 1, added to `free`.
static void add_pressed(const Friction *friction, const FrictionPiece *pieces, size_t l,
                        double *free)
{
    size_t rows = friction->rows;
    for (size_t i = 0; i <= friction->press_count; i++) {
        bool own = i == friction->press_count;
        size_t on = own ? l : friction->presses[i].on;
        const FrictionPart *part = &friction->parts[on];
        double sliding = own ? part->kinetic : friction->presses[i].sliding;
        if ((!own && friction->presses[i].by != l) || pieces[on].mode != FRICTION_SLIPS)
            continue;
        for (size_t j = 0; j < part->tangents; j++)
            real_add_times(-sliding * pieces[on].d[j],
                           friction->matrix + (part->row + part->normals + j) * rows, rows, free);
    }
}

// The reaction vector of a pin is a + bR where its length is R: directions of sliding are known.
static void try_pin(Count *count, size_t l)
{
    Friction *friction = count->friction;
    const FrictionPart *part = &friction->parts[l];
    FrictionPiece *piece = &count->pieces[l];
    size_t m = part->normals, rows = friction->rows;
    const double *free = friction->free;
    double a[3] = {0}, b[3] = {0};
    memset(piece->e, 0, sizeof piece->e);
    bool regular = friction_system_solve(friction, count->pieces);
    memcpy(a, friction->forces + part->row, m * sizeof *a);
    memcpy(count->free, free, rows * sizeof *free);
    add_pressed(friction, count->pieces, l, count->free);
    friction->free = count->free;
    regular = regular && friction_system_solve(friction, count->pieces);
    friction->free = free;
    if (!regular) {
        count->certain = false;
        return;
    }
    for (size_t j = 0; j < m; j++)
        b[j] = friction->forces[part->row + j] - a[j];
    double square = 1 - real_dot(b, b, m), half = -real_dot(a, b, m);
    double rest = real_dot(a, a, m), root = half * half + square * rest;
    for (double sign = -1; sign <= 1 && root >= 0; sign += 2) {
        // Without a difference of what is nearly the same.
        double sum = half + (half < 0 ? -1 : 1) * sqrt(root);
        double R = sign < 0 ? -sum / square : sum != 0 ? rest / sum : 0;
        if (!(R > 0 && isfinite(R)))
            continue;
        for (size_t j = 0; j < m; j++)
            piece->e[j] = (a[j] + b[j] * R) / R;
        try_pieces(count);
    }
}

// ---- Several directions unknown: from many sides.

#define SIDES 4

// Of the sides of a square, or of a tetrahedron.
static void set_side(size_t number, size_t parts, double *d)
{
    double angle = 2 * acos(-1) * (double)(number % SIDES) / SIDES + TOL_POOR;
    d[0] = cos(angle);
    d[1] = sin(angle);
    if (parts < 3)
        return;
    d[2] = number % 2 == 0 ? 1 : -1;
    double length = real_length(d, 3);
    for (size_t k = 0; k < 3; k++)
        d[k] /= length;
}

// Directions of this number: all combinations of the sides for two of them, for more a few.
static void set_sides(Count *count, size_t number)
{
    const Friction *friction = count->friction;
    for (size_t l = 0; l < friction->count; l++) {
        const FrictionPart *part = &friction->parts[l];
        FrictionPiece *piece = &count->pieces[l];
        bool turn = turns(part, piece), pin = is_pin(friction, count->pieces, l);
        if (turn)
            set_side(number, part->tangents, piece->d);
        number = turn ? number / SIDES + number % SIDES * SIDES : number;
        if (pin)
            set_side(number, part->normals, piece->e);
        number = pin ? number / SIDES + number % SIDES * SIDES : number;
    }
}

static void try_sides(Count *count, size_t unknown)
{
    size_t sides = unknown == 2 ? SIDES * SIDES : SIDES;
    count->certain = false;
    for (size_t side = 0; side < sides && count->starts > 0; side++, count->starts--) {
        set_sides(count, side);
        try_directions(count);
    }
}

// ---- The whole.

static void try_choice(Count *count)
{
    const Friction *friction = count->friction;
    size_t turning = 0, pins = 0, last = 0;
    for (size_t l = 0; l < friction->count; l++) {
        bool turn = turns(&friction->parts[l], &count->pieces[l]);
        bool pin = is_pin(friction, count->pieces, l);
        turning += turn;
        pins += pin;
        last = turn || pin ? l : last;
    }
    if (turning + pins == 0)
        try_pieces(count);
    else if (turning + pins > 1 || (turning == 1 && (friction->parts[last].tangents > 2 ||
                                                     friction_is_pressed(friction, last))))
        try_sides(count, turning + pins);
    else if (pins == 1)
        try_pin(count, last);
    else
        try_turning(count, last);
}

bool friction_count_all(Friction *friction, FrictionMotions *motions)
{
    assert(friction->count > 0);
    Arena *arena = arena_new();
    Count count = {.friction = friction,
                   .found = motions,
                   .free = real_alloc(arena, friction->rows),
                   .certain = true,
                   .starts = 2 * LIMIT_SEARCH};
    count.pieces = arena_array(arena, FrictionPiece, friction->count);
    count.start = arena_array(arena, FrictionPiece, friction->count);
    size_t *number = arena_array(arena, size_t, friction->count), l = 0;
    for (size_t k = 0; k < friction->count; k++)
        choose(&friction->parts[k], 0, &count.pieces[k]);
    while (l < friction->count) {
        try_choice(&count);
        // The next choice, as an odometer.
        for (l = 0; l < friction->count; l++) {
            bool more = choose(&friction->parts[l], ++number[l], &count.pieces[l]);
            if (more)
                break;
            choose(&friction->parts[l], number[l] = 0, &count.pieces[l]);
        }
    }
    arena_free(arena);
    return count.certain;
}
