// states.c: what a model carries beside coordinates and speeds: discrete states, which events set,
// and continuous ones, xi' = e.
//
// A continuous state is a coordinate without inertia and without a virtual displacement, whose
// velocity a condition gives. The reaction of that condition acts along the state alone: where its
// rate holds velocities and an energy the state, it is a servo's.
#include "model/events.h"
#include "model/model_impl.h"

#include <ctype.h>
#include <string.h>

bool state_is_continuous(const NameEntry *entry)
{
    return entry->kind == NAME_STATE && entry->value.order >= 0;
}

bool state_fail_primed(Elaborator *e, const NameEntry *entry, const Target *target)
{
    Shown name = text_shown(target->base);
    return state_is_continuous(entry)
               ? elaborate_fail(e, target->place,
                                "the rate of the state '%s' is given where it is declared; give "
                                "'%s' itself",
                                name.at, name.at)
               : elaborate_fail(e, target->place, "'%s' is a discrete state and has no derivative",
                                name.at);
}

// ---- Reading.

static bool read_name(Elaborator *e, const Part *name, Target *target)
{
    if (!elaborate_target(e, name, target))
        return false;
    if (target->entry || target->ranges)
        return elaborate_fail(e, target->place, "a state is made by a name of its own");
    return target->primes < 2 ||
           elaborate_fail(e, target->place,
                          "a state has a first derivative alone; write two states");
}

// The name of a continuous state: rates of one statement may hold all of its states, also discrete
// ones, which are read first.
static bool declare_continuous(Elaborator *e, const Part *name, const Target *target)
{
    const ModelUnit *unit;
    Expr scale;
    size_t count = e->model->coords.count + e->rated.count;
    if (count >= MODEL_MOST_COORDS)
        return elaborate_fail(e, target->place, "a model has at most %d coordinates and states",
                              MODEL_MOST_COORDS);
    if (!elaborate_declared_unit(e, name, &unit, &scale))
        return false;
    NameEntry *entry = declare_single(e, NAME_STATE, target);
    if (!entry)
        return false;
    entry->unit = unit;
    if (unit)
        entry->value.dim = unit->dim;
    ModelCoord state = make_moving(e, entry);
    state.is_state = true;
    entry->index = MODEL_MOST_COORDS + (uint32_t)e->rated.count;
    array_push(&e->rated, state);
    return true;
}

static bool read_rate(Elaborator *e, const ModelCoord *state, const Part *value)
{
    Expr rate;
    Text name = {0};
    text_addf(&name, "the rate of %s", state->name);
    bool good = elaborate_measure(e, value, LEVEL_VELOCITY, name.at,
                                  dim_over(state->dim, dim_of(0, 0, 1)), &rate, NULL);
    text_clear(&name);
    if (!good)
        return false;
    text_addf(&name, "state.%s", state->name);
    push_silent(e, name.at, state->v, rate, syntax_part_place(e->syntax, value));
    text_clear(&name);
    return true;
}

static bool read_discrete(Elaborator *e, const Part *name, const Target *target, const Part *value)
{
    Expr start;
    Dim dim;
    const ModelUnit *unit;
    if (!elaborate_measure(e, value, LEVEL_PARAM, "the start of a state", dim_any(), &start,
                           &dim) ||
        !dim_take_declared(e, name, value->span, syntax_part_place(e->syntax, value), &start, &dim,
                           &unit))
        return false;
    NameEntry *entry = declare_single(e, NAME_STATE, target);
    if (!entry)
        return false;
    entry->index = (uint32_t)e->model->params.count;
    entry->value = value_scalar(expr_symbol(e->pool, entry->name.at));
    entry->value.timed = true;
    entry->value.dim = dim;
    entry->unit = unit;
    ModelParam param = {.name = entry->name.at,
                        .unit = unit,
                        .dim = dim,
                        .symbol = entry->value.scalar,
                        .value = start,
                        .is_state = true,
                        .place = entry->place};
    array_push(&e->model->params, param);
    e->model->state_count++;
    return true;
}

// The values of those with, or without, a rate.
static bool read_values(Elaborator *e, bool rates, size_t next)
{
    Target target;
    for (uint32_t i = 0; i + 1 < e->statement->count; i++) {
        const Part *name = &e->syntax->parts.at[e->statement->first + i];
        if (name->role != PART_NAME)
            continue;
        const Part *value = part_behind(e, name, PART_VALUE);
        if (read_name(e, name, &target) &&
            ((target.primes > 0) != rates || (rates ? read_rate(e, &e->rated.at[next++], value)
                                                    : read_discrete(e, name, &target, value))))
            continue;
        names_lose(e, names_base(e->syntax, name->span.root));
        return false;
    }
    return true;
}

bool read_state(Elaborator *e)
{
    bool good = true;
    Target target;
    size_t next = e->rated.count;
    for (uint32_t i = 0; i + 1 < e->statement->count; i++) {
        const Part *name = &e->syntax->parts.at[e->statement->first + i];
        if (name->role != PART_NAME || (read_name(e, name, &target) &&
                                        (!target.primes || declare_continuous(e, name, &target))))
            continue;
        names_lose(e, names_base(e->syntax, name->span.root));
        good = false;
    }
    return good && read_values(e, false, next) && read_values(e, true, next);
}

// ---- The whole.

// Before they were coordinates they were counted apart.
static void settle(size_t first, size_t *target)
{
    if (*target >= MODEL_MOST_COORDS)
        *target = first + *target - MODEL_MOST_COORDS;
}

