// unilateral_pairs.c: unilateral conditions over all pairs of very many elements.
//
// The model has a template, and for each element what stands in the place of the template's
// symbols (paired_conditions.h). Elements whose expressions differ only in their coordinates are of
// one class; two classes make one shape of condition, derived and lowered once. What is the same
// number all along, such as a radius, is a number of the element.
//
// Which pairs may be reached within given intervals of the coordinates is asked of a search
// (pair_search.c), whose answer misses none. A pair that was found once is a condition with a
// number, as those that are written out are.
#include "dynamics/unilateral_pairs.h"
#include "base/text_builder.h"
#include "dynamics/equations_types.h"
#include "dynamics/unilaterals.h"
#include "expr/expr.h"
#include "linalg/real.h"
#include "model/constraint.h"
#include "model/paired_conditions.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "program/pair_search.h"
#include "program/program.h"

#include <assert.h>
#include <string.h>

// Elements whose values are alike, in one role.
typedef struct {
    Expr *values;  // in the shapes' own symbols; of constant ones none
    size_t size;   // coordinates
    Evaluator box; // the values that are not constant, of parameters, time and these coordinates
} ElementClass;

// What the elements are as the first of a pair, or as the second.
typedef struct {
    size_t width;        // values
    size_t constants;    // how many of them are numbers all along
    bool *is_constant;   // of each value
    const Expr *symbols; // that the template has for them
    ARRAY(ElementClass) classes;
    uint32_t *class_of, *first; // of each element: its class, and where its coordinates begin
    double *numbers;            // of each element: its constants
    Interval *enclosures;       // of these, whatever their rounding
    ARRAY(uint32_t) coordinates;
} ElementRole;

typedef struct {
    const ModelPairs *model;
    ElementRole roles[2];
    ARRAY(uint32_t) own; // coordinates that the template has for itself
    Expr position;       // f of the template
    Program *f;          // of it: parameters, t, its own coordinates, values of both elements
    Interval *shared;    // the first of these
    PairSearch *search;
    bool symmetric;
    ARRAY(uint32_t) shapes; // of two classes: its number + 1, or 0 before there is one
    uint64_t key;           // of its first pair
} PairFamily;

// A pair that is known.
typedef struct {
    uint32_t family, first, second;
    const ModelConstraint *condition; // NULL before somebody asks for it
} KnownPair;

struct UnilateralPairs {
    Unilaterals *unilaterals;
    const Motion *motion;
    const double *params;
    Diag *diag;
    size_t from; // the number of the first pair that is known
    ARRAY(PairFamily) families;
    ARRAY(KnownPair) known;
    ARRAY(uint32_t) near;
    uint64_t *slots; // hash table of the known: the key + 1, then the number
    size_t slot_count;
    Interval t, *q; // where the near ones were looked for
    bool searched;
    Interval *inputs, *work, *outputs;
};

// ---- Elements.

static bool is_fixed(const Motion *motion, const uint32_t *index, Expr value)
{
    if (expr_is_none(value))
        return true;
    ExprList symbols = expr_symbols(motion->pool, &value, 1);
    bool fixed = true;
    for (size_t i = 0; i < symbols.count && fixed; i++)
        fixed = index[symbols.at[i]] == motion->n && symbols.at[i] != motion->model->t.at;
    expr_list_free(&symbols);
    return fixed;
}

static const Expr *values_of(const PairFamily *family, size_t role, size_t element)
{
    const ModelPairs *model = family->model;
    return model->values + element * (model->first + model->second) + (role ? model->first : 0);
}

static void find_constants(const UnilateralPairs *pairs, PairFamily *family, size_t role,
                           const uint32_t *index)
{
    ElementRole *own = &family->roles[role];
    Arena *arena = pairs->unilaterals->arena;
    own->is_constant = arena_array(arena, bool, own->width + 1);
    for (size_t k = 0; k < own->width; k++) {
        own->is_constant[k] = true;
        for (size_t i = 0; i < family->model->elements && own->is_constant[k]; i++)
            own->is_constant[k] = is_fixed(pairs->motion, index, values_of(family, role, i)[k]);
        own->constants += own->is_constant[k];
    }
}

