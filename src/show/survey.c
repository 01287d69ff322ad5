// survey.c: places, bodies, conditions and springs of a model, sampled.
//
// What is the same at several positions drawn at random is the same: so a point is found to be
// fixed in a body whatever way it was written. The first sample is the start.
#include "expr/expr.h"
#include "show/survey_impl.h"

#include "linalg/tolerances.h"
#include "model/vectors.h"
#include "program/program.h"

#include <math.h>
#include <string.h>

typedef struct {
    const Motion *motion;
    Survey *survey;
    ARRAY(Expr) outputs;
} Surveying;

// ---- Adding.

static void push_vec(Surveying *s, Vec v)
{
    array_push(&s->outputs, v.x);
    array_push(&s->outputs, v.y);
    array_push(&s->outputs, v.z);
}

static Vec in_world(const Surveying *s, Vector v)
{
    return vector_in(s->motion->model->vectors, v, (Frame){0});
}

static SurveyPlace *push_place(Surveying *s, Vector position, const char *name)
{
    array_push(&s->survey->places, ((SurveyPlace){.position = position, .name = name}));
    array_push(&s->survey->names, ((SurveyName){.position = position}));
    return &s->survey->places.at[s->survey->places.count - 1];
}

static void gather_draws(Surveying *s)
{
    const Model *model = s->motion->model;
    for (size_t i = 0; i < model->draws.count; i++) {
        const ModelDraw *draw = &model->draws.at[i];
        bool curve = draw->shape == DRAW_CURVE;
        for (size_t j = 0; j < draw->point_count && !curve; j++)
            push_place(s, draw->points[j], "");
        if (draw->point_count > 0 || draw->first.at == 0 || curve)
            continue;
        SurveyPlace *place = push_place(s, draw->first, "");
        place->is_drawn =
            draw->shape != DRAW_ARROW && draw->shape != DRAW_LABEL && draw->shape != DRAW_AXES;
    }
}

static void gather_places(Surveying *s)
{
    const Model *model = s->motion->model;
    push_place(s, vector_zero(model->vectors), "origin");
    for (size_t i = 0; i < model->masses.count; i++)
        push_place(s, model->masses.at[i].position, "mass")->is_mass = true;
    for (size_t i = 0; i < model->bodies.count; i++)
        if (model->bodies.at[i].has_position)
            push_place(s, model->bodies.at[i].position, model->bodies.at[i].name)->is_centre = true;
    for (size_t i = 0; i < model->points.count; i++)
        push_place(s, model->points.at[i].position, model->points.at[i].name)->is_point = true;
    gather_draws(s);
    for (size_t i = 0; i < model->springs.count; i++)
        if (model->springs.at[i].between) {
            push_place(s, model->springs.at[i].first, "");
            push_place(s, model->springs.at[i].second, "");
        }
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        for (size_t j = 0; j < constraint->place_count; j++)
            if (constraint->places[j].kind != PLACE_FRAME)
                push_place(s, constraint->places[j].position, constraint->places[j].name)
                    ->is_contact = constraint->places[j].kind == PLACE_PARTICLE;
    }
    // Where a body's arm begins: what remains of its place without what is along its own axes.
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        if (!body->has_position)
            continue;
        Vector anchor = body->position;
        for (size_t j = 0; j < vector_term_count(model->vectors, body->position); j++) {
            Expr factor;
            Vector term = vector_term(model->vectors, body->position, j, &factor);
            if (vector_home(model->vectors, term).at == body->frame.at)
                anchor =
                    vector_sub(model->vectors, anchor, vector_scaled(model->vectors, factor, term));
        }
        if (vector_term_count(model->vectors, body->position) == 0 &&
            vector_home(model->vectors, body->position).at == body->frame.at)
            anchor = vector_zero(model->vectors);
        push_place(s, anchor, "");
    }
}

static void gather_bodies(Surveying *s)
{
    const Model *model = s->motion->model;
    for (size_t i = 0; i < model->bodies.count; i++)
        array_push(&s->survey->bodies, ((SurveyBody){.body = &model->bodies.at[i]}));
}

// ---- Conditions.

// The place whose coordinate this is: one that has it as a component, and nothing else in it.
static bool carrier_of(const Surveying *s, Expr coordinate, size_t *place, int *axis)
{
    for (size_t i = 0; i < s->survey->places.count; i++) {
        Vec at = in_world(s, s->survey->places.at[i].position);
        Expr parts[] = {at.x, at.y, at.z};
        for (*axis = 0; *axis < 3; (*axis)++)
            if (expr_same(parts[*axis], coordinate)) {
                *place = i;
                return true;
            }
    }
    return false;
}