static void settle_sets(const Elaborator *e, size_t first)
{
    for (size_t i = 0; i < e->model->events.count; i++) {
        const ModelEvent *event = &e->model->events.at[i];
        for (size_t a = 0; a < event->action_count; a++)
            for (size_t s = 0; s < event->actions[a].set_count; s++)
                if (event->actions[a].sets[s].of == SET_COORD)
                    settle(first, &event->actions[a].sets[s].target);
    }
}

void states_finish(Elaborator *e)
{
    Model *model = e->model;
    size_t first = model->coords.count;
    model->rated_count = e->rated.count;
    for (size_t i = 0; i < model->starts.count; i++)
        if (model->starts.at[i].of == START_COORD)
            settle(first, &model->starts.at[i].target);
    settle_sets(e, first);
    for (size_t i = 0; i < e->names.count; i++) {
        NameEntry *entry = &e->names.at[i];
        if (!state_is_continuous(entry) || entry->family)
            continue;
        size_t index = entry->index;
        settle(first, &index);
        entry->index = (uint32_t)index;
        // It begins at 0, unless it was said.
        if (entry->start != NO_START)
            continue;
        entry->start = (uint32_t)model->starts.count;
        ModelStart start = {.of = START_COORD,
                            .target = index,
                            .value = expr_int(e->pool, 0),
                            .place = entry->place};
        array_push(&model->starts, start);
    }
    for (size_t i = 0; i < e->rated.count; i++)
        array_push(&model->coords, e->rated.at[i]);
    for (size_t i = 0; i < model->constraints.count; i++)
        for (size_t k = first; k < model->coords.count; k++)
            if (model->constraints.at[i].silent &&
                expr_same(model->constraints.at[i].left, model->coords.at[k].v))
                model->constraints.at[i].rated = k + 1;
}

// The name where it stands in a piece of text; that piece where it is not found.
static Place find_word(Place place, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= place.length; i++) {
        const char *at = place.source->at + place.start + i;
        bool begins = i == 0 || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool ends = i + length == place.length ||
                    !(isalnum((unsigned char)at[length]) || at[length] == '_');
        if (begins && ends && memcmp(at, word, length) == 0)
            return place_at(place.source, place.start + (uint32_t)i, (uint32_t)length);
    }
    return place;
}

static bool holds_velocities(const Elaborator *e, Expr rate)
{
    const Model *model = e->model;
    for (size_t i = 0; i < model->coords.count; i++)
        if (expr_holds(e->pool, rate, model->coords.at[i].v))
            return true;
    return false;
}

static void refuse(Elaborator *e, Place place, const ModelCoord *state, const char *what)
{
    elaborate_fail(e, find_word(place, state->name),
                   "the rate of %s holds velocities, so that no %s may hold %s; make %s a "
                   "coordinate, or use a servo",
                   state->name, what, state->name, state->name);
}

static bool place_holds(const Elaborator *e, Vector position, Expr symbol)
{
    Vec parts = vector_in(e->model->vectors, position, (Frame){0});
    return expr_holds(e->pool, parts.x, symbol) || expr_holds(e->pool, parts.y, symbol) ||
           expr_holds(e->pool, parts.z, symbol);
}

// Conditions and places see a state move by its rate: that may not depend on their own velocities.
static void check_uses(Elaborator *e, const ModelCoord *state)
{
    const Model *model = e->model;
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (!constraint->rated && constraint->kind != CONSTRAINT_SERVO &&
            expr_holds(e->pool, constraint->residual, state->q))
            refuse(e, constraint->place, state, "condition");
    }
    for (size_t i = 0; i < model->points.count; i++)
        if (place_holds(e, model->points.at[i].position, state->q))
            refuse(e, model->points.at[i].place, state, "place");
    for (size_t i = 0; i < model->masses.count; i++)
        if (place_holds(e, model->masses.at[i].position, state->q))
            refuse(e, model->masses.at[i].place, state, "place");
    for (size_t i = 0; i < model->bodies.count; i++)
        if (place_holds(e, model->bodies.at[i].position, state->q) ||
            place_holds(e, frame_omega(model->vectors, model->bodies.at[i].frame), state->v))
            refuse(e, model->bodies.at[i].place, state, "place");
    for (size_t i = 0; i < model->forces_at.count; i++)
        if (place_holds(e, model->forces_at.at[i].point.position, state->q))
            refuse(e, model->forces_at.at[i].point.at, state, "place");
}

void states_check(Elaborator *e)
{
    Model *model = e->model;
    const Expr energies[] = {model->kinetic, model->potential, model->lagrangian,
                             model->acceleration_energy};
    for (size_t i = 0; i < model->constraints.count && e->errors == 0; i++) {
        ModelConstraint *constraint = &model->constraints.at[i];
        if (!constraint->rated || !holds_velocities(e, constraint->right))
            continue;
        const ModelCoord *state = &model->coords.at[constraint->rated - 1];
        check_uses(e, state);
        bool held = false;
        for (size_t k = 0; k < sizeof energies / sizeof *energies; k++)
            held = held || expr_holds(e->pool, energies[k], state->q);
        if (!held)
            continue;
        ModelServo servo = {.constraint = i, .by = SERVO_ALONG, .target = constraint->rated - 1};
        constraint->kind = CONSTRAINT_SERVO;
        array_push(&model->servos, servo);
    }
}