// The numbers of all elements, in one program.
static Status find_numbers(UnilateralPairs *pairs, PairFamily *family, size_t role)
{
    ElementRole *own = &family->roles[role];
    const Model *model = pairs->motion->model;
    size_t given = model->params.count, count = family->model->elements * own->constants, at = 0;
    Arena *arena = pairs->unilaterals->arena;
    Expr *inputs = base_alloc((given + 1) * sizeof *inputs), missing = {0};
    Expr *values = base_alloc((count + 1) * sizeof *values);
    own->numbers = real_alloc(arena, count);
    own->enclosures = arena_array(arena, Interval, count + 1);
    for (size_t i = 0; i < given; i++)
        inputs[i] = model->params.at[i].symbol;
    for (size_t i = 0; i < family->model->elements; i++)
        for (size_t k = 0; k < own->width; k++)
            if (own->is_constant[k]) {
                Expr value = values_of(family, role, i)[k];
                values[at++] = expr_is_none(value) ? expr_int(pairs->motion->pool, 0) : value;
            }
    Program *program = program_new(pairs->motion->pool, inputs, given, values, count, &missing);
    if (program) {
        Interval *ranges = base_alloc((given + 1) * sizeof *ranges);
        Interval *work = base_alloc((program_registers(program) + 1) * sizeof *work);
        for (size_t i = 0; i < given; i++)
            ranges[i] = (Interval){pairs->params[i], pairs->params[i]};
        program_run_real(program, pairs->params, own->numbers, (double *)work);
        program_run_intervals(program, ranges, own->enclosures, work);
        base_free(ranges);
        base_free(work);
    }
    program_free(program);
    base_free(inputs);
    base_free(values);
    return program ? STATUS_OK : unilaterals_fail_missing(pairs->motion, missing, pairs->diag);
}

// The class whose values these are, made where it is new.
static Status find_class(UnilateralPairs *pairs, ElementRole *role, const Expr *values, size_t size,
                         uint32_t *found)
{
    size_t bytes = role->width * sizeof *values;
    for (size_t i = role->classes.count; i-- > 0;)
        if (role->classes.at[i].size == size &&
            memcmp(role->classes.at[i].values, values, bytes) == 0) {
            *found = (uint32_t)i;
            return STATUS_OK;
        }
    Arena *arena = pairs->unilaterals->arena;
    ElementClass new = {.values = arena_array(arena, Expr, role->width + 1), .size = size};
    memcpy(new.values, values, bytes);
    *found = (uint32_t)role->classes.count;
    const Model *model = pairs->motion->model;
    size_t given = model->params.count, count = 0;
    Expr *inputs = base_alloc((given + 1 + size) * sizeof *inputs), missing = {0};
    Expr *outputs = base_alloc((role->width + 1) * sizeof *outputs);
    for (size_t i = 0; i < given; i++)
        inputs[i] = model->params.at[i].symbol;
    inputs[given] = model->t;
    if (size > 0)
        memcpy(inputs + given + 1, pairs->unilaterals->q.at, size * sizeof *inputs);
    for (size_t k = 0; k < role->width; k++)
        if (!role->is_constant[k])
            outputs[count++] = values[k];
    Program *program =
        program_new(pairs->motion->pool, inputs, given + 1 + size, outputs, count, &missing);
    base_free(inputs);
    base_free(outputs);
    if (!program)
        return unilaterals_fail_missing(pairs->motion, missing, pairs->diag);
    evaluator_adopt(&new.box, program);
    array_push(&role->classes, new);
    return STATUS_OK;
}

