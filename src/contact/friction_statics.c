// friction_statics.c: forces where rows depend on each other: a box on two feet, a ladder at rest.
//
// The motion may be known and the forces not. A mode then holds as long as some forces fit it,
// which is a question of a polyhedron: the equations of the pieces, and what each piece asks for.
// The forces reported are the least, its point nearest to 0 (qp_dual.c). How much room is left is a
// linear program: the point is drawn along what is to grow, from where it is, again and again (the
// proximal point method, which for a linear program ends). A circular cone is cut out by tangents,
// one more wherever the forces stand off it (Kelley 1960).
#include "contact/contact_impl.h"
#include "contact/friction_impl.h"

#include <assert.h>

typedef struct {
    Friction *friction;
    FrictionPiece *pieces;
    Arena *arena;
    size_t n;              // unknowns; one more behind them is the margin
    size_t count, most;    // conditions so far,
    size_t equations;      // the first of them equations
    double *normals;       // of each n + 1 numbers: start + normal·x ≤ 0, or = 0
    double *start, *sizes; // `start` at the point `x`
    double *x;             // the point
    double *response;      // rows × n: the rates that each unknown causes
    double *given;         // rows: the rates without unknowns
    double *moved, *work;
    double unit; // of the margin, in the user's units
} Room;

// ---- Conditions.

static double *next_condition(Room *room, double start, double size)
{
    if (room->count == room->most) {
        size_t wide = room->n + 1, most = 2 * room->most;
        double *normals = real_alloc(room->arena, most * wide), *starts, *sizes;
        real_alloc_each(room->arena, most, &starts, &sizes);
        memcpy(normals, room->normals, room->count * wide * sizeof *normals);
        memcpy(starts, room->start, room->count * sizeof *starts);
        memcpy(sizes, room->sizes, room->count * sizeof *sizes);
        room->normals = normals;
        room->start = starts;
        room->sizes = sizes;
        room->most = most;
    }
    room->start[room->count] = start;
    room->sizes[room->count] = size;
    return room->normals + room->count++ * (room->n + 1);
}

// −Σ factor·(force of the row), from `row` on, as far as it is unknown.
static void add_force(const Room *room, size_t row, const double *factors, size_t count,
                      double *normal)
{
    const Friction *friction = room->friction;
    for (size_t c = 0; c < room->n; c++) {
        const FrictionColumn *column = &friction->columns[c];
        for (size_t k = 0; k < column->forces; k++) {
            size_t at = column->row + k;
            if (at >= row && at < row + count)
                normal[c] -= factors[at - row] * column->share[k];
        }
    }
    for (size_t s = 0; s < friction->share_count; s++) {
        const FrictionShare *share = &friction->shares[s];
        if (share->row >= row && share->row < row + count)
            normal[share->column] -= factors[share->row - row] * share->share;
    }
}

// −Σ factor·(force of the row) ≤ 0, from `row` on.
static double *need_force(Room *room, size_t row, const double *factors, size_t count, double start)
{
    double *normal = next_condition(room, start, fabs(start));
    add_force(room, row, factors, count, normal);
    return normal;
}

// −Σ factor·(rate of the row) ≤ 0.
static void need_rate(Room *room, size_t row, const double *factors, size_t count)
{
    const Friction *friction = room->friction;
    double start = 0, size = 0;
    for (size_t k = 0; k < count; k++) {
        start -= factors[k] * room->given[row + k];
        size += fabs(factors[k]) * friction->sizes[row + k];
    }
    double *normal = next_condition(room, start, size);
    for (size_t k = 0; k < count; k++)
        for (size_t c = 0; c < room->n; c++)
            normal[c] -= factors[k] * room->response[(row + k) * room->n + c];
}

// limit·|λ| of a contact, as far as it is unknown; what is known of it is returned.
static double add_bound(const Room *room, size_t l, double limit, double *normal)
{
    const FrictionPart *part = &room->friction->parts[l];
    const FrictionPiece *piece = &room->pieces[l];
    double factors[3];
    if (piece->held || piece->mode == FRICTION_OPEN)
        return limit * part->least;
    for (size_t j = 0; j < part->normals; j++)
        factors[j] = limit * (part->law == FRICTION_ONE_SIDED ? 1 : piece->e[j]);
    add_force(room, part->row, factors, part->normals, normal);
    return 0;
}

