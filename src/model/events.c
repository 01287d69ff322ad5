// events.c: events and samples, and what they do.
#include "model/events.h"
#include "model/model_impl.h"

#include <string.h>

// ---- Triggers.

static const struct {
    const char *word;
    TriggerKind kind;
} records[] = {{"impact", TRIGGER_IMPACT},
               {"contact", TRIGGER_CONTACT},
               {"release", TRIGGER_RELEASE},
               {"stick", TRIGGER_STICK},
               {"slip", TRIGGER_SLIP}};

// A side of a trigger: of coordinates, velocities, t, states and reactions.
static bool read_side(Elaborator *e, const Part *part, Expr *out, Dim *dim)
{
    Place place = syntax_part_place(e->syntax, part);
    Value value = value_as_scalar(e, elaborate_span(e, part->span), place, "a trigger");
    *out = value.scalar;
    *dim = value.dim;
    if (value.kind == VALUE_BAD)
        return false;
    return value.order < 2 ||
           elaborate_fail(e, place,
                          "a trigger may not hold second derivatives; use lambda.NAME or a "
                          "velocity");
}

// impact(NAME) and its like: the name of a condition or a friction.
static bool read_label(Elaborator *e, const Part *part, const Node *call, ModelEvent *event)
{
    Place place = syntax_part_place(e->syntax, part);
    if (call->count != 1 || call->primes > 0)
        return elaborate_fail(e, place, "'%s' takes the name of a condition",
                              text_shown(syntax_name(e->syntax, call->name)).at);
    uint32_t child = syntax_children(e->syntax, call)[0].node;
    const Node *name = &e->syntax->nodes.at[child];
    Place at = syntax_node_place(e->syntax, child);
    if (name->kind != NODE_NAME && name->kind != NODE_INDEX && name->kind != NODE_MEMBER)
        return elaborate_fail(e, at, "the name of a condition is expected here");
    if (name->kind == NODE_MEMBER) {
        Str text = syntax_text(e->syntax, name->start, name->length);
        event->label = parts_label(e, arena_copy_text(e->arena, text.at, text.length));
    } else {
        Target target;
        Part own = {.span = {part->span.first, child}, .start = name->start};
        own.length = name->length;
        if (!elaborate_target(e, &own, &target))
            return false;
        event->label = parts_label(e, names_full(e, target.base, target.low, target.rank).at);
    }
    event->place = at;
    return true;
}

static bool read_trigger(Elaborator *e, const Part *left, ModelEvent *event)
{
    const Node *root = &e->syntax->nodes.at[left->span.root];
    const Part *equal = statement_part(e, PART_EQUAL), *most = statement_part(e, PART_AT_MOST),
               *least = statement_part(e, PART_AT_LEAST);
    const Part *right = equal ? equal : most ? most : least;
    const Part *rising = statement_part(e, PART_RISING), *falling = statement_part(e, PART_FALLING);
    Str word = root->kind == NODE_CALL ? syntax_name(e->syntax, root->name) : str_of("");
    for (size_t i = 0; i < sizeof records / sizeof *records && !right; i++)
        if (str_is(word, records[i].word) && !names_find(e, word)) {
            event->trigger = records[i].kind;
            if (rising || falling)
                return elaborate_fail(e, syntax_part_place(e->syntax, rising ? rising : falling),
                                      "a record has no direction; '%s' belongs to an expression",
                                      rising ? "rising" : "falling");
            return read_label(e, left, root, event);
        }
    Expr a = {0}, b = expr_int(e->pool, 0);
    Dim dims[2] = {dim_any(), dim_any()};
    if (!read_side(e, left, &a, &dims[0]) || (right && !read_side(e, right, &b, &dims[1])) ||
        (right &&
         !dim_check_sides(e, dims[0], dims[1], syntax_part_place(e->syntax, right), "a trigger")))
        return false;
    event->trigger = most || least ? TRIGGER_BECOMES : TRIGGER_CROSSES;
    event->equation = equal != NULL;
    event->direction = most || least || rising ? 1 : falling ? -1 : 0;
    event->value = most ? expr_sub(e->pool, b, a) : expr_sub(e->pool, a, b);
    if (expr_is_number(e->pool, event->value))
        return elaborate_fail(e, event->place, "this never changes, so that no event is there");
    return true;
}

// ---- Actions.