// The coordinates of one element, counted in the order in which it first has them.
static Status sort_element(UnilateralPairs *pairs, PairFamily *family, size_t role, size_t element,
                           const uint32_t *index)
{
    ElementRole *own = &family->roles[role];
    const Motion *motion = pairs->motion;
    const Expr *values = values_of(family, role, element);
    Expr *generic = base_alloc((own->width + 1) * sizeof *generic);
    ARRAY(Expr) coordinates = {0};
    own->first[element] = (uint32_t)own->coordinates.count;
    for (size_t k = 0; k < own->width; k++) {
        bool asked = !own->is_constant[k] && !expr_is_none(values[k]);
        ExprList symbols = expr_symbols(motion->pool, &values[k], asked);
        for (size_t i = 0; i < symbols.count; i++) {
            uint32_t coordinate = index[symbols.at[i]];
            bool known = coordinate == motion->n;
            for (size_t j = own->first[element]; j < own->coordinates.count && !known; j++)
                known = own->coordinates.at[j] == coordinate;
            if (known)
                continue;
            array_push(&own->coordinates, coordinate);
            array_push(&coordinates, motion->q[coordinate]);
        }
        expr_list_free(&symbols);
    }
    unilaterals_make_symbols(pairs->unilaterals, motion, coordinates.count, 0);
    for (size_t k = 0; k < own->width; k++)
        generic[k] = own->is_constant[k] || expr_is_none(values[k])
                         ? (Expr){0}
                         : expr_replace(motion->pool, values[k], coordinates.at,
                                        pairs->unilaterals->q.at, coordinates.count);
    Status status = find_class(pairs, own, generic, coordinates.count, &own->class_of[element]);
    array_clear(&coordinates);
    base_free(generic);
    return status;
}

static Status sort_elements(UnilateralPairs *pairs, PairFamily *family, size_t role,
                            const uint32_t *index)
{
    ElementRole *own = &family->roles[role];
    const ModelPairs *model = family->model;
    size_t elements = model->elements;
    own->width = role ? model->second : model->first;
    own->symbols = model->symbols + (role ? model->first : 0);
    own->class_of = arena_array(pairs->unilaterals->arena, uint32_t, elements);
    own->first = arena_array(pairs->unilaterals->arena, uint32_t, elements);
    find_constants(pairs, family, role, index);
    TRY(find_numbers(pairs, family, role));
    // The last element is the first of no pair, and the first one the second of none.
    for (size_t i = role; i + 1 - role < elements; i++)
        TRY(sort_element(pairs, family, role, i, index));
    own->class_of[role ? 0 : elements - 1] = UINT32_MAX;
    return STATUS_OK;
}

// ---- The template.

// Whether the template is the same with both elements exchanged, and so is every element.
static bool is_symmetric(const Motion *motion, const ModelPairs *of)
{
    size_t width = of->first;
    bool same = of->second == width;
    for (size_t i = 1; i + 1 < of->elements && same; i++)
        same = memcmp(of->values + 2 * i * width, of->values + (2 * i + 1) * width,
                      width * sizeof *of->values) == 0;
    if (!same)
        return false;
    Expr *turned = base_alloc((2 * width + 1) * sizeof *turned);
    memcpy(turned, of->symbols + width, width * sizeof *turned);
    memcpy(turned + width, of->symbols, width * sizeof *turned);
    Expr exchanged = expr_replace(motion->pool, of->residual, of->symbols, turned, 2 * width);
    base_free(turned);
    return expr_same(exchanged, of->residual);
}

static Status make_search(UnilateralPairs *pairs, PairFamily *family, const uint32_t *index)
{
    const Motion *motion = pairs->motion;
    const ModelPairs *of = family->model;
    size_t given = motion->model->params.count, width = of->first + of->second;
    family->position = of->at_least ? expr_neg(motion->pool, of->residual) : of->residual;
    ExprList symbols = expr_symbols(motion->pool, &family->position, 1);
    for (size_t i = 0; i < symbols.count; i++)
        if (index[symbols.at[i]] != motion->n)
            array_push(&family->own, index[symbols.at[i]]);
    expr_list_free(&symbols);
    size_t shared = given + 1 + family->own.count;
    Expr *inputs = base_alloc((shared + width) * sizeof *inputs), missing = {0};
    family->shared = arena_array(pairs->unilaterals->arena, Interval, shared);
    for (size_t i = 0; i < given; i++) {
        inputs[i] = motion->model->params.at[i].symbol;
        family->shared[i] = (Interval){pairs->params[i], pairs->params[i]};
    }
    inputs[given] = motion->model->t;
    for (size_t i = 0; i < family->own.count; i++)
        inputs[given + 1 + i] = motion->q[family->own.at[i]];
    memcpy(inputs + shared, of->symbols, width * sizeof *inputs);
    family->f = program_new(motion->pool, inputs, shared + width, &family->position, 1, &missing);
    base_free(inputs);
    if (!family->f)
        return unilaterals_fail_missing(motion, missing, pairs->diag);
    family->symmetric = is_symmetric(motion, of);
    family->search =
        pair_search_new(family->f, shared, of->first, of->second, of->elements, family->symmetric);
    return STATUS_OK;
}

