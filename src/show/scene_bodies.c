// scene_bodies.c: bodies as their inertia, their joints and what they roll on say.
//
// With s² = (I_y + I_z − I_x)/2m, the mean square of x over the body, the edges of a box are s·√12,
// the diameters of an ellipsoid 2s·√5, the radius of a disc 2s and of a ring s·√2.
#include "expr/expr.h"
#include "linalg/tolerances.h"
#include "model/vectors.h"
#include "show/scene_impl.h"
#include "show/survey_impl.h"

#include <math.h>
#include <string.h>

// Where a body rolls, seen from its centre.
typedef struct {
    bool rolls, round; // round: the distance stays the same
    double radius;
    int axle; // of its inertia's axes, across the way to where it touches; -1: none
} Rolling;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool is_near(double a, double b, double scale)
{
    return fabs(a - b) <= TOL_POOR * scale;
}

// ---- Principal axes: Jacobi's rotations of the inertia tensor.

typedef struct {
    double axes[3][3]; // [which][component], along the axes of the inertia's frame
    double square[3];  // s²
    bool planar;       // one moment alone was given
} Principal;

static void rotate(double a[3][3], double v[3][3], int p, int q)
{
    if (fabs(a[p][q]) <= TOL_ROUNDING * (fabs(a[p][p]) + fabs(a[q][q])))
        return;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; k++) {
        double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
        x = v[p][k], y = v[q][k];
        v[p][k] = c * x - s * y;
        v[q][k] = s * x + c * y;
    }
}

static Principal principal_of(const SceneGuess *guess, const SurveyBody *body)
{
    const double *i = body->inertia;
    double a[3][3] = {{i[0], i[3], i[5]}, {i[3], i[1], i[4]}, {i[5], i[4], i[2]}};
    Principal p = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int sweep = 0; sweep < LIMIT_STEPS; sweep++)
        for (int j = 0; j < 3; j++)
            rotate(a, p.axes, j, (j + 1) % 3);
    double largest = fmax(a[0][0], fmax(a[1][1], a[2][2]));
    // Without a mass of its own it has any size; this one is a part of the system's.
    double part = 0.06 * guess->survey->size;
    double mass = body->mass > 0 ? body->mass : largest > 0 ? largest / (part * part) : 1;
    int zeros = 0;
    for (int j = 0; j < 3; j++) {
        p.square[j] = (a[(j + 1) % 3][(j + 1) % 3] + a[(j + 2) % 3][(j + 2) % 3] - a[j][j]) / 2;
        p.square[j] = fmax(p.square[j] / mass, 0);
        zeros += a[j][j] <= TOL_SMALL * largest;
    }
    p.planar = zeros == 2;
    for (int j = 0; j < 3 && p.planar; j++)
        p.square[j] = a[j][j] > TOL_SMALL * largest ? 0 : largest / mass / 2;
    return p;
}

static Vector principal_axis(const SceneGuess *guess, const SurveyBody *body, const Principal *p,
                             int which)
{
    const Model *model = guess->scene->motion->model;
    const double *axis = p->axes[which];
    Vec parts = {expr_double(model->pool, axis[0]), expr_double(model->pool, axis[1]),
                 expr_double(model->pool, axis[2])};
    return vector_of(model->vectors, body->body->inertia_frame, parts);
}

// ---- Rolling.

static Rolling rolling_at(const SceneGuess *guess, const SurveyBody *body, size_t contact)
{
    const Survey *survey = guess->survey;
    double distances[SURVEY_SAMPLES];
    Rolling rolling = {.rolls = true, .axle = -1};
    rolling.round = survey_distance(survey, body->centre, contact, distances);
    rolling.radius = distances[0];
    Principal p = principal_of(guess, body);
    for (int axis = 0; axis < 3; axis++) {
        bool across = true;
        for (size_t i = 0; i < SURVEY_SAMPLES && across; i++) {
            double arm[3];
            for (int j = 0; j < 3; j++)
                arm[j] =
                    survey->places.at[contact].at[i][j] - survey->places.at[body->centre].at[i][j];
            across = fabs(dot(arm, body->inertia_axes[i][axis])) <= TOL_SMALL * distances[0];
        }
        // A frame that does not spin with the wheel has more such axes: it is thin along its axle.
        if (across && (rolling.axle < 0 || p.square[axis] < p.square[rolling.axle]))
            rolling.axle = axis;
    }
    return rolling;
}

