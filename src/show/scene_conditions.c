// scene_conditions.c: conditions as what they are in space: rods, strings, walls, floors, surfaces;
// and springs as parts of the potential.
//
// A condition of one place whose gradient is constant is a plane; one whose gradients all point to
// a fixed centre, or of two places along the way between them, is about a distance.
#include "expr/expr.h"
#include "linalg/tolerances.h"
#include "model/vectors.h"
#include "show/scene_impl.h"
#include "show/survey_impl.h"

#include <math.h>
#include <string.h>

enum { MOST_SURFACES = 8 };

static double length(const double v[3])
{
    return hypot(hypot(v[0], v[1]), v[2]);
}

// ---- Distances.

// f as a·D² + c or a·D + c: then f = 0 at a distance l, and grows or falls with D.
static bool fit_distance(const double *f, const double *d, double *l, bool *grows)
{
    for (int power = 2; power >= 1; power--) {
        double x[SURVEY_SAMPLES], scale = 0;
        size_t far = 0;
        for (size_t i = 0; i < SURVEY_SAMPLES; i++) {
            x[i] = power == 2 ? d[i] * d[i] : d[i];
            far = fabs(x[i] - x[0]) > fabs(x[far] - x[0]) ? i : far;
            scale = fmax(scale, fabs(f[i]));
        }
        double a = (f[far] - f[0]) / (x[far] - x[0]), c = f[0] - a * x[0];
        bool fits = isfinite(a) && a != 0 && -c / a > 0;
        for (size_t i = 0; i < SURVEY_SAMPLES && fits; i++)
            fits = fabs(a * x[i] + c - f[i]) <= TOL_SMALL * (scale + fabs(c));
        if (!fits)
            continue;
        *l = power == 2 ? sqrt(-c / a) : -c / a;
        *grows = a > 0;
        return true;
    }
    return false;
}

// Whether a gradient is along the way from one place to another at every sample.
static bool points_along(const Survey *survey, const SurveyGrip *grip, size_t other)
{
    for (size_t i = 0; i < SURVEY_SAMPLES; i++) {
        const double *p = survey->places.at[grip->place].at[i], *g = grip->gradient[i];
        const double *q = survey->places.at[other].at[i];
        double way[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]}, across[3];
        for (int j = 0; j < 3; j++)
            across[j] = way[(j + 1) % 3] * g[(j + 2) % 3] - way[(j + 2) % 3] * g[(j + 1) % 3];
        if (!(length(across) <= TOL_SMALL * length(way) * length(g)))
            return false;
    }
    return true;
}

typedef enum { KEEPS_AT, KEEPS_NEAR, KEEPS_APART } Keeps;

static Keeps keeps(const ModelConstraint *constraint, bool grows)
{
    if (constraint->kind != CONSTRAINT_ONE_SIDED)
        return KEEPS_AT;
    return constraint->at_least == grows ? KEEPS_APART : KEEPS_NEAR;
}

// A mass that others may not come nearer to than l.
static void add_ball(SceneGuess *guess, size_t place, double radius)
{
    const SurveyPlace *at = &guess->survey->places.at[place];
    if (at->is_drawn || !at->is_mass)
        return;
    for (size_t i = 0; i < guess->balls.count; i++)
        if (guess->balls.at[i].place == place)
            return;
    array_push(&guess->balls, ((SceneBall){place, radius}));
}

static void add_distance(SceneGuess *guess, const ModelConstraint *constraint, size_t a, size_t b,
                         double l, bool grows)
{
    Keeps kind = keeps(constraint, grows);
    if (kind == KEEPS_APART) {
        add_ball(guess, a, l / 2);
        add_ball(guess, b, l / 2);
        return;
    }
    SceneShape *shape = scene_guess_link(guess, kind == KEEPS_AT ? SCENE_LINE : SCENE_STRING, a, b);
    if (!shape)
        return;
    shape->name = constraint->name;
    if (kind == KEEPS_NEAR)
        scene_add_number(guess->scene, l);
}

// The fixed point that all gradients of one place lead to: the least sum of squared distances.
static bool find_centre(const Survey *survey, const SurveyGrip *grip, double centre[3])
{
    double a[3][4] = {{0}};
    for (size_t i = 0; i < SURVEY_SAMPLES; i++) {
        const double *p = survey->places.at[grip->place].at[i], *g = grip->gradient[i];
        double size = length(g);
        if (!(size > 0) || !isfinite(size))
            return false;
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                double across = (j == k) - g[j] * g[k] / (size * size);
                a[j][k] += across;
                a[j][3] += across * p[k];
            }
    }
    for (int j = 0; j < 3; j++) {
        int pivot = j;
        for (int k = j + 1; k < 3; k++)
            pivot = fabs(a[k][j]) > fabs(a[pivot][j]) ? k : pivot;
        if (fabs(a[pivot][j]) <= TOL_COARSE)
            return false;
        for (int k = 0; k < 4; k++) {
            double swapped = a[j][k];
            a[j][k] = a[pivot][k];
            a[pivot][k] = swapped;
        }
        for (int r = 0; r < 3; r++)
            for (int k = 3; k >= j && r != j; k--)
                a[r][k] -= a[r][j] / a[j][j] * a[j][k];
    }
    for (int j = 0; j < 3; j++)
        centre[j] = a[j][3] / a[j][j];
    return true;
}