// The symbols of a role, by what a class has for them: its coordinates are those from `coordinate`
// on among the shapes' own, its constants those from `constant` on.
static void gather_replacements(UnilateralPairs *pairs, const ElementRole *role,
                                const ElementClass *class, size_t coordinate, size_t constant,
                                Expr *values)
{
    const Unilaterals *unilaterals = pairs->unilaterals;
    for (size_t k = 0; k < role->width; k++)
        values[k] = role->is_constant[k]
                        ? unilaterals->c.at[constant++]
                        : expr_replace(pairs->motion->pool, class->values[k], unilaterals->q.at,
                                       unilaterals->q.at + coordinate, class->size);
}

// The shape of conditions between two classes.
static uint32_t make_shape(UnilateralPairs *pairs, PairFamily *family, uint32_t first,
                           uint32_t second)
{
    Unilaterals *unilaterals = pairs->unilaterals;
    const Motion *motion = pairs->motion;
    ElementRole *roles = family->roles;
    const ElementClass *classes[] = {&roles[0].classes.at[first], &roles[1].classes.at[second]};
    size_t size = classes[0]->size + classes[1]->size, own = family->own.count;
    size_t constants = roles[0].constants + roles[1].constants, count = 0;
    size_t width = roles[0].width + roles[1].width;
    unilaterals_make_symbols(unilaterals, motion, 2 * size + own, constants);
    Expr *symbols = base_alloc((width + own + 1) * sizeof *symbols);
    Expr *values = base_alloc((width + own + 1) * sizeof *values);
    for (size_t role = 0; role < 2; role++) {
        memcpy(symbols + count, roles[role].symbols, roles[role].width * sizeof *symbols);
        gather_replacements(pairs, &roles[role], classes[role], role ? classes[0]->size : 0,
                            role ? roles[0].constants : 0, values + count);
        count += roles[role].width;
    }
    for (size_t i = 0; i < own; i++, count++) {
        symbols[count] = motion->q[family->own.at[i]];
        values[count] = unilaterals->q.at[size + i];
    }
    UnilateralShape shape = {.size = size + own, .constants = constants};
    shape.position = expr_replace(motion->pool, family->position, symbols, values, count);
    shape.restitution =
        expr_replace(motion->pool, family->model->restitution, symbols, values, count);
    base_free(symbols);
    base_free(values);
    uint32_t made = (uint32_t)unilaterals->shapes.count;
    Status status = unilaterals_add_shape(unilaterals, motion, pairs->params, &shape, pairs->diag);
    assert(status == STATUS_OK && "the template and the elements have been lowered");
    (void)status;
    return made;
}

static uint32_t shape_of(UnilateralPairs *pairs, PairFamily *family, ElementPair pair)
{
    uint32_t first = family->roles[0].class_of[pair.first];
    uint32_t second = family->roles[1].class_of[pair.second];
    uint32_t *known = &family->shapes.at[first * family->roles[1].classes.count + second];
    if (*known == 0)
        *known = make_shape(pairs, family, first, second) + 1;
    return *known - 1;
}

// ---- Pairs that are known.