static Rolling rolling_of(const SceneGuess *guess, const SurveyBody *body)
{
    const Model *model = guess->scene->motion->model;
    size_t index = (size_t)(body->body - model->bodies.at);
    for (size_t i = 0; i < model->constraints.count; i++)
        for (size_t j = 0; j < model->constraints.at[i].place_count; j++) {
            const ModelPlace *place = &model->constraints.at[i].places[j];
            bool here = place->kind == PLACE_PARTICLE && place->body == index;
            size_t at = here ? survey_place(guess->survey, place->position) : SIZE_MAX;
            if (at != SIZE_MAX && !survey_is_attached(guess->survey, body, at))
                return rolling_at(guess, body, at);
        }
    return (Rolling){.axle = -1};
}

// ---- Shapes.

static SceneShape *begin_body(SceneGuess *guess, SceneKind kind, const SurveyBody *body)
{
    SceneShape *shape = scene_guess_begin(guess, kind, body->body->name);
    shape->palette = guess->palette++ % SCENE_PALETTE;
    scene_add_vector(guess->scene, guess->survey->places.at[body->centre].position);
    return shape;
}

static void add_round(SceneGuess *guess, SceneKind kind, const SurveyBody *body, Vector axis,
                      double radius, double length)
{
    begin_body(guess, kind, body);
    scene_add_vector(guess->scene, axis);
    scene_add_number(guess->scene, radius);
    if (kind == SCENE_CYLINDER)
        scene_add_number(guess->scene, length);
    scene_add_turn(guess->scene, body->body->frame);
}

static void add_sphere(SceneGuess *guess, const SurveyBody *body, double radius)
{
    begin_body(guess, SCENE_SPHERE, body);
    scene_add_number(guess->scene, radius);
    scene_add_turn(guess->scene, body->body->frame);
}

static void add_edges(SceneGuess *guess, SceneKind kind, const SurveyBody *body, const Principal *p,
                      double factor, double least)
{
    begin_body(guess, kind, body);
    for (int i = 0; i < 2; i++)
        scene_add_vector(guess->scene, principal_axis(guess, body, p, i));
    for (int i = 0; i < 3; i++)
        scene_add_number(guess->scene, fmax(factor * sqrt(p->square[i]), least));
}

static void add_rolling(SceneGuess *guess, const SurveyBody *body, const Rolling *rolling)
{
    Principal p = principal_of(guess, body);
    if (rolling->axle < 0) {
        add_sphere(guess, body, rolling->radius);
        return;
    }
    double square = 0;
    for (int i = 0; i < 3; i++)
        if (i != rolling->axle)
            square += p.square[i] / 2;
    bool hoop = is_near(square / (rolling->radius * rolling->radius), 0.5, 1);
    Principal plain = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    add_round(guess, hoop ? SCENE_RING : SCENE_WHEEL, body,
              principal_axis(guess, body, &plain, rolling->axle), rolling->radius, 0);
}

static void add_by_inertia(SceneGuess *guess, const SurveyBody *body)
{
    Principal p = principal_of(guess, body);
    double *s = p.square, largest = fmax(s[0], fmax(s[1], s[2]));
    int odd = -1; // the axis about which it is round
    for (int i = 0; i < 3; i++)
        if (is_near(s[(i + 1) % 3], s[(i + 2) % 3], largest))
            odd = i;
    if (is_near(s[0], s[1], largest) && is_near(s[1], s[2], largest)) {
        add_sphere(guess, body, sqrt(5 * largest));
    } else if (odd >= 0) {
        double across = s[(odd + 1) % 3], radius = 2 * sqrt(across);
        double length = sqrt(12 * s[odd]);
        Vector axis = principal_axis(guess, body, &p, odd);
        if (length <= TOL_POOR * radius)
            add_round(guess, SCENE_DISC, body, axis, radius, 0);
        else
            add_round(guess, SCENE_CYLINDER, body, axis, fmax(radius, TOL_POOR * length), length);
    } else {
        add_edges(guess, SCENE_BOX, body, &p, sqrt(12), TOL_POOR * sqrt(12 * largest));
    }
}

// ---- Joints: places that are fixed in a body.

enum { MOST_JOINTS = 8 };