static bool leads_to(const Survey *survey, const SurveyGrip *grip, const double centre[3],
                     double *distances)
{
    for (size_t i = 0; i < SURVEY_SAMPLES; i++) {
        const double *p = survey->places.at[grip->place].at[i], *g = grip->gradient[i];
        double way[3] = {p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]}, across[3];
        distances[i] = length(way);
        for (int j = 0; j < 3; j++)
            across[j] = way[(j + 1) % 3] * g[(j + 2) % 3] - way[(j + 2) % 3] * g[(j + 1) % 3];
        if (!(length(across) <= TOL_SMALL * (survey->size + distances[i]) * length(g)))
            return false;
    }
    return true;
}

// A distance from a fixed point that the model need not name.
static bool guess_fixed_distance(SceneGuess *guess, const SurveyCondition *condition)
{
    const SurveyGrip *grip = &condition->grips[0];
    double centre[3], distances[SURVEY_SAMPLES], l;
    bool grows;
    if (!find_centre(guess->survey, grip, centre) ||
        !leads_to(guess->survey, grip, centre, distances) ||
        !fit_distance(condition->value, distances, &l, &grows) ||
        keeps(condition->constraint, grows) == KEEPS_APART)
        return false;
    for (size_t i = 0; i < guess->survey->places.count; i++) {
        const SurveyPlace *place = &guess->survey->places.at[i];
        double way[3];
        for (int j = 0; j < 3; j++)
            way[j] = place->at[0][j] - centre[j];
        if (place->fixed && length(way) <= TOL_SMALL * guess->survey->size) {
            add_distance(guess, condition->constraint, grip->place, i, l, grows);
            return true;
        }
    }
    bool string = keeps(condition->constraint, grows) == KEEPS_NEAR;
    scene_guess_begin(guess, string ? SCENE_STRING : SCENE_LINE, condition->constraint->name);
    for (int j = 0; j < 3; j++)
        scene_add_number(guess->scene, centre[j]);
    scene_add_vector(guess->scene, guess->survey->places.at[grip->place].position);
    if (string)
        scene_add_number(guess->scene, l);
    scene_guess_begin(guess, SCENE_PIVOT, "pivot");
    for (int j = 0; j < 3; j++)
        scene_add_number(guess->scene, centre[j]);
    return true;
}

// Whether it is one on the distance of its two places.
static bool is_distance(const Survey *survey, const SurveyCondition *condition, double *l,
                        bool *grows)
{
    size_t a = condition->grips[0].place, b = condition->grips[1].place;
    double distances[SURVEY_SAMPLES];
    if (condition->grip_count != 2 || !points_along(survey, &condition->grips[0], b) ||
        !points_along(survey, &condition->grips[1], a))
        return false;
    survey_distance(survey, a, b, distances);
    return fit_distance(condition->value, distances, l, grows);
}

bool scene_condition_pushes(const Scene *scene, const char *name)
{
    const Survey *survey = scene->survey;
    for (size_t i = 0; i < survey->conditions.count; i++) {
        const SurveyCondition *condition = &survey->conditions.at[i];
        double centre[3], distances[SURVEY_SAMPLES], l;
        bool grows;
        if (strcmp(condition->constraint->name, name) != 0)
            continue;
        bool far = condition->grip_count == 1
                       ? find_centre(survey, &condition->grips[0], centre) &&
                             leads_to(survey, &condition->grips[0], centre, distances) &&
                             fit_distance(condition->value, distances, &l, &grows)
                       : is_distance(survey, condition, &l, &grows);
        return condition->constraint->kind == CONSTRAINT_ONE_SIDED &&
               !(far && keeps(condition->constraint, grows) == KEEPS_NEAR);
    }
    return false;
}

static bool guess_two_places(SceneGuess *guess, const SurveyCondition *condition)
{
    size_t a = condition->grips[0].place, b = condition->grips[1].place;
    double l;
    bool grows;
    if (!is_distance(guess->survey, condition, &l, &grows))
        return false;
    add_distance(guess, condition->constraint, a, b, l, grows);
    return true;
}