static uint64_t *find_slot(const UnilateralPairs *pairs, uint64_t key)
{
    uint64_t at = (key * 0x9E3779B97F4A7C15u) >> 20;
    for (;; at++) {
        uint64_t *slot = pairs->slots + 2 * (at & (pairs->slot_count - 1));
        if (slot[0] == 0 || slot[0] == key + 1)
            return slot;
    }
}

static void grow_slots(UnilateralPairs *pairs)
{
    uint64_t *old = pairs->slots;
    size_t count = pairs->slot_count;
    pairs->slot_count = count ? 2 * count : 2;
    pairs->slots = base_alloc(2 * pairs->slot_count * sizeof *pairs->slots);
    for (size_t i = 0; i < count; i++)
        if (old[2 * i])
            memcpy(find_slot(pairs, old[2 * i] - 1), old + 2 * i, 2 * sizeof *old);
    base_free(old);
}

static void add_numbers(Unilaterals *unilaterals, const ElementRole *role, size_t element)
{
    const ElementClass *class = &role->classes.at[role->class_of[element]];
    for (size_t i = 0; i < class->size; i++)
        array_push(&unilaterals->coordinates, role->coordinates.at[role->first[element] + i]);
    for (size_t k = 0; k < role->constants; k++)
        array_push(&unilaterals->constants, role->numbers[element * role->constants + k]);
}

// A condition for a pair.
static uint32_t make_known(UnilateralPairs *pairs, size_t of, ElementPair pair)
{
    Unilaterals *unilaterals = pairs->unilaterals;
    PairFamily *family = &pairs->families.at[of];
    UnilateralInstance instance = {.shape = shape_of(pairs, family, pair),
                                   .first = (uint32_t)unilaterals->coordinates.count,
                                   .first_constant = (uint32_t)unilaterals->constants.count};
    for (size_t role = 0; role < 2; role++)
        add_numbers(unilaterals, &family->roles[role], role ? pair.second : pair.first);
    for (size_t i = 0; i < family->own.count; i++)
        array_push(&unilaterals->coordinates, family->own.at[i]);
    array_push(&unilaterals->at, instance);
    array_push(&pairs->known, ((KnownPair){(uint32_t)of, pair.first, pair.second, NULL}));
    return (uint32_t)unilaterals->count++;
}

static uint32_t number_of(UnilateralPairs *pairs, size_t of, ElementPair pair)
{
    const PairFamily *family = &pairs->families.at[of];
    if (2 * (pairs->known.count + 1) > pairs->slot_count)
        grow_slots(pairs);
    uint64_t key = family->key + (uint64_t)pair.first * family->model->elements + pair.second;
    uint64_t *slot = find_slot(pairs, key);
    if (slot[0] == 0) {
        slot[0] = key + 1;
        slot[1] = make_known(pairs, of, pair);
    }
    return (uint32_t)slot[1];
}

const ModelConstraint *unilateral_pairs_condition(UnilateralPairs *pairs, size_t side)
{
    assert(side >= pairs->from && side - pairs->from < pairs->known.count);
    KnownPair *pair = &pairs->known.at[side - pairs->from];
    if (pair->condition)
        return pair->condition;
    const ModelPairs *model = pairs->families.at[pair->family].model;
    Arena *arena = pairs->unilaterals->arena;
    ModelConstraint *condition = arena_array(arena, ModelConstraint, 1);
    long long first = (long long)model->low + pair->first;
    long long second = (long long)model->low + pair->second;
    Text name = {0};
    text_addf(&name, "%s[%lld,%lld]", model->label, model->swapped ? second : first,
              model->swapped ? first : second);
    *condition = (ModelConstraint){.name = arena_copy_text(arena, name.at, name.length),
                                   .kind = CONSTRAINT_ONE_SIDED,
                                   .keeps = CONSTRAINT_ONE_SIDED,
                                   .at_least = model->at_least,
                                   .place = model->place};
    text_clear(&name);
    return pair->condition = condition;
}

// ---- The search.

