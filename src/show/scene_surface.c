// scene_surface.c: the surface f(x, y, z) = 0 by marching tetrahedra, and in planar systems the
// curve by marching triangles.
//
// A closed surface is shown whole; one that goes on as far as the run does.
#include "base/strings.h"
#include "linalg/tolerances.h"
#include "program/program.h"

#include "show/scene_impl.h"

#include <math.h>
#include <string.h>

enum { CELLS = 22, FLAT_CELLS = 128 };

typedef struct {
    Program *program;
    double *inputs, *work; // parameters and state at the start, then x, y, z
    size_t count;
} Function;

typedef struct {
    double low[3], high[3];
    size_t cells[3]; // 0 along an axis that the plane of the motion is across
} Grid;

// ---- f.

static bool function_init(Function *f, const Scene *scene, const SceneSurface *surface)
{
    RunState state = run_state(scene->run);
    Expr *symbols = base_alloc((state.count + 3) * sizeof *symbols);
    memcpy(symbols, state.symbols, state.count * sizeof *symbols);
    memcpy(symbols + state.count, surface->xyz, sizeof surface->xyz);
    *f = (Function){.count = state.count};
    f->program =
        program_new(scene->motion->pool, symbols, state.count + 3, &surface->residual, 1, NULL);
    base_free(symbols);
    if (!f->program)
        return false;
    f->inputs = base_alloc((state.count + 3) * sizeof *f->inputs);
    memcpy(f->inputs, state.values, state.count * sizeof *f->inputs);
    f->work = base_alloc((program_registers(f->program) + 1) * sizeof *f->work);
    return true;
}

static void function_clear(Function *f)
{
    program_free(f->program);
    base_free(f->inputs);
    base_free(f->work);
}

static double value_at(const Function *f, const double at[3])
{
    double value;
    memcpy(f->inputs + f->count, at, 3 * sizeof *at);
    program_run_real(f->program, f->inputs, &value, f->work);
    return value;
}

// ---- The grid.

static size_t node_of(const Grid *grid, size_t i, size_t j, size_t k)
{
    return (k * (grid->cells[1] + 1) + j) * (grid->cells[0] + 1) + i;
}

static void place_of(const Grid *grid, size_t node, double at[3])
{
    size_t index[3];
    index[0] = node % (grid->cells[0] + 1);
    index[1] = node / (grid->cells[0] + 1) % (grid->cells[1] + 1);
    index[2] = node / (grid->cells[0] + 1) / (grid->cells[1] + 1);
    for (int i = 0; i < 3; i++)
        at[i] = grid->cells[i] == 0 ? grid->low[i]
                                    : grid->low[i] + (grid->high[i] - grid->low[i]) *
                                                         (double)index[i] / (double)grid->cells[i];
}

// ---- Marching.

typedef struct {
    const Grid *grid;
    const double *values;
    SceneMesh *mesh;
    uint64_t *keys; // edges of the grid that have a vertex, and which; 0 is none
    uint32_t *at;
    size_t slots;
} March;

// The vertex on an edge between two nodes with different signs.
static uint32_t vertex_on(March *march, size_t a, size_t b)
{
    if (a > b) {
        size_t swapped = a;
        a = b;
        b = swapped;
    }
    uint64_t key = (uint64_t)a << 32 | b;
    size_t slot = hash_mix(key, 1) % march->slots;
    while (march->keys[slot] != 0 && march->keys[slot] != key)
        slot = (slot + 1) % march->slots;
    if (march->keys[slot] == key)
        return march->at[slot];
    double p[3], q[3], part = march->values[a] / (march->values[a] - march->values[b]);
    place_of(march->grid, a, p);
    place_of(march->grid, b, q);
    march->keys[slot] = key;
    march->at[slot] = (uint32_t)(march->mesh->vertices.count / 3);
    for (int i = 0; i < 3; i++)
        array_push(&march->mesh->vertices, p[i] + part * (q[i] - p[i]));
    return march->at[slot];
}

// A simplex of the grid: the vertices between its nodes of different signs.
static void march_simplex(March *march, const size_t *nodes, int count)
{
    size_t inside[4], outside[4];
    int in = 0, out = 0;
    for (int i = 0; i < count; i++) {
        if (!isfinite(march->values[nodes[i]]))
            return;
        if (march->values[nodes[i]] < 0)
            inside[in++] = nodes[i];
        else
            outside[out++] = nodes[i];
    }
    uint32_t corners[4];
    int found = 0;
    for (int i = 0; i < in; i++)
        for (int j = 0; j < out; j++)
            corners[found++] = vertex_on(march, inside[i], outside[out == 2 && i == 1 ? 1 - j : j]);
    if (found < march->mesh->corner_count)
        return;
    for (int i = 0; i < march->mesh->corner_count; i++)
        array_push(&march->mesh->corners, corners[i]);
    for (int i = 0; i < 3 && found == 4; i++)
        array_push(&march->mesh->corners, corners[i == 0 ? 0 : i + 1]);
}