static size_t joints_of(const SceneGuess *guess, const SurveyBody *body, size_t *joints)
{
    const Survey *survey = guess->survey;
    size_t count = 0;
    for (size_t i = 0; i < survey->places.count && count < MOST_JOINTS; i++)
        if (i != body->centre && !survey->places.at[i].is_mass &&
            survey_is_attached(survey, body, i))
            joints[count++] = i;
    return count;
}

// What the model draws of this body: something around a place that is fixed in it, or a line with
// two such ends.
static bool is_shown(const SceneGuess *guess, const SurveyBody *body)
{
    for (size_t i = 0; i < guess->survey->places.count; i++)
        if (guess->survey->places.at[i].is_drawn && !guess->survey->places.at[i].fixed &&
            survey_is_attached(guess->survey, body, i))
            return true;
    for (size_t i = 0; i < guess->links.count; i++)
        if (survey_is_attached(guess->survey, body, guess->links.at[i].a) &&
            survey_is_attached(guess->survey, body, guess->links.at[i].b))
            return true;
    return false;
}

// A single joint of a flat body: the bar goes on as far beyond the centre.
static void add_bar_from(SceneGuess *guess, const SurveyBody *body, size_t joint)
{
    const Model *model = guess->scene->motion->model;
    Vector centre = guess->survey->places.at[body->centre].position;
    Vector from = guess->survey->places.at[joint].position;
    Vector twice = vector_scaled(model->vectors, expr_int(model->pool, 2), centre);
    scene_guess_begin(guess, SCENE_LINE, body->body->name)->palette =
        guess->palette++ % SCENE_PALETTE;
    scene_add_vector(guess->scene, from);
    scene_add_vector(guess->scene, vector_sub(model->vectors, twice, from));
}

static void add_bars(SceneGuess *guess, const SurveyBody *body, const size_t *joints, size_t count)
{
    size_t palette = guess->palette++ % SCENE_PALETTE;
    for (size_t i = 0; i + 1 < count; i++) {
        SceneShape *bar = scene_guess_link(guess, SCENE_LINE, joints[i], joints[i + 1]);
        if (bar) {
            bar->name = body->body->name;
            bar->palette = palette;
        }
    }
    SceneShape *last =
        count > 2 ? scene_guess_link(guess, SCENE_LINE, joints[count - 1], joints[0]) : NULL;
    if (last)
        last->palette = palette;
}

static bool is_flat_or_thin(const SceneGuess *guess, const SurveyBody *body)
{
    Principal p = principal_of(guess, body);
    double largest = fmax(p.square[0], fmax(p.square[1], p.square[2]));
    int thin = 0;
    for (int i = 0; i < 3; i++)
        thin += p.square[i] <= TOL_COARSE * largest;
    return p.planar || thin == 2;
}

static void guess_body(SceneGuess *guess, const SurveyBody *body)
{
    const Survey *survey = guess->survey;
    size_t joints[MOST_JOINTS];
    bool nothing = !body->body->has_inertia && !(body->mass > 0);
    if (nothing || survey->places.at[body->centre].is_drawn || is_shown(guess, body))
        return;
    size_t count = joints_of(guess, body, joints);
    Rolling rolling = rolling_of(guess, body);
    if (rolling.rolls && rolling.round) {
        add_rolling(guess, body, &rolling);
        return;
    }
    if (!body->body->has_inertia) {
        scene_guess_begin(guess, SCENE_MASS, body->body->name)->palette =
            guess->palette++ % SCENE_PALETTE;
        scene_add_vector(guess->scene, survey->places.at[body->centre].position);
        scene_add_number(guess->scene, 1);
        return;
    }
    if (count > 1 && is_flat_or_thin(guess, body)) {
        add_bars(guess, body, joints, count);
        return;
    }
    if (count == 1 && is_flat_or_thin(guess, body)) {
        add_bar_from(guess, body, joints[0]);
        return;
    }
    if (rolling.rolls) {
        Principal p = principal_of(guess, body);
        add_edges(guess, SCENE_ELLIPSOID, body, &p, 2 * sqrt(5), 0);
        return;
    }
    add_by_inertia(guess, body);
    for (size_t i = 0; i < count; i++)
        scene_guess_link(guess, SCENE_LINE, joints[i], body->centre);
}

void scene_guess_bodies(SceneGuess *guess)
{
    for (size_t i = 0; i < guess->survey->bodies.count; i++)
        if (guess->survey->bodies.at[i].centre != SIZE_MAX)
            guess_body(guess, &guess->survey->bodies.at[i]);
}