static bool push_set(Elaborator *e, const NameEntry *entry, const Target *target, Expr value,
                     ModelAssignment *out)
{
    Text name = {0};
    text_addf(&name, "%s%s", entry->name.at, target->primes ? "'" : "");
    bool discrete = entry->kind == NAME_STATE && !state_is_continuous(entry);
    *out = (ModelAssignment){.of = discrete                    ? SET_STATE
                                   : entry->kind == NAME_SPEED ? SET_SPEED
                                   : target->primes            ? SET_VELOCITY
                                                               : SET_COORD,
                             .target = entry->index,
                             .name = arena_copy_text(e->arena, name.at, name.length),
                             .value = value,
                             .place = target->place};
    text_clear(&name);
    return !entry->replaced ||
           elaborate_fail(e, target->place, "'%s' is an abbreviation here and cannot be set",
                          text_shown(entry->name).at);
}

static bool check_target(Elaborator *e, const NameEntry *entry, const Target *target)
{
    bool known =
        entry->kind == NAME_COORD || entry->kind == NAME_SPEED || entry->kind == NAME_STATE;
    Shown name = text_shown(target->base);
    if (entry->kind == NAME_INPUT)
        return elaborate_fail(
            e, target->place,
            "'%s' is an input, which comes from outside; let the controller set a 'state'",
            name.at);
    if (!known)
        return elaborate_fail(
            e, target->place,
            "an event sets coordinates, velocities, speeds and states, and '%s' is %s%s", name.at,
            names_kind(entry->kind), entry->kind == NAME_PARAM ? "; make it a 'state'" : "");
    if (entry->kind == NAME_STATE && target->primes > 0)
        return state_fail_primed(e, entry, target);
    if (target->primes > (entry->kind == NAME_COORD ? 1u : 0u))
        return elaborate_fail(e, target->place,
                              "an event sets no accelerations; they follow from the equations");
    return true;
}

typedef ARRAY(ModelAssignment) Assignments;

// One name with its value, or every element of an array.
static bool read_set_item(Elaborator *e, const Part *name, const Part *value, Assignments *sets)
{
    Target target;
    if (!elaborate_target(e, name, &target))
        return false;
    const NameEntry *entry = names_find_target(e, &target);
    if (!entry || !check_target(e, entry, &target))
        return false;
    size_t count = element_count(e, entry);
    uint32_t at = entry->family ? entry->first : (uint32_t)(entry - e->names.at);
    Expr *values = base_alloc((count + 1) * sizeof *values);
    Dim *dims = base_alloc((count + 1) * sizeof *dims);
    bool good = elaborate_each(e, value, count, LEVEL_VELOCITY, "what is set", values, dims);
    for (size_t i = 0; i < count && good; i++, at = e->names.at[at].next) {
        ModelAssignment set;
        Text what = {0};
        text_addf(&what, "%s%s", e->names.at[at].name.at, target.primes ? "'" : "");
        good = dim_check(e, dims[i],
                         dim_over(e->names.at[at].value.dim, dim_of(0, 0, (int)target.primes)),
                         elaborate_each_place(e, value, count, i), what.at) &&
               push_set(e, &e->names.at[at], &target, values[i], &set);
        text_clear(&what);
        if (!good)
            break;
        for (size_t k = 0; k < sets->count && good; k++)
            if (sets->at[k].of == set.of && sets->at[k].target == set.target)
                good =
                    elaborate_fail(e, target.place, "'%s' is set twice in one statement", set.name);
        array_push(sets, set);
    }
    base_free(values);
    base_free(dims);
    return good;
}

static bool read_set(Elaborator *e, ModelAction *action)
{
    Assignments sets = {0};
    bool good = true;
    for (uint32_t i = 0; i + 1 < e->statement->count; i += 2) {
        const Part *part = &e->syntax->parts.at[e->statement->first + i];
        good = read_set_item(e, part, part + 1, &sets) && good;
    }
    action->sets = arena_array(e->arena, ModelAssignment, sets.count + 1);
    action->set_count = sets.count;
    if (sets.count > 0)
        memcpy(action->sets, sets.at, sets.count * sizeof *sets.at);
    array_clear(&sets);
    return good;
}

static bool read_action(Elaborator *e, ModelAction *action)
{
    const Part *text = statement_part(e, PART_TITLE);
    *action = (ModelAction){.text = ""};
    switch (e->statement->kind) {
    case STATEMENT_ASSIGN: action->kind = ACTION_SET; return read_set(e, action);
    case STATEMENT_IMPULSE:
        action->kind = ACTION_IMPULSE;
        action->impulse = arena_array(e->arena, ModelImpulse, 1);
        return elaborate_impulse(e, action->impulse);
    case STATEMENT_STOP:
        action->kind = ACTION_STOP;
        if (text)
            action->text =
                arena_copy_text(e->arena, e->syntax->source->at + text->start, text->length);
        return true;
    default: action->kind = ACTION_RECORD; return true;
    }
}