static SurveyGrip *grip_at(SurveyCondition *condition, size_t place)
{
    for (size_t i = 0; i < condition->grip_count; i++)
        if (condition->grips[i].place == place)
            return &condition->grips[i];
    if (condition->grip_count == SURVEY_MOST_GRIPS)
        return NULL;
    SurveyGrip *grip = &condition->grips[condition->grip_count++];
    *grip = (SurveyGrip){.place = place};
    return grip;
}

// Gradients of a condition in Cartesian coordinates of places.
static void grip_coordinates(Surveying *s, SurveyCondition *condition,
                             Expr gradients[SURVEY_MOST_GRIPS][3])
{
    const Motion *motion = s->motion;
    Expr residual = condition->constraint->residual;
    for (size_t i = 0; i < motion->n; i++) {
        size_t place;
        int axis;
        if (!expr_holds(motion->pool, residual, motion->q[i]))
            continue;
        SurveyGrip *grip =
            carrier_of(s, motion->q[i], &place, &axis) ? grip_at(condition, place) : NULL;
        if (!grip) {
            condition->grip_count = 0;
            return;
        }
        gradients[grip - condition->grips][axis] = expr_diff(motion->pool, residual, motion->q[i]);
        condition->coords[axis] = motion->q[i];
    }
}

static void grip_places(Surveying *s, SurveyCondition *condition,
                        Expr gradients[SURVEY_MOST_GRIPS][3])
{
    const ModelConstraint *constraint = condition->constraint;
    for (size_t i = 0; i < constraint->place_count; i++) {
        const ModelPlace *place = &constraint->places[i];
        size_t at = 0;
        while (at < s->survey->places.count && place->kind == PLACE_POINT &&
               s->survey->places.at[at].position.at != place->position.at)
            at++;
        bool found = place->kind == PLACE_POINT && at < s->survey->places.count;
        SurveyGrip *grip = found ? grip_at(condition, at) : NULL;
        if (!grip) {
            condition->grip_count = 0;
            return;
        }
        Vec along = vector_in(s->motion->model->vectors, place->along, (Frame){0});
        memcpy(gradients[grip - condition->grips], &along, sizeof along);
    }
}

static void gather_conditions(Surveying *s)
{
    const Model *model = s->motion->model;
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        bool finite =
            constraint->kind == CONSTRAINT_FINITE || constraint->kind == CONSTRAINT_ONE_SIDED;
        if (!finite || constraint->silent || s->survey->conditions.count >= SURVEY_MOST_PLACES)
            continue;
        SurveyCondition condition = {.constraint = constraint};
        Expr gradients[SURVEY_MOST_GRIPS][3] = {{{0}}};
        if (constraint->place_count > 0)
            grip_places(s, &condition, gradients);
        else
            grip_coordinates(s, &condition, gradients);
        array_push(&s->outputs, constraint->residual);
        for (size_t j = 0; j < condition.grip_count; j++)
            for (int k = 0; k < 3; k++)
                array_push(&s->outputs, expr_is_none(gradients[j][k]) ? expr_int(s->motion->pool, 0)
                                                                      : gradients[j][k]);
        array_push(&s->survey->conditions, condition);
    }
}

// The terms that the potential is the sum of.
static void gather_terms(Surveying *s)
{
    const ExprPool *pool = s->motion->pool;
    Expr potential = s->motion->model->potential;
    size_t count = expr_op(pool, potential) == EXPR_SUM ? expr_arg_count(pool, potential) : 1;
    if (count > SURVEY_MOST_PLACES)
        return;
    for (size_t i = 0; i < count; i++)
        array_push(&s->outputs,
                   expr_op(pool, potential) == EXPR_SUM ? expr_arg(pool, potential, i) : potential);
    s->survey->term_count = count;
}

// ---- Samples.

static double random_part(Random *random)
{
    return (double)random_below(random, 1 << 20) / (1 << 19) - 1;
}

// Inputs of a sample: the start, or coordinates moved at random and the time too.
static void draw_inputs(const Surveying *s, const RunState *state, size_t sample, double *inputs)
{
    Random random = random_seed(sample);
    memcpy(inputs, state->values, state->count * sizeof *inputs);
    for (size_t i = s->motion->model->params.count; i < state->count && sample > 0; i++)
        inputs[i] += (1 + fabs(inputs[i])) * 0.5 * random_part(&random);
}