// limit·|λ| − n·F ≥ margin.
static void need_cone(Room *room, size_t l, const double *n)
{
    const Friction *friction = room->friction;
    const FrictionPart *part = &friction->parts[l];
    size_t m = part->normals, t = part->tangents;
    double factors[FRICTION_TANGENTS] = {0}, known = m == 0 ? part->limit : 0;
    for (size_t k = 0; k < t; k++)
        factors[k] = -n[k];
    double *normal = need_force(room, part->row + m, factors, t, 0);
    normal[room->n] = room->unit / part->unit;
    if (m > 0)
        known += add_bound(room, l, part->limit, normal);
    for (size_t i = 0; i < friction->press_count; i++)
        if (friction->presses[i].on == l)
            known +=
                add_bound(room, friction->presses[i].by, friction->presses[i].sticking, normal);
    room->start[room->count - 1] = -known;
    room->sizes[room->count - 1] = known;
}

#define ROOM_TANGENTS 8

static void need_stick(Room *room, size_t l)
{
    const FrictionPart *part = &room->friction->parts[l];
    size_t cuts = part->tangents == 2 ? ROOM_TANGENTS : 2 * (size_t)part->tangents;
    for (size_t k = 0; k < cuts; k++) {
        double angle = 2 * acos(-1) * (double)k / (double)cuts;
        double n[FRICTION_TANGENTS] = {cos(angle), sin(angle)};
        for (size_t i = 0; i < part->tangents && part->tangents != 2; i++)
            n[i] = i != k / 2 ? 0 : k % 2 == 0 ? 1 : -1;
        need_cone(room, l, n);
    }
}

static void need_piece(Room *room, size_t l)
{
    const FrictionPart *part = &room->friction->parts[l];
    const FrictionPiece *piece = &room->pieces[l];
    static const double one[] = {1};
    size_t m = part->normals, t = part->tangents;
    bool begins = piece->mode == FRICTION_SLIPS && t > 0 && !part->slides;
    if (piece->mode == FRICTION_OPEN || piece->held)
        need_rate(room, part->row, one, 1);
    else if (part->law == FRICTION_ONE_SIDED)
        need_force(room, part->row, one, 1, part->least);
    else if (friction_needs_direction(room->friction, room->pieces, l))
        need_force(room, part->row, piece->e, m, 0);
    if (piece->mode == FRICTION_STICKS)
        need_stick(room, l);
    if (begins)
        need_rate(room, part->row + m, piece->d, t);
}

// The equations of the pieces; where a sliding begins in several rows, u' across it, too.
static void need_equations(Room *room)
{
    const Friction *friction = room->friction;
    size_t n = room->n;
    for (size_t i = 0; i < n; i++) {
        double *normal = next_condition(room, -friction->solved[i], fabs(friction->solved[i]));
        for (size_t c = 0; c < n; c++) {
            double entry = friction->equations[c * n + i];
            bool rounding = fabs(entry) <= TOL_SUM * friction_column_size(friction, c);
            normal[c] = rounding ? 0 : entry;
        }
    }
    for (size_t l = 0; l < friction->count; l++) {
        const FrictionPiece *piece = &room->pieces[l];
        const FrictionPart *part = &friction->parts[l];
        double across[FRICTION_TANGENTS][FRICTION_TANGENTS];
        if (piece->mode != FRICTION_SLIPS || part->slides)
            continue;
        friction_across(piece->d, part->tangents, across);
        for (size_t k = 0; k + 1 < part->tangents; k++)
            need_rate(room, part->row + part->normals, across[k], part->tangents);
    }
    room->equations = room->count;
}

// ---- Points of the polyhedron.

// The point nearest to x + drawn; false where the polyhedron is empty.
static bool nearest(Room *room, const double *drawn)
{
    size_t wide = room->n + 1, row;
    Arena *arena = arena_new();
    double *lambda = real_alloc(arena, room->count), *starts = real_alloc(arena, room->count);
    double *sizes = real_alloc(arena, room->count);
    bool *acting = arena_array(arena, bool, room->count + 1);
    for (size_t j = 0; j < wide; j++)
        room->moved[j] = room->x[j] + drawn[j];
    for (size_t i = 0; i < room->count; i++) {
        const double *normal = room->normals + i * wide;
        starts[i] = room->start[i] + real_dot(normal, room->moved, wide);
        sizes[i] = room->sizes[i];
        for (size_t j = 0; j < wide; j++)
            sizes[i] += fabs(normal[j] * room->moved[j]);
    }
    LcpProblem problem = {.size = wide,
                          .count = room->count,
                          .equations = room->equations,
                          .normals = room->normals,
                          .phi0 = starts,
                          .sizes = sizes};
    bool found = qp_dual_solve(arena, &problem, acting, lambda, room->work, &row) == SOLVE_DONE;
    for (size_t j = 0; j < wide && found; j++)
        room->x[j] = room->moved[j] + room->work[j];
    arena_free(arena);
    return found;
}