// ---- Planes.

// How far what is drawn around a place reaches.
static double radius_at(const SceneGuess *guess, size_t place)
{
    const Scene *scene = guess->scene;
    const Model *model = scene->motion->model;
    for (size_t i = 0; i < guess->balls.count; i++)
        if (guess->balls.at[i].place == place)
            return guess->balls.at[i].radius;
    for (size_t i = 0; i < model->draws.count; i++) {
        const ModelDraw *draw = &model->draws.at[i];
        bool round = draw->shape == DRAW_SPHERE || draw->shape == DRAW_DISC ||
                     draw->shape == DRAW_RING || draw->shape == DRAW_CYLINDER;
        if (round && survey_place(guess->survey, draw->first) == place)
            return scene_number(scene, draw->radius, 0);
    }
    return 0;
}

static bool guess_wall(SceneGuess *guess, const SurveyCondition *condition)
{
    const SurveyGrip *grip = &condition->grips[0];
    const double *g = grip->gradient[0];
    double size = length(g), offset[SURVEY_SAMPLES];
    if (!(size > 0) || !isfinite(size))
        return false;
    for (size_t i = 0; i < SURVEY_SAMPLES; i++) {
        const double *p = guess->survey->places.at[grip->place].at[i], *h = grip->gradient[i];
        double differs[3] = {h[0] - g[0], h[1] - g[1], h[2] - g[2]};
        offset[i] = condition->value[i] - (g[0] * p[0] + g[1] * p[1] + g[2] * p[2]);
        if (!(length(differs) <= TOL_SMALL * size) ||
            !(fabs(offset[i] - offset[0]) <=
              TOL_SMALL * (size * guess->survey->size + fabs(offset[0]))))
            return false;
    }
    bool one_sided = condition->constraint->kind == CONSTRAINT_ONE_SIDED;
    const double *up = guess->up;
    double along_up = (g[0] * up[0] + g[1] * up[1] + g[2] * up[2]) / size;
    // Towards the side where the place may be; of an equation upwards.
    double sign = one_sided ? (condition->constraint->at_least ? 1 : -1) : along_up < 0 ? -1 : 1;
    double n[3] = {sign * g[0] / size, sign * g[1] / size, sign * g[2] / size};
    double d = -sign * offset[0] / size;
    bool level = sign * along_up > 0.7;
    if (!one_sided && !level)
        return false;
    scene_guess_plane(guess, level ? SCENE_GROUND : SCENE_WALL, n,
                      d - radius_at(guess, grip->place));
    return true;
}

// ---- Surfaces.

// The condition in the scene's own x, y, z; none where it holds more than a place.
static Expr surface_residual(const Scene *scene, const SurveyCondition *condition)
{
    const Motion *motion = scene->motion;
    ExprPool *pool = motion->pool;
    Expr residual = condition->constraint->residual, symbols[3], values[3];
    size_t count = 0;
    for (int i = 0; i < 3; i++)
        if (!expr_is_none(condition->coords[i])) {
            symbols[count] = condition->coords[i];
            values[count++] = scene->xyz[i];
        }
    if (condition->grip_count != 1 || count == 0)
        return (Expr){0};
    residual = expr_replace(pool, residual, symbols, values, count);
    bool moves = expr_holds(pool, residual, motion->model->t) ||
                 expr_holds_any(pool, residual, motion->q, motion->n);
    return moves ? (Expr){0} : residual;
}

static bool add_surface(Scene *scene, const SurveyCondition *condition)
{
    Expr residual = surface_residual(scene, condition);
    if (expr_is_none(residual))
        return false;
    for (size_t i = 0; i < scene->surfaces.count; i++)
        if (expr_same(scene->surfaces.at[i].residual, residual))
            return true;
    if (scene->surfaces.count >= MOST_SURFACES)
        return true;
    scene_begin(scene, SCENE_SURFACE, condition->constraint->name);
    SceneSurface surface = {.shape = scene->shapes.count - 1, .residual = residual};
    memcpy(surface.xyz, scene->xyz, sizeof surface.xyz);
    array_push(&scene->surfaces, surface);
    return true;
}

bool scene_condition_surface(Scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->survey->conditions.count; i++)
        if (strcmp(scene->survey->conditions.at[i].constraint->name, name) == 0)
            return add_surface(scene, &scene->survey->conditions.at[i]);
    return false;
}

static void guess_surface(SceneGuess *guess, const SurveyCondition *condition)
{
    const Model *model = guess->scene->motion->model;
    size_t before = guess->scene->shapes.count;
    // Who draws surfaces draws them all.
    for (size_t i = 0; i < model->draws.count; i++)
        if (model->draws.at[i].shape == DRAW_SURFACE)
            return;
    add_surface(guess->scene, condition);
    if (guess->scene->shapes.count > before)
        guess->scene->shapes.at[before].guessed = true;
}