static const double *take_axes(const double *at, double axes[3][3])
{
    memcpy(axes[0], at, sizeof axes[0]);
    memcpy(axes[1], at + 3, sizeof axes[1]);
    for (int i = 0; i < 3; i++)
        axes[2][i] = axes[0][(i + 1) % 3] * axes[1][(i + 2) % 3] -
                     axes[0][(i + 2) % 3] * axes[1][(i + 1) % 3];
    return at + 6;
}

static void take_sample(Survey *survey, size_t sample, const double *at)
{
    for (size_t i = 0; i < survey->places.count; i++, at += 3)
        memcpy(survey->places.at[i].at[sample], at, 3 * sizeof *at);
    for (size_t i = 0; i < survey->bodies.count; i++) {
        SurveyBody *body = &survey->bodies.at[i];
        at = take_axes(at, body->axes[sample]);
        at = take_axes(at, body->inertia_axes[sample]);
        body->mass = *at++;
        memcpy(body->inertia, at, sizeof body->inertia);
        at += 6;
    }
    for (size_t i = 0; i < survey->conditions.count; i++) {
        SurveyCondition *condition = &survey->conditions.at[i];
        condition->value[sample] = *at++;
        for (size_t j = 0; j < condition->grip_count; j++, at += 3)
            memcpy(condition->grips[j].gradient[sample], at, 3 * sizeof *at);
    }
    for (size_t i = 0; i < survey->term_count; i++)
        survey->terms.at[i * SURVEY_SAMPLES + sample] = *at++;
}

static void push_axes(Surveying *s, Frame frame)
{
    const Model *model = s->motion->model;
    Expr one = expr_int(model->pool, 1), zero = expr_int(model->pool, 0);
    push_vec(s, in_world(s, vector_of(model->vectors, frame, (Vec){one, zero, zero})));
    push_vec(s, in_world(s, vector_of(model->vectors, frame, (Vec){zero, one, zero})));
}

static bool run_samples(Surveying *s, const Simulation *run)
{
    RunState state = run_state(run);
    Program *program = program_new(s->motion->pool, state.symbols, state.count, s->outputs.at,
                                   s->outputs.count, NULL);
    if (!program)
        return false;
    double *inputs = base_alloc((state.count + 1) * sizeof *inputs);
    double *outputs = base_alloc((s->outputs.count + 1) * sizeof *outputs);
    double *work = base_alloc((program_registers(program) + 1) * sizeof *work);
    array_reserve(&s->survey->terms, s->survey->term_count * SURVEY_SAMPLES + 1);
    for (size_t i = SURVEY_SAMPLES; i-- > 0;) {
        draw_inputs(s, &state, i, inputs);
        program_run_real(program, inputs, outputs, work);
        take_sample(s->survey, i, outputs);
    }
    base_free(inputs);
    base_free(outputs);
    base_free(work);
    program_free(program);
    return true;
}

// ---- What the samples say.

static bool same_at(const Survey *survey, const double a[3], const double b[3])
{
    return fabs(a[0] - b[0]) + fabs(a[1] - b[1]) + fabs(a[2] - b[2]) <=
           TOL_CONDITION * (survey->size + fabs(a[0]) + fabs(a[1]) + fabs(a[2]));
}

static bool is_same_place(const Survey *survey, const SurveyPlace *a, const SurveyPlace *b)
{
    for (size_t i = 0; i < SURVEY_SAMPLES; i++)
        if (!same_at(survey, a->at[i], b->at[i]))
            return false;
    return true;
}

static bool is_fixed(const Survey *survey, const SurveyPlace *place)
{
    for (size_t i = 1; i < SURVEY_SAMPLES; i++)
        if (!same_at(survey, place->at[0], place->at[i]))
            return false;
    return true;
}

static void measure(Survey *survey)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < survey->places.count; i++)
        for (int j = 0; j < 3; j++) {
            double at = survey->places.at[i].at[0][j];
            low[j] = isfinite(at) ? fmin(low[j], at) : low[j];
            high[j] = isfinite(at) ? fmax(high[j], at) : high[j];
        }
    double size = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    survey->size = size > 0 && isfinite(size) ? size : 1;
}

