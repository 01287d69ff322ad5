// scene_guess.c: what the model does not draw but has: bodies, masses, rods, strings, springs,
// pivots, walls, and the floor on which something rolls.
#include "expr/expr.h"
#include "linalg/tolerances.h"
#include "model/vectors.h"
#include "show/scene_impl.h"
#include "show/survey_impl.h"

#include <math.h>
#include <string.h>

// ---- What the lines of the model show.

static void see_draws(SceneGuess *guess)
{
    const Model *model = guess->scene->motion->model;
    for (size_t i = 0; i < model->draws.count; i++) {
        const ModelDraw *draw = &model->draws.at[i];
        bool links =
            draw->shape == DRAW_LINE || draw->shape == DRAW_SPRING || draw->shape == DRAW_POLYGON;
        for (size_t j = 0; j + 1 < draw->point_count && links; j++) {
            SceneLink link = {.a = survey_place(guess->survey, draw->points[j]),
                              .b = survey_place(guess->survey, draw->points[j + 1]),
                              .is_edge = draw->shape == DRAW_POLYGON};
            if (link.a != SIZE_MAX && link.b != SIZE_MAX)
                array_push(&guess->links, link);
        }
        if (draw->shape == DRAW_TRACE)
            array_push(&guess->traced, survey_place(guess->survey, draw->first));
        if (draw->shape == DRAW_PLANE || draw->shape == DRAW_GROUND) {
            ScenePlane plane = {.d = scene_number(guess->scene, draw->plane, 0)};
            plane.n[draw->plane_axis] = 1;
            array_push(&guess->planes, plane);
        }
    }
}

static void see_gravity(SceneGuess *guess)
{
    const Model *model = guess->scene->motion->model;
    Vec gravity = vector_in(model->vectors, model->gravity, (Frame){0});
    double g[] = {scene_number(guess->scene, gravity.x, 0),
                  scene_number(guess->scene, gravity.y, 0),
                  scene_number(guess->scene, gravity.z, 0)};
    double size = hypot(hypot(g[0], g[1]), g[2]);
    for (int i = 0; i < 3 && size > 0; i++)
        guess->up[i] = -g[i] / size;
}

// ---- Masses.

static double largest_mass(const SceneGuess *guess)
{
    const Model *model = guess->scene->motion->model;
    double largest = 0;
    for (size_t i = 0; i < model->masses.count; i++)
        largest = fmax(largest, scene_number(guess->scene, model->masses.at[i].mass, 0));
    return largest;
}

static const SceneBall *ball_at(const SceneGuess *guess, size_t place)
{
    for (size_t i = 0; i < guess->balls.count; i++)
        if (guess->balls.at[i].place == place)
            return &guess->balls.at[i];
    return NULL;
}

static void guess_masses(SceneGuess *guess)
{
    const Model *model = guess->scene->motion->model;
    double largest = largest_mass(guess);
    for (size_t i = 0; i < model->masses.count; i++) {
        size_t place = survey_place(guess->survey, model->masses.at[i].position);
        const SurveyPlace *at = &guess->survey->places.at[place];
        double mass = scene_number(guess->scene, model->masses.at[i].mass, largest);
        const SceneBall *ball = ball_at(guess, place);
        if (at->is_drawn || at->is_centre)
            continue;
        SceneShape *shape = scene_guess_begin(guess, ball ? SCENE_SPHERE : SCENE_MASS, at->name);
        shape->palette = 1;
        scene_add_vector(guess->scene, at->position);
        scene_add_number(guess->scene, ball          ? ball->radius
                                       : largest > 0 ? cbrt(fmax(mass / largest, TOL_POOR))
                                                     : 1);
        if (ball)
            scene_add_turn(guess->scene, (Frame){0});
    }
}

// ---- Rods between places that stay as far from each other.

static bool share_a_body(const SceneGuess *guess, size_t a, size_t b)
{
    const Survey *survey = guess->survey;
    for (size_t i = 0; i < survey->bodies.count; i++)
        if (survey_is_attached(survey, &survey->bodies.at[i], a) &&
            survey_is_attached(survey, &survey->bodies.at[i], b))
            return true;
    return false;
}

// Of places that were said one after the other, from the one before. Each mass hangs on one rod.
static void guess_rods(SceneGuess *guess)
{
    const Survey *survey = guess->survey;
    double distances[SURVEY_SAMPLES];
    // Who draws lines draws the rods.
    const Model *model = guess->scene->motion->model;
    bool drawn = survey->places.count > SURVEY_MOST_PLACES;
    for (size_t i = 0; i < model->draws.count; i++)
        drawn = drawn || model->draws.at[i].shape == DRAW_LINE;
    if (drawn)
        return;
    for (size_t i = 1; i < survey->places.count; i++) {
        const SurveyPlace *place = &survey->places.at[i];
        if (!place->is_mass || place->fixed)
            continue;
        size_t found = SIZE_MAX;
        for (size_t j = 0; j < survey->places.count; j++) {
            const SurveyPlace *other = &survey->places.at[j];
            bool named = (other->is_mass || other->is_point || other->is_centre || j == 0) &&
                         !other->is_contact;
            if (j != i && named && !scene_is_linked(guess, i, j) &&
                survey_distance(survey, i, j, distances) &&
                distances[0] > TOL_SMALL * survey->size && !share_a_body(guess, i, j) &&
                (j < i || !other->is_mass))
                found = j;
        }
        bool hangs = false;
        for (size_t k = 0; k < guess->links.count; k++)
            hangs = hangs || guess->links.at[k].b == i || guess->links.at[k].a == i;
        if (found != SIZE_MAX && !hangs)
            scene_guess_link(guess, SCENE_LINE, found, i);
    }
}