// ---- Springs.

// T = A·D² + B·D + C with A > 0, D not constant.
static bool is_spring(const double *t, const double *d)
{
    double m[3][4];
    static const size_t rows[] = {0, 3, 6};
    double scale = 0;
    for (size_t i = 0; i < SURVEY_SAMPLES; i++) {
        if (!isfinite(t[i]) || !isfinite(d[i]))
            return false;
        scale = fmax(scale, fabs(t[i]));
    }
    for (int i = 0; i < 3; i++) {
        double x = d[rows[i]];
        double row[] = {x * x, x, 1, t[rows[i]]};
        memcpy(m[i], row, sizeof row);
    }
    for (int j = 0; j < 3; j++)
        for (int r = 0; r < 3; r++) {
            if (r == j)
                continue;
            double factor = m[r][j] / m[j][j];
            for (int k = 0; k < 4; k++)
                m[r][k] -= factor * m[j][k];
        }
    double a = m[0][3] / m[0][0], b = m[1][3] / m[1][1], c = m[2][3] / m[2][2];
    if (!(isfinite(a) && isfinite(b) && isfinite(c)) || !(a > 0) || !(scale > 0))
        return false;
    for (size_t i = 0; i < SURVEY_SAMPLES; i++)
        if (!(fabs((a * d[i] + b) * d[i] + c - t[i]) <= TOL_SMALL * scale))
            return false;
    return true;
}

// Too many pairs of places are not tried.
enum { MOST_SPRING_PLACES = 64 };

// Whether a term of the potential is the energy of a spring that the model has. On a line it is
// quadratic in the distance to other places, too.
static bool is_declared(const SceneGuess *guess, const double *term)
{
    const Model *model = guess->scene->motion->model;
    double distances[SURVEY_SAMPLES];
    for (size_t i = 0; i < model->springs.count; i++) {
        const ModelSpring *spring = &model->springs.at[i];
        if (!spring->between || spring->damper)
            continue;
        size_t first = survey_place(guess->survey, spring->first);
        size_t second = survey_place(guess->survey, spring->second);
        if (first == SIZE_MAX || second == SIZE_MAX)
            continue;
        survey_distance(guess->survey, first, second, distances);
        if (is_spring(term, distances))
            return true;
    }
    return false;
}

static void guess_spring(SceneGuess *guess, const double *term)
{
    const Survey *survey = guess->survey;
    double distances[SURVEY_SAMPLES];
    if (is_declared(guess, term))
        return;
    for (size_t a = 0; a < survey->places.count; a++)
        for (size_t b = a + 1; b < survey->places.count; b++) {
            bool fixed = survey->places.at[a].fixed && survey->places.at[b].fixed;
            if (fixed || survey_distance(survey, a, b, distances) || !is_spring(term, distances))
                continue;
            SceneShape *spring = scene_guess_link(guess, SCENE_SPRING, a, b);
            if (!spring)
                return;
            spring->turns = 8;
            scene_add_number(guess->scene, 0);
            return;
        }
}

// One that the model has: the places that it is between are there already.
static void show_spring(SceneGuess *guess, const ModelSpring *spring)
{
    if (!spring->between)
        return;
    SceneShape *shape = scene_guess_link(guess, spring->damper ? SCENE_LINE : SCENE_SPRING,
                                         survey_place(guess->survey, spring->first),
                                         survey_place(guess->survey, spring->second));
    if (!shape || spring->damper)
        return;
    shape->turns = 8;
    scene_add_number(guess->scene, 0);
}

// ---- All of them.

void scene_guess_conditions(SceneGuess *guess)
{
    const Survey *survey = guess->survey;
    // Balls first: floors lie as far below them as they are large.
    for (size_t i = 0; i < survey->conditions.count; i++)
        if (survey->conditions.at[i].grip_count == 2)
            guess_two_places(guess, &survey->conditions.at[i]);
    for (size_t i = 0; i < survey->conditions.count; i++) {
        const SurveyCondition *condition = &survey->conditions.at[i];
        if (condition->grip_count == 1 && !guess_wall(guess, condition) &&
            !guess_fixed_distance(guess, condition))
            guess_surface(guess, condition);
    }
    const Model *model = guess->scene->motion->model;
    for (size_t i = 0; i < model->springs.count; i++)
        show_spring(guess, &model->springs.at[i]);
    for (size_t i = 0; i < survey->term_count && survey->places.count <= MOST_SPRING_PLACES; i++)
        guess_spring(guess, survey->terms.at + i * SURVEY_SAMPLES);
}