// Places that are the same become one.
static void merge_places(Survey *survey)
{
    size_t *kept = base_alloc((survey->places.count + 1) * sizeof *kept), count = 0;
    bool few = survey->places.count <= SURVEY_MOST_PLACES;
    for (size_t i = 0; i < survey->places.count; i++) {
        SurveyPlace *place = &survey->places.at[i];
        size_t j = few ? 0 : count;
        while (j < count && !is_same_place(survey, &survey->places.at[j], place))
            j++;
        kept[i] = j;
        if (j == count) {
            survey->places.at[count++] = *place;
            continue;
        }
        SurveyPlace *first = &survey->places.at[j];
        first->is_point = first->is_point || place->is_point;
        first->is_mass = first->is_mass || place->is_mass;
        first->is_centre = first->is_centre || place->is_centre;
        first->is_drawn = first->is_drawn || place->is_drawn;
        first->is_contact = first->is_contact || place->is_contact;
        if (place->is_point && !first->is_centre)
            first->name = place->name;
    }
    survey->places.count = count;
    for (size_t i = 0; i < survey->conditions.count; i++)
        for (size_t j = 0; j < survey->conditions.at[i].grip_count; j++)
            survey->conditions.at[i].grips[j].place = kept[survey->conditions.at[i].grips[j].place];
    for (size_t i = 0; i < survey->names.count; i++)
        survey->names.at[i].place = kept[i];
    base_free(kept);
    for (size_t i = 0; i < count; i++)
        survey->places.at[i].fixed = is_fixed(survey, &survey->places.at[i]);
}

Survey survey_new(const Motion *motion, const Simulation *run)
{
    Survey survey = {0};
    Surveying s = {.motion = motion, .survey = &survey};
    const Model *model = motion->model;
    gather_places(&s);
    for (size_t i = 0; i < survey.places.count; i++)
        push_vec(&s, in_world(&s, survey.places.at[i].position));
    gather_bodies(&s);
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        push_axes(&s, body->frame);
        push_axes(&s, body->inertia_frame);
        array_push(&s.outputs, body->mass);
        for (int j = 0; j < 6; j++)
            array_push(&s.outputs,
                       body->has_inertia ? body->inertia[j] : expr_int(motion->pool, 0));
    }
    gather_conditions(&s);
    gather_terms(&s);
    if (run_samples(&s, run)) {
        measure(&survey);
        merge_places(&survey);
        for (size_t i = 0; i < survey.bodies.count; i++)
            survey.bodies.at[i].centre = model->bodies.at[i].has_position
                                             ? survey_place(&survey, model->bodies.at[i].position)
                                             : 0;
    } else {
        survey_clear(&survey);
    }
    array_clear(&s.outputs);
    return survey;
}

void survey_clear(Survey *survey)
{
    array_clear(&survey->places);
    array_clear(&survey->names);
    array_clear(&survey->bodies);
    array_clear(&survey->conditions);
    array_clear(&survey->terms);
    survey->term_count = 0;
}

size_t survey_place(const Survey *survey, Vector position)
{
    for (size_t i = 0; i < survey->names.count; i++)
        if (survey->names.at[i].position.at == position.at)
            return survey->names.at[i].place;
    return SIZE_MAX;
}

bool survey_is_attached(const Survey *survey, const SurveyBody *body, size_t place)
{
    double first[3] = {0};
    for (size_t i = 0; i < SURVEY_SAMPLES; i++) {
        double arm[3], parts[3];
        for (int j = 0; j < 3; j++)
            arm[j] = survey->places.at[place].at[i][j] - survey->places.at[body->centre].at[i][j];
        for (int j = 0; j < 3; j++)
            parts[j] = body->axes[i][j][0] * arm[0] + body->axes[i][j][1] * arm[1] +
                       body->axes[i][j][2] * arm[2];
        if (i == 0)
            memcpy(first, parts, sizeof first);
        else if (!same_at(survey, first, parts))
            return false;
    }
    return true;
}

bool survey_distance(const Survey *survey, size_t a, size_t b, double *distances)
{
    bool same = true;
    for (size_t i = 0; i < SURVEY_SAMPLES; i++) {
        const double *p = survey->places.at[a].at[i], *q = survey->places.at[b].at[i];
        distances[i] = hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
        same = same &&
               fabs(distances[i] - distances[0]) <= TOL_CONDITION * (survey->size + distances[0]);
    }
    return same;
}