static bool read_actions(Elaborator *e, uint32_t first, uint32_t end, ModelEvent *event)
{
    bool good = true;
    event->actions = arena_array(e->arena, ModelAction, end - first + 1);
    for (uint32_t i = first; i < end; i++) {
        e->statement = &e->syntax->statements.at[i];
        bool read = !e->statement->broken && !e->failed.at[i] &&
                    read_action(e, &event->actions[event->action_count]);
        e->failed.at[i] = !read;
        event->action_count += read;
        good = good && read;
    }
    return good;
}

// ---- Events.

static const char *copy_place(Elaborator *e, Place place)
{
    return arena_copy_text(e->arena, place.source->at + place.start, place.length);
}

// `NAME:`, or the next of e1, e2, …; of samples s1, s2, …
static bool read_name(Elaborator *e, ModelEvent *event)
{
    const Part *label = statement_part(e, PART_LABEL);
    if (label)
        return elaborate_label(e, label, e->labels, "a statement with the name", &event->name);
    Text text = {0};
    do {
        text_clear(&text);
        if (event->trigger == TRIGGER_SAMPLE)
            text_addf(&text, "s%u", ++e->unnamed_samples);
        else
            text_addf(&text, "e%u", ++e->unnamed_events);
    } while (!name_map_put(e->labels, names_own(e, str_of(text.at), NULL, 0), 1));
    event->name = names_own(e, str_of(text.at), NULL, 0).at;
    text_clear(&text);
    return true;
}

// What a delay holds is numbers; an impulse would act at another place then.
static bool check_delay(Elaborator *e, const ModelEvent *event)
{
    for (size_t i = 0; i < event->action_count && event->sampling; i++)
        if (event->actions[i].kind == ACTION_IMPULSE &&
            !expr_is_zero(e->pool, event->sampling->times[SAMPLE_DELAY]))
            return elaborate_fail(e, event->actions[i].impulse->place,
                                  "an impulse acts at its instant; a sample with 'delay' sets "
                                  "states");
    return true;
}

uint32_t read_event(Elaborator *e, uint32_t index)
{
    const Statement *statement = &e->syntax->statements.at[index];
    uint32_t end = statement->end;
    e->statement = statement;
    if (statement->broken || e->failed.at[index]) {
        e->failed.at[index] = true;
        return end;
    }
    const Part *left = statement_part(e, PART_LEFT), *last = left;
    const Part *behind = e->syntax->parts.at + statement->first + statement->count;
    bool samples = statement->kind == STATEMENT_SAMPLE;
    if (!samples && left + 1 < behind && left[1].role != PART_RISING &&
        left[1].role != PART_FALLING && left[1].role != PART_WHILE)
        last = left + 1;
    ModelEvent event = {.place = place_between(syntax_part_place(e->syntax, left),
                                               syntax_part_place(e->syntax, last))};
    event.text = copy_place(e, event.place);
    event.trigger = samples ? TRIGGER_SAMPLE : TRIGGER_CROSSES;
    bool good = read_name(e, &event);
    good = (samples ? elaborate_sampling(e, &event) : read_trigger(e, left, &event)) && good;
    good = elaborate_while(e) && good;
    event.waits = e->waits;
    e->waits = 0;
    good = read_actions(e, index + 1, end, &event) && good;
    good = check_delay(e, &event) && good;
    e->statement = statement;
    e->failed.at[index] = !good;
    if (good)
        array_push(&e->model->events, event);
    return end;
}

bool read_misplaced(Elaborator *e)
{
    (void)e;
    return false;
}

// The event of `until`, which stops; `right` is behind `left`.
bool elaborate_until(Elaborator *e, const Part *left, ModelEvent *event)
{
    const Part *right = left + 1;
    Expr a, b;
    Dim dims[2];
    *event = (ModelEvent){.place = place_between(syntax_part_place(e->syntax, left),
                                                 syntax_part_place(e->syntax, right)),
                          .equation = right->role == PART_EQUAL,
                          .trigger = right->role == PART_EQUAL ? TRIGGER_CROSSES : TRIGGER_BECOMES,
                          .direction = right->role == PART_EQUAL ? 0 : 1};
    event->name = event->text = copy_place(e, event->place);
    if (!read_side(e, left, &a, &dims[0]) || !read_side(e, right, &b, &dims[1]) ||
        !dim_check_sides(e, dims[0], dims[1], syntax_part_place(e->syntax, right), "a relation"))
        return false;
    event->value = right->role == PART_AT_MOST ? expr_sub(e->pool, b, a) : expr_sub(e->pool, a, b);
    event->actions = arena_array(e->arena, ModelAction, 1);
    event->actions[0] = (ModelAction){.kind = ACTION_STOP, .text = ""};
    event->action_count = 1;
    return true;
}