static void set_forces(Room *room)
{
    Friction *friction = room->friction;
    friction_system_columns(friction, room->pieces);
    friction_system_forces(friction, room->x);
    friction_system_rates(friction);
}

// Where a cone in space is exceeded one more tangent cuts it; false where none is.
static bool cut_cones(Room *room)
{
    const Friction *friction = room->friction;
    bool any = false;
    set_forces(room);
    for (size_t l = 0; l < friction->count; l++) {
        const FrictionPart *part = &friction->parts[l];
        if (room->pieces[l].mode != FRICTION_STICKS || part->tangents < 2)
            continue;
        const double *F = friction->forces + part->row + part->normals;
        double length = real_length(F, part->tangents);
        double bound = friction_bound(friction, l, friction->forces, true);
        bound -= room->x[room->n] * room->unit / part->unit;
        if (length - bound <= TOL_RATE * friction_force_size(friction, l))
            continue;
        double n[FRICTION_TANGENTS] = {0};
        for (size_t k = 0; k < part->tangents; k++)
            n[k] = F[k] / length;
        need_cone(room, l, n);
        any = true;
    }
    return any;
}

static bool nearest_in_cones(Room *room, const double *drawn)
{
    double *from = real_alloc(room->arena, room->n + 1);
    memcpy(from, room->x, (room->n + 1) * sizeof *from);
    for (size_t round = 0; round < LIMIT_STEPS; round++) {
        memcpy(room->x, from, (room->n + 1) * sizeof *from);
        if (!nearest(room, drawn))
            return false;
        if (!cut_cones(room))
            return true;
    }
    return true;
}

// The largest direction·x of all points, from the one at hand, as far as forces of this size make
// it a question.
static double farthest(Room *room, const double *direction, double size)
{
    size_t wide = room->n + 1;
    double best = real_dot(direction, room->x, wide), *drawn = real_alloc(room->arena, wide);
    for (double scale = size; best * TOL_SMALL < size && scale * TOL_RANK < size; scale *= 4) {
        for (size_t j = 0; j < wide; j++)
            drawn[j] = scale * direction[j];
        if (!nearest_in_cones(room, drawn))
            break;
        double now = real_dot(direction, room->x, wide);
        if (now <= best + TOL_SUM * size)
            return real_max(now, best);
        best = now;
    }
    return best;
}

// ---- The whole.

static void room_init(Room *room, Friction *friction, FrictionPiece *pieces)
{
    size_t rows = friction->rows;
    friction_system_equations(friction, pieces);
    size_t n = friction->unknowns;
    Arena *arena = arena_new();
    *room = (Room){.friction = friction,
                   .pieces = pieces,
                   .arena = arena,
                   .n = n,
                   .most = 2 * n + (ROOM_TANGENTS + 3) * friction->count + 1};
    room->normals = real_alloc(arena, room->most * (n + 1));
    real_alloc_each(arena, room->most, &room->start, &room->sizes);
    real_alloc_each(arena, n + 1, &room->x, &room->moved, &room->work);
    room->response = real_alloc(arena, rows * n);
    room->given = real_alloc(arena, rows);
    friction_system_rates(friction); // of what is given
    memcpy(room->given, friction->rates, rows * sizeof *room->given);
    for (size_t c = 0; c < n; c++) {
        const FrictionColumn *column = &friction->columns[c];
        for (size_t i = 0; i < rows; i++)
            for (size_t k = 0; k < column->forces; k++)
                room->response[i * n + c] +=
                    column->share[k] * friction->matrix[(column->row + k) * rows + i];
    }
    for (size_t s = 0; s < friction->share_count; s++) {
        const FrictionShare *share = &friction->shares[s];
        for (size_t i = 0; i < rows; i++)
            room->response[i * n + share->column] +=
                share->share * friction->matrix[share->row * rows + i];
    }
    for (size_t l = 0; l < friction->count; l++)
        room->unit = real_max(room->unit, friction->parts[l].unit);
    need_equations(room);
}