// ---- Where rods end: on the ground, or on each other.

static void guess_joints(SceneGuess *guess)
{
    const Survey *survey = guess->survey;
    for (size_t i = 0; i < survey->places.count; i++) {
        const SurveyPlace *place = &survey->places.at[i];
        size_t ends = 0;
        for (size_t j = 0; j < guess->links.count; j++) {
            const SceneLink *link = &guess->links.at[j];
            bool moves = !survey->places.at[link->a].fixed || !survey->places.at[link->b].fixed;
            // A corner that has no name is no joint.
            bool joins = !link->is_edge || place->is_point || place->is_mass || place->is_centre;
            ends += moves && joins && (link->a == i || link->b == i);
        }
        bool held = false;
        for (size_t j = 0; j < survey->bodies.count && place->fixed && !held; j++)
            held = survey_is_attached(survey, &survey->bodies.at[j], i) &&
                   !survey->places.at[survey->bodies.at[j].centre].fixed;
        bool pivot = place->fixed && (ends > 0 || held) && !place->is_drawn;
        if (!pivot && (ends < 2 || place->is_mass || place->is_centre))
            continue;
        scene_guess_begin(guess, pivot ? SCENE_PIVOT : SCENE_JOINT, place->name);
        scene_add_vector(guess->scene, place->position);
    }
}

// ---- Rolling: a trace, and the floor where the point stays on it.

static void add_trace(SceneGuess *guess, size_t place)
{
    for (size_t i = 0; i < guess->traced.count; i++)
        if (guess->traced.at[i] == place)
            return;
    if (place == SIZE_MAX || guess->survey->places.at[place].fixed)
        return;
    array_push(&guess->traced, place);
    scene_guess_begin(guess, SCENE_TRACE, guess->survey->places.at[place].name)->palette = 5;
    scene_add_vector(guess->scene, guess->survey->places.at[place].position);
}

static void guess_floor(SceneGuess *guess, size_t place, size_t body)
{
    const Survey *survey = guess->survey;
    const double *at = survey->places.at[place].at[0];
    const double *centre = survey->places.at[survey->bodies.at[body].centre].at[0];
    for (int axis = 2; axis >= 0; axis--) {
        bool level = true;
        for (size_t i = 1; i < SURVEY_SAMPLES && level; i++)
            level =
                fabs(survey->places.at[place].at[i][axis] - at[axis]) <= TOL_SMALL * survey->size;
        if (!level)
            continue;
        double n[3] = {0};
        n[axis] = centre[axis] < at[axis] ? -1 : 1;
        scene_guess_plane(guess, SCENE_GROUND, n, n[axis] * at[axis]);
        return;
    }
}

static void guess_contacts(SceneGuess *guess)
{
    const Model *model = guess->scene->motion->model;
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        // The parts of a vector condition have the same places.
        bool repeated = i > 0 && constraint->place_count > 0 &&
                        model->constraints.at[i - 1].places == constraint->places;
        for (size_t j = 0; j < constraint->place_count && !repeated; j++) {
            const ModelPlace *place = &constraint->places[j];
            size_t at = place->kind == PLACE_PARTICLE ? survey_place(guess->survey, place->position)
                                                      : SIZE_MAX;
            if (at == SIZE_MAX ||
                survey_is_attached(guess->survey, &guess->survey->bodies.at[place->body], at))
                continue;
            add_trace(guess, at);
            guess_floor(guess, at, place->body);
        }
    }
}

// The path of what moves alone.
static void guess_trace(SceneGuess *guess)
{
    const Survey *survey = guess->survey;
    size_t moving = SIZE_MAX, count = 0;
    for (size_t i = 0; i < survey->places.count; i++)
        if ((survey->places.at[i].is_mass || survey->places.at[i].is_centre) &&
            !survey->places.at[i].fixed) {
            moving = i;
            count++;
        }
    if (count == 1 && guess->traced.count == 0)
        add_trace(guess, moving);
}

// ---- Points that nothing else shows.

static void guess_points(SceneGuess *guess)
{
    const Model *model = guess->scene->motion->model;
    for (size_t i = 0; i < model->points.count; i++) {
        size_t at = survey_place(guess->survey, model->points.at[i].position);
        const SurveyPlace *place = &guess->survey->places.at[at];
        bool shown = place->is_mass || place->is_centre || place->is_drawn || place->fixed;
        for (size_t j = 0; j < guess->links.count && !shown; j++)
            shown = guess->links.at[j].a == at || guess->links.at[j].b == at;
        if (shown)
            continue;
        scene_guess_begin(guess, SCENE_POINT, model->points.at[i].name);
        scene_add_vector(guess->scene, place->position);
    }
}

void scene_guess(Scene *scene)
{
    SceneGuess guess = {.scene = scene, .survey = scene->survey};
    if (scene->survey->places.count == 0)
        return;
    see_draws(&guess);
    see_gravity(&guess);
    scene_guess_bodies(&guess);
    scene_guess_conditions(&guess);
    guess_masses(&guess);
    guess_rods(&guess);
    guess_joints(&guess);
    guess_contacts(&guess);
    guess_trace(&guess);
    guess_points(&guess);
    array_clear(&guess.links);
    array_clear(&guess.traced);
    array_clear(&guess.planes);
    array_clear(&guess.balls);
}