ModelEvent *model_read_until(Model *model, const Source *source, Diag *diag)
{
    Elaborator *e = model->names;
    Syntax *syntax = syntax_read_until(source, diag);
    ModelEvent *event = arena_alloc(model->arena, sizeof *event);
    size_t errors = diag_count(diag, DIAG_ERROR);
    bool good = false;
    e->syntax = syntax;
    e->diag = diag;
    e->errors = e->steps = e->lambda_uses.count = 0;
    if (syntax->statements.count > 0 && !syntax->statements.at[0].broken) {
        e->statement = &syntax->statements.at[0];
        good = elaborate_until(e, statement_part(e, PART_UNTIL), event);
        check_lambdas(e);
    }
    e->syntax = NULL;
    e->statement = NULL;
    syntax_free(syntax);
    return good && diag_count(diag, DIAG_ERROR) == errors ? event : NULL;
}

// ---- What only the whole model shows: the names of conditions and frictions.

static bool is_friction(const Elaborator *e, Str name)
{
    for (size_t i = 0; i < e->model->frictions.count; i++)
        if (str_is(name, e->model->frictions.at[i].name))
            return true;
    return false;
}

static bool is_of_friction(const Elaborator *e, Expr value, const ModelFriction *friction)
{
    const ExprPool *pool = e->model->pool;
    return !expr_is_none(value) &&
           (expr_holds(pool, value, friction->slip) || expr_holds(pool, value, friction->normal));
}

// What a friction that holds for a while says of itself is known only while it does.
static void check_waiting_frictions(Elaborator *e, const ModelEvent *event)
{
    for (size_t i = 0; i < e->model->frictions.count; i++) {
        const ModelFriction *friction = &e->model->frictions.at[i];
        bool asked = is_of_friction(e, event->value, friction);
        for (size_t k = 0; k < event->action_count; k++)
            for (size_t s = 0; s < event->actions[k].set_count; s++)
                asked = asked || is_of_friction(e, event->actions[k].sets[s].value, friction);
        if (asked && friction->waits > 0)
            elaborate_fail(e, event->place,
                           "the friction '%s' holds for a while, so that its slip and normal force "
                           "may not stand in an event; write the velocity itself",
                           friction->name);
    }
}

void check_events(Elaborator *e)
{
    for (size_t i = 0; i < e->model->events.count; i++) {
        const ModelEvent *event = &e->model->events.at[i];
        check_waiting_frictions(e, event);
        if (!event->label)
            continue;
        Str name = str_of(event->label);
        bool rubs = event->trigger == TRIGGER_STICK || event->trigger == TRIGGER_SLIP;
        if (rubs && !is_friction(e, name))
            elaborate_fail(e, event->place, "'%s' has no friction", event->label);
        if (rubs || !elaborate_constraint_name(e, name, event->place))
            continue;
        for (size_t k = 0; k < e->model->constraints.count; k++) {
            const ModelConstraint *constraint = &e->model->constraints.at[k];
            if (str_is(name, constraint->name) && constraint->kind != CONSTRAINT_ONE_SIDED)
                elaborate_fail(e, event->place,
                               "'%s' is no one-sided condition, so that nothing strikes or leaves "
                               "it",
                               event->label);
        }
    }
}

bool model_event_is_record(const ModelEvent *event)
{
    return event->trigger >= TRIGGER_IMPACT && event->trigger <= TRIGGER_SLIP;
}

bool model_event_is_quiet(const ModelEvent *event)
{
    bool quiet = event->trigger == TRIGGER_SAMPLE;
    for (size_t k = 0; k < event->action_count; k++) {
        const ModelAction *action = &event->actions[k];
        quiet = quiet && action->kind == ACTION_SET;
        for (size_t i = 0; i < action->set_count; i++)
            quiet = quiet && action->sets[i].of == SET_STATE;
    }
    return quiet;
}

bool model_event_jumps(const ModelEvent *event)
{
    for (size_t k = 0; k < event->action_count; k++)
        if (event->actions[k].kind == ACTION_SET || event->actions[k].kind == ACTION_IMPULSE)
            return true;
    return false;
}