// What the pieces ask for beside their equations.
static void need_pieces(Room *room)
{
    room->count = room->equations;
    for (size_t l = 0; l < room->friction->count; l++)
        need_piece(room, l);
    next_condition(room, 0, 0)[room->n] = -1; // a margin below 0 is none
}

// Where what |λ| of a two-sided contact presses on sticks, its direction is that of the forces at
// hand: e·λ ≤ |λ|. True where one has turned.
static bool turn_directions(Room *room)
{
    const Friction *friction = room->friction;
    bool turned = false;
    set_forces(room);
    for (size_t l = 0; l < friction->count; l++) {
        size_t m = friction->parts[l].normals;
        const double *p = friction->forces + friction->parts[l].row;
        double *e = room->pieces[l].e, length = real_length(p, m);
        if (friction->parts[l].law != FRICTION_TWO_SIDED || !(length > 0) ||
            friction_needs_direction(friction, room->pieces, l))
            continue;
        turned = turned || real_dot(e, p, m) < (1 - TOL_ZERO) * length;
        for (size_t k = 0; k < m; k++)
            e[k] = p[k] / length;
    }
    return turned;
}

// The least forces that fit, from the directions that the equations alone give.
static bool find_least_forces(Room *room)
{
    size_t bytes = (room->n + 1) * sizeof *room->x;
    double *nothing = real_alloc(room->arena, room->n + 1);
    bool found = nearest(room, nothing);
    if (found)
        turn_directions(room);
    for (size_t round = 0; round < LIMIT_PATIENCE && found; round++) {
        memset(room->x, 0, bytes);
        need_pieces(room);
        found = nearest_in_cones(room, nothing);
        if (!found || !turn_directions(room))
            break;
    }
    return found;
}

// Whether points of the polyhedron differ in a rate of a row in which they are free to.
static bool is_wedged(Room *room, double size)
{
    const Friction *friction = room->friction;
    size_t n = room->n;
    double *direction = real_alloc(room->arena, n + 1), *x = real_alloc(room->arena, n + 1);
    memcpy(x, room->x, (n + 1) * sizeof *x);
    for (size_t l = 0; l < friction->count; l++) {
        const FrictionPart *part = &friction->parts[l];
        size_t begin = room->pieces[l].mode == FRICTION_OPEN ? 0 : part->normals;
        if (room->pieces[l].mode == FRICTION_STICKS)
            continue;
        for (size_t k = begin; k < (size_t)part->normals + part->tangents; k++)
            for (double sign = -1; sign <= 1; sign += 2) {
                const double *response = room->response + (part->row + k) * n;
                double length = real_length(response, n);
                if (length <= TOL_RANK)
                    continue;
                for (size_t c = 0; c < n; c++)
                    direction[c] = sign * response[c] / length;
                memcpy(room->x, x, (n + 1) * sizeof *x);
                double here = real_dot(direction, x, n);
                if (farthest(room, direction, size) > here + TOL_SMALL * size)
                    return true;
            }
    }
    memcpy(room->x, x, (n + 1) * sizeof *x);
    return false;
}

FrictionStatics friction_statics(Friction *friction, const FrictionPiece *pieces)
{
    FrictionStatics statics = {0};
    Room room;
    FrictionPiece *own = base_alloc((friction->count + 1) * sizeof *own);
    memcpy(own, pieces, friction->count * sizeof *own);
    room_init(&room, friction, own);
    size_t n = room.n;
    double *up = real_alloc(room.arena, n + 1);
    up[n] = 1;
    statics.feasible = find_least_forces(&room);
    if (statics.feasible) {
        double *least = real_alloc(room.arena, n + 1);
        memcpy(least, room.x, (n + 1) * sizeof *least);
        set_forces(&room);
        double size = 1 + friction->far + real_largest(friction->forces, friction->rows);
        statics.wedged = is_wedged(&room, size);
        statics.margin = farthest(&room, up, size) * room.unit;
        memcpy(room.x, least, (n + 1) * sizeof *least);
        set_forces(&room);
    }
    friction->pieces = pieces;
    arena_free(room.arena);
    base_free(own);
    return statics;
}