// The values of an element within the intervals of its coordinates.
static void bound_element(UnilateralPairs *pairs, const ElementRole *role, size_t element,
                          Interval *box)
{
    size_t given = pairs->motion->model->params.count, moving = 0, constant = 0;
    if (role->class_of[element] == UINT32_MAX) {
        memset(box, 0, role->width * sizeof *box);
        return;
    }
    const ElementClass *class = &role->classes.at[role->class_of[element]];
    for (size_t i = 0; i < class->size; i++)
        pairs->inputs[given + 1 + i] = pairs->q[role->coordinates.at[role->first[element] + i]];
    program_run_intervals(class->box.program, pairs->inputs, pairs->outputs, pairs->work);
    for (size_t k = 0; k < role->width; k++)
        box[k] = role->is_constant[k] ? role->enclosures[element * role->constants + constant++]
                                      : pairs->outputs[moving++];
}

static void search_family(UnilateralPairs *pairs, size_t of)
{
    PairFamily *family = &pairs->families.at[of];
    size_t given = pairs->motion->model->params.count;
    family->shared[given] = pairs->t;
    for (size_t i = 0; i < family->own.count; i++)
        family->shared[given + 1 + i] = pairs->q[family->own.at[i]];
    size_t elements = family->model->elements, width = family->roles[0].width;
    for (size_t i = 0; i < elements; i++) {
        Interval *box = pair_search_boxes(family->search, i);
        bound_element(pairs, &family->roles[0], i, box);
        bound_element(pairs, &family->roles[1], i, box + width);
        // The last element is the first of no pair, and the first one the second of none.
        if (family->symmetric && i == 0)
            memcpy(box + width, box, width * sizeof *box);
        else if (family->symmetric && i + 1 == elements)
            memcpy(box, box + width, width * sizeof *box);
    }
    ElementPairs found = pair_search_find(family->search, family->shared, 0);
    for (size_t k = 0; k < found.count; k++)
        array_push(&pairs->near, number_of(pairs, of, found.at[k]));
}

// A condition that is not near is not looked at.
static void list_near(UnilateralPairs *pairs)
{
    Unilaterals *unilaterals = pairs->unilaterals;
    for (size_t f = 0; f < pairs->families.count; f++)
        for (size_t i = 0; i < pairs->families.at[f].shapes.count; i++)
            if (pairs->families.at[f].shapes.at[i])
                unilaterals->shapes.at[pairs->families.at[f].shapes.at[i] - 1].sides.count = 0;
    for (size_t k = 0; k < pairs->near.count; k++)
        array_push(&unilaterals_shape(unilaterals, pairs->near.at[k])->sides, pairs->near.at[k]);
}

void unilaterals_find_near(Unilaterals *unilaterals, Interval t, const Interval *q)
{
    UnilateralPairs *pairs = unilaterals->pairs;
    assert(pairs && t.low <= t.high);
    pairs->searched = true;
    pairs->t = t;
    memcpy(pairs->q, q, pairs->motion->n * sizeof *q);
    pairs->inputs[pairs->motion->model->params.count] = t;
    pairs->near.count = 0;
    for (size_t f = 0; f < pairs->families.count; f++)
        search_family(pairs, f);
    list_near(pairs);
}

void unilaterals_find_around(Unilaterals *unilaterals, double t, const double *q, double around)
{
    if (!unilaterals->pairs)
        return;
    size_t n = unilaterals->pairs->motion->n;
    Interval *boxes = base_alloc((n + 1) * sizeof *boxes);
    for (size_t i = 0; i < n; i++)
        boxes[i] = (Interval){q[i] - around, q[i] + around};
    unilaterals_find_near(unilaterals, (Interval){t, t}, boxes);
    base_free(boxes);
}

bool unilaterals_are_near(const Unilaterals *unilaterals, double t, const double *q)
{
    const UnilateralPairs *pairs = unilaterals->pairs;
    if (!pairs)
        return true;
    bool inside = pairs->searched && t >= pairs->t.low && t <= pairs->t.high;
    for (size_t i = 0; i < pairs->motion->n && inside; i++)
        inside = q[i] >= pairs->q[i].low && q[i] <= pairs->q[i].high;
    return inside;
}