static void march_cell(March *march, size_t i, size_t j, size_t k)
{
    // Six tetrahedra around the diagonal from corner 0 to corner 7; of a face two triangles.
    static const int paths[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
    const Grid *grid = march->grid;
    size_t corners[8];
    for (size_t c = 0; c < 8; c++)
        corners[c] = node_of(grid, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
    if (march->mesh->corner_count == 3) {
        for (int p = 0; p < 6; p++)
            march_simplex(
                march,
                (size_t[]){corners[0], corners[paths[p][0]], corners[paths[p][1]], corners[7]}, 4);
        return;
    }
    int flat = grid->cells[0] == 0 ? 0 : grid->cells[1] == 0 ? 1 : 2;
    int a = 1 << (flat + 1) % 3, b = 1 << (flat + 2) % 3;
    march_simplex(march, (size_t[]){corners[0], corners[a], corners[a | b]}, 3);
    march_simplex(march, (size_t[]){corners[0], corners[b], corners[a | b]}, 3);
}

static SceneMesh march_grid(const Function *f, const Grid *grid)
{
    bool flat = grid->cells[0] == 0 || grid->cells[1] == 0 || grid->cells[2] == 0;
    SceneMesh mesh = {.corner_count = flat ? 2 : 3};
    size_t count = (grid->cells[0] + 1) * (grid->cells[1] + 1) * (grid->cells[2] + 1);
    double *values = base_alloc((count + 1) * sizeof *values);
    March march = {.grid = grid, .values = values, .mesh = &mesh, .slots = 8 * count + 1};
    march.keys = base_alloc(march.slots * sizeof *march.keys);
    march.at = base_alloc(march.slots * sizeof *march.at);
    for (size_t i = 0; i < count; i++) {
        double at[3];
        place_of(grid, i, at);
        values[i] = value_at(f, at);
    }
    for (size_t k = 0; k < grid->cells[2] || (grid->cells[2] == 0 && k == 0); k++)
        for (size_t j = 0; j < grid->cells[1] || (grid->cells[1] == 0 && j == 0); j++)
            for (size_t i = 0; i < grid->cells[0] || (grid->cells[0] == 0 && i == 0); i++)
                march_cell(&march, i, j, k);
    base_free(march.keys);
    base_free(march.at);
    base_free(values);
    return mesh;
}

// ---- Where.

static Grid grid_around(const SceneView *view, double margin)
{
    Grid grid;
    for (int i = 0; i < 3; i++) {
        bool flat = view->planar && fabs(view->normal[i]) > 0.5;
        double middle = (view->low[i] + view->high[i]) / 2;
        double half = (view->high[i] - view->low[i]) / 2 + margin * view->size;
        grid.low[i] = flat ? middle : middle - half;
        grid.high[i] = flat ? middle : middle + half;
        grid.cells[i] = flat ? 0 : view->planar ? FLAT_CELLS : CELLS;
    }
    return grid;
}

// Whether a mesh ends inside of its grid; the bounds of it.
static bool is_closed(const SceneMesh *mesh, const Grid *grid, double low[3], double high[3])
{
    bool closed = mesh->vertices.count > 0;
    for (int i = 0; i < 3; i++) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
    }
    for (size_t i = 0; i < mesh->vertices.count; i++) {
        low[i % 3] = fmin(low[i % 3], mesh->vertices.at[i]);
        high[i % 3] = fmax(high[i % 3], mesh->vertices.at[i]);
    }
    for (int i = 0; i < 3; i++) {
        double slack = TOL_SMALL * (grid->high[i] - grid->low[i]);
        if (grid->cells[i] > 0)
            closed = closed && low[i] > grid->low[i] + slack && high[i] < grid->high[i] - slack;
    }
    return closed;
}

SceneMesh scene_surface(Scene *scene, const SceneSurface *surface, SceneView *view)
{
    Function f;
    SceneMesh mesh = {.corner_count = view->planar ? 2 : 3};
    if (!function_init(&f, scene, surface)) {
        function_clear(&f);
        return mesh;
    }
    Grid grid = grid_around(view, 2);
    double low[3], high[3];
    mesh = march_grid(&f, &grid);
    bool closed = is_closed(&mesh, &grid, low, high);
    scene_mesh_clear(&mesh);
    if (closed) {
        for (int i = 0; i < 3; i++) {
            double cell = grid.cells[i] ? (grid.high[i] - grid.low[i]) / (double)grid.cells[i] : 0;
            grid.low[i] = low[i] - cell;
            grid.high[i] = high[i] + cell;
            view->low[i] = fmin(view->low[i], low[i]);
            view->high[i] = fmax(view->high[i], high[i]);
        }
    } else {
        grid = grid_around(view, 0.3);
    }
    mesh = march_grid(&f, &grid);
    function_clear(&f);
    return mesh;
}