const uint32_t *unilaterals_near(const Unilaterals *unilaterals, size_t *count)
{
    *count = unilaterals->pairs ? unilaterals->pairs->near.count : 0;
    return unilaterals->pairs ? unilaterals->pairs->near.at : NULL;
}

// ---- The whole.

// Room for the largest of the programs.
static void make_room(UnilateralPairs *pairs)
{
    size_t inputs = 0, registers = 0, outputs = 0;
    for (size_t f = 0; f < pairs->families.count; f++)
        for (size_t role = 0; role < 2; role++) {
            const ElementRole *own = &pairs->families.at[f].roles[role];
            outputs = own->width > outputs ? own->width : outputs;
            for (size_t i = 0; i < own->classes.count; i++) {
                const Program *program = own->classes.at[i].box.program;
                size_t in = program_inputs(program), needed = program_registers(program);
                inputs = in > inputs ? in : inputs;
                registers = needed > registers ? needed : registers;
            }
        }
    Arena *arena = pairs->unilaterals->arena;
    pairs->inputs = arena_array(arena, Interval, inputs + 1);
    pairs->work = arena_array(arena, Interval, registers + 1);
    pairs->outputs = arena_array(arena, Interval, outputs + 1);
    pairs->q = arena_array(arena, Interval, pairs->motion->n + 1);
    for (size_t i = 0; i < pairs->motion->model->params.count; i++)
        pairs->inputs[i] = (Interval){pairs->params[i], pairs->params[i]};
}

static Status add_family(UnilateralPairs *pairs, const ModelPairs *model, const uint32_t *index)
{
    uint64_t key = 0;
    if (pairs->families.count > 0) {
        const PairFamily *last = &pairs->families.at[pairs->families.count - 1];
        key = last->key + (uint64_t)last->model->elements * last->model->elements;
    }
    array_push(&pairs->families, ((PairFamily){.model = model, .key = key}));
    PairFamily *family = &pairs->families.at[pairs->families.count - 1];
    for (size_t role = 0; role < 2; role++)
        TRY(sort_elements(pairs, family, role, index));
    size_t shapes = family->roles[0].classes.count * family->roles[1].classes.count;
    array_reserve(&family->shapes, shapes + 1);
    memset(family->shapes.at, 0, shapes * sizeof *family->shapes.at);
    family->shapes.count = shapes;
    return make_search(pairs, family, index);
}

Status unilateral_pairs_new(Unilaterals *unilaterals, Motion *motion, const double *params,
                            Diag *diag)
{
    const Model *model = motion->model;
    if (model->pairs.count == 0)
        return STATUS_OK;
    UnilateralPairs *pairs = unilaterals->pairs = base_alloc(sizeof *pairs);
    *pairs = (UnilateralPairs){.unilaterals = unilaterals,
                               .motion = motion,
                               .params = params,
                               .diag = diag,
                               .from = unilaterals->count};
    uint32_t *index = unilaterals_index_symbols(motion);
    Status status = STATUS_OK;
    for (size_t i = 0; i < model->pairs.count && status == STATUS_OK; i++)
        status = add_family(pairs, &model->pairs.at[i], index);
    base_free(index);
    TRY(status);
    make_room(pairs);
    return STATUS_OK;
}

void unilateral_pairs_free(UnilateralPairs *pairs)
{
    if (!pairs)
        return;
    for (size_t f = 0; f < pairs->families.count; f++) {
        PairFamily *family = &pairs->families.at[f];
        for (size_t role = 0; role < 2; role++) {
            for (size_t i = 0; i < family->roles[role].classes.count; i++)
                evaluator_clear(&family->roles[role].classes.at[i].box);
            array_clear(&family->roles[role].classes);
            array_clear(&family->roles[role].coordinates);
        }
        array_clear(&family->own);
        array_clear(&family->shapes);
        pair_search_free(family->search);
        program_free(family->f);
    }
    array_clear(&pairs->families);
    array_clear(&pairs->known);
    array_clear(&pairs->near);
    base_free(pairs->slots);
    base_free(pairs);
}
