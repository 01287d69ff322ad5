// dimensions.c: what is measured in what: units behind numbers and names, and the check that both
// sides of everything have one dimension.
#include "model/dimensions.h"
#include "model/model_impl.h"
#include "text/table_files.h"

#include <string.h>

// ---- Messages.

static Shown words_of(Dim dim)
{
    Text text = {0};
    dim_add_words(dim, &text);
    Shown shown = text_shown((Str){text.at, text.length});
    text_clear(&text);
    return shown;
}

static Shown unit_of(Dim dim)
{
    Text text = {0};
    dim_add_unit(dim, &text);
    Shown shown = text_shown((Str){text.at, text.length});
    text_clear(&text);
    return shown;
}

bool dim_check(Elaborator *e, Dim have, Dim want, Place place, const char *what)
{
    if (!e->units || dim_fits(have, want))
        return true;
    if (dim_is_pure(want))
        return elaborate_fail(e, place, "%s must be a pure number, not %s", what,
                              words_of(have).at);
    if (!dim_is_pure(have))
        return elaborate_fail(e, place, "%s must be %s, not %s", what, words_of(want).at,
                              words_of(have).at);
    return elaborate_fail(e, place,
                          "%s must be %s, not a pure number; make it a parameter with a unit, as "
                          "in 'param p = 2 %s'",
                          what, words_of(want).at, unit_of(want).at);
}

bool dim_check_sides(Elaborator *e, Dim left, Dim right, Place place, const char *what)
{
    if (!e->units || dim_fits(left, right))
        return true;
    return elaborate_fail(e, place, "this side of %s is %s and the other one %s", what,
                          words_of(right).at, words_of(left).at);
}

Dim dim_either(Dim a, Dim b)
{
    return a.any ? b : a;
}

// ---- Arithmetic.

bool dim_sum(Elaborator *e, const Value *terms, size_t count, const Place *places,
             const char *format, Dim *sum)
{
    *sum = dim_any();
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        if (e->units && !dim_fits(*sum, terms[i].dim))
            return elaborate_fail(e, places[i], format, words_of(terms[i].dim).at,
                                  i == first + 1 ? "the one before it" : "others before it",
                                  words_of(*sum).at);
        if (sum->any)
            first = i;
        *sum = dim_either(*sum, terms[i].dim);
    }
    return true;
}

bool dim_raise(Elaborator *e, Value base, Value exponent, Place place, Dim *power)
{
    *power = dim_is_pure(base.dim) ? base.dim : dim_pure();
    if (!e->units)
        return true;
    if (!dim_check(e, exponent.dim, dim_pure(), place, "an exponent"))
        return false;
    if (dim_is_pure(base.dim))
        return true;
    if (!expr_is_number(e->pool, exponent.scalar))
        return elaborate_fail(e, place,
                              "this is a power of %s, so that its exponent must be a number",
                              words_of(base.dim).at);
    const fmpq *value = expr_value(e->pool, exponent.scalar);
    if (fmpz_fits_si(fmpq_numref(value)) && fmpz_fits_si(fmpq_denref(value)) &&
        dim_power(base.dim, fmpz_get_si(fmpq_numref(value)), fmpz_get_si(fmpq_denref(value)),
                  power))
        return true;
    return elaborate_fail(e, place, "no quantity is such a power of %s", words_of(base.dim).at);
}

bool dim_call(Elaborator *e, ExprOp op, const Value *args, size_t count, const Place *places,
              Dim *value)
{
    *value = dim_pure();
    if (!e->units)
        return true;
    switch (op) {
    case EXPR_SIGN: return true;
    case EXPR_ABS: *value = args[0].dim; return true;
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_ATAN2:
        if (!dim_sum(e, args, count, places, "this argument is %s and %s %s", value))
            return false;
        if (op == EXPR_ATAN2)
            *value = dim_pure();
        return true;
    default: break;
    }
    for (size_t i = 0; i < count; i++)
        if (!dim_fits(args[i].dim, dim_pure()))
            return elaborate_fail(e, places[i],
                                  "the argument of %s has the unit %s; it must be a pure number",
                                  expr_op_name(op), unit_of(args[i].dim).at);
    return true;
}

// ---- Reactions.

ReactionDims *reactions_new(void)
{
    ReactionDims *reactions = base_alloc(sizeof *reactions);
    reactions->names = name_map_new();
    reactions->arena = arena_new();
    return reactions;
}

void reactions_free(ReactionDims *reactions)
{
    if (!reactions)
        return;
    name_map_free(reactions->names);
    array_clear(&reactions->dims);
    arena_free(reactions->arena);
    base_free(reactions);
}

Dim reaction_dim(const Elaborator *e, const char *name)
{
    const ReactionDims *all[] = {e->reactions, e->known};
    uint32_t index;
    for (int i = 0; i < 2; i++)
        if (all[i] && name_map_get(all[i]->names, str_of(name), &index))
            return all[i]->dims.at[index];
    return dim_any();
}

void reaction_dim_put(Elaborator *e, const char *prefix, const char *name, Dim dim)
{
    Text text = {0};
    if (!e->reactions || !name)
        return;
    text_addf(&text, "%s%s", prefix, name);
    Str own = {arena_copy_text(e->reactions->arena, text.at, text.length), text.length};
    if (name_map_put(e->reactions->names, own, (uint32_t)e->reactions->dims.count))
        array_push(&e->reactions->dims, dim);
    text_clear(&text);
}

// ---- Units behind numbers and names.

static Expr exact_number(Elaborator *e, const char *digits, size_t length)
{
    Expr number = expr_int(e->pool, 1);
    bool read = expr_number_read(e->pool, (Str){digits, length}, &number);
    (void)read; // the table holds numbers
    return number;
}

// Its size in SI units, exactly.
static Expr exact_scale(Elaborator *e, const UnitReading *unit)
{
    Expr scale = expr_pow_int(e->pool, expr_int(e->pool, 10), unit->ten);
    scale = expr_mul(e->pool, scale, expr_pow_int(e->pool, expr_pi(e->pool), unit->pi));
    for (size_t i = 0; i < unit->factor_count; i++) {
        const char *value = unit_row_value(unit->factors[i].row);
        const char *slash = strchr(value, '/');
        Expr size = exact_number(e, value, slash ? (size_t)(slash - value) : strlen(value));
        if (slash)
            size = expr_div(e->pool, size, exact_number(e, slash + 1, strlen(slash + 1)));
        scale = expr_mul(e->pool, scale, expr_pow_int(e->pool, size, unit->factors[i].power));
    }
    return scale;
}

static bool fail_unit(Elaborator *e, Str text, Str wrong, Place place)
{
    Text meant = {0};
    unit_add_meant(text, wrong, &meant);
    Shown shown = text_shown(wrong);
    // Where no unit is meant, a word behind a number is a factor whose sign was left out.
    bool name = wrong.length == text.length &&
                (names_find(e, wrong) || name_map_get(e->lost, wrong, NULL) || meant.length == 0);
    uint32_t before = place.start;
    while (before > 0 && place.source->at[before - 1] == ' ')
        before--;
    uint32_t digits = before;
    while (digits > 0 && strchr("0123456789.", place.source->at[digits - 1]))
        digits--;
    Shown number = text_shown((Str){place.source->at + digits, before - digits});
    if (name && !e->units && digits < before)
        elaborate_fail(e, place, "'%s' cannot follow '%s' directly; a product is written with '*'",
                       shown.at, number.at);
    else if (meant.length > 0)
        elaborate_fail(e, place, "unknown unit '%s'; did you mean '%s'?", shown.at, meant.at);
    else
        elaborate_fail(e, place, "unknown unit '%s'", shown.at);
    text_clear(&meant);
    return false;
}

bool elaborate_unit_text(Elaborator *e, Place place, const ModelUnit **unit, Expr *scale)
{
    Str text = {place.source->at + place.start, place.length}, wrong;
    UnitReading reading;
    *unit = NULL;
    if (!unit_read(text, &reading, &wrong)) {
        place.start += (uint32_t)(wrong.at - text.at);
        place.length = (uint32_t)wrong.length;
        return fail_unit(e, text, wrong, place);
    }
    ModelUnit *made = arena_alloc(e->arena, sizeof *made);
    *made =
        (ModelUnit){arena_copy_text(e->arena, text.at, text.length), reading.scale, reading.dim};
    *unit = made;
    *scale = exact_scale(e, &reading);
    return true;
}

Value elaborate_in_unit(Elaborator *e, const Node *node, Value number, Place place)
{
    uint32_t length = (uint32_t)syntax_name(e->syntax, node->name).length;
    place = place_at(place.source, place.start + place.length - length, length);
    const ModelUnit *unit;
    Expr scale;
    if (number.kind == VALUE_BAD)
        return number;
    if (e->free_symbols) {
        elaborate_fail(e, place, "a number has no unit here; a product is written with '*'");
        return value_bad();
    }
    // `2 SI` is a number in the SI unit of whatever takes it: what programs set.
    if (str_is(syntax_name(e->syntax, node->name), "SI")) {
        number.dim = dim_any();
        return number;
    }
    if (!elaborate_unit_text(e, place, &unit, &scale))
        return value_bad();
    Place own = place_at(place.source, place.start, place.length);
    if (number.kind != VALUE_SCALAR) {
        elaborate_fail(e, own, "a unit stands behind a number, and this is %s",
                       value_kind_name(number.kind));
        return value_bad();
    }
    if (!dim_check(e, number.dim, dim_pure(), own, "what has a unit behind it"))
        return value_bad();
    number.scalar = expr_mul(e->pool, number.scalar, scale);
    number.dim = unit->dim;
    return number;
}

const Part *part_behind(const Elaborator *e, const Part *name, PartRole role)
{
    const Part *end = e->syntax->parts.at + e->statement->first + e->statement->count;
    for (const Part *part = name + 1;
         part < end && part->role != PART_NAME && part->role != PART_LABEL; part++)
        if (part->role == role)
            return part;
    return NULL;
}

// ---- m [kg]

// Whether a word is that of an index somewhere in the file: a constant, a variable of a loop or an
// argument of a part.
static bool is_index_word(const Syntax *syntax, uint32_t word)
{
    for (size_t s = 0; s < syntax->statements.count; s++) {
        const Statement *statement = &syntax->statements.at[s];
        bool counts = statement->kind == STATEMENT_CONST || statement->kind == STATEMENT_FOR;
        for (uint32_t i = 0; i < statement->count; i++) {
            const Part *part = &syntax->parts.at[statement->first + i];
            bool named = (counts && part->role == PART_NAME) || part->role == PART_ARGUMENT;
            const Node *node = named ? &syntax->nodes.at[part->span.root] : NULL;
            if (node && node->kind == NODE_NAME && node->name == word)
                return true;
        }
    }
    return false;
}

static bool declares_unit(StatementKind kind)
{
    return kind == STATEMENT_PARAM || kind == STATEMENT_COORD || kind == STATEMENT_SPEED ||
           kind == STATEMENT_STATE || kind == STATEMENT_INPUT || kind == STATEMENT_OUTPUT;
}

bool bracket_unit(const Syntax *syntax, const Statement *statement, const Part *part, Place *unit)
{
    const Node *root = &syntax->nodes.at[part->span.root];
    if (!statement || !declares_unit(statement->kind) ||
        (part->role != PART_NAME && part->role != PART_LABEL))
        return false;
    if (root->kind == NODE_PRIME)
        root = &syntax->nodes.at[syntax_children(syntax, root)[0].node];
    if (root->kind != NODE_INDEX || root->count != 2)
        return false;
    uint32_t index = syntax_children(syntax, root)[1].node;
    const Node *inside = &syntax->nodes.at[index];
    if (inside->kind == NODE_NUMBER)
        return false;
    UnitReading reading;
    Str wrong;
    if (!unit_read(syntax_text(syntax, inside->start, inside->length), &reading, &wrong))
        return false;
    for (uint32_t i = part->span.first + 1; i <= index; i++)
        if (syntax->nodes.at[i].kind == NODE_NAME &&
            is_index_word(syntax, syntax->nodes.at[i].name))
            return false;
    *unit = syntax_node_place(syntax, index);
    return true;
}

// A robot's file has units, which check the model that reads it where that has some of its own.
static bool is_robots(const Source *source, uint32_t at)
{
    bool whole = false;
    for (size_t i = 0; i < source->piece_count && source->pieces[i].start <= at; i++)
        whole = source->pieces[i].whole;
    return whole;
}

bool dim_is_of_robot(const Elaborator *e, uint32_t at)
{
    return e->units && is_robots(e->syntax->source, at);
}

bool elaborate_declared_unit(Elaborator *e, const Part *name, const ModelUnit **unit, Expr *scale)
{
    const Part *part = part_behind(e, name, PART_UNIT);
    Place place;
    *unit = NULL;
    *scale = expr_int(e->pool, 1);
    if (part)
        place = syntax_part_place(e->syntax, part);
    else if (!bracket_unit(e->syntax, e->statement, name, &place))
        return true;
    if (!e->units && is_robots(place.source, place.start))
        return true;
    return elaborate_unit_text(e, place, unit, scale);
}

// ---- Values for names.

bool is_bare_number(const Elaborator *e, Span span)
{
    for (uint32_t i = span.first; i <= span.root; i++) {
        const Node *node = &e->syntax->nodes.at[i];
        Str name = node->kind == NODE_NAME ? syntax_name(e->syntax, node->name) : str_of("pi");
        if (node->kind == NODE_UNIT || node->kind == NODE_CALL || node->kind == NODE_EACH ||
            !str_is(name, "pi"))
            return false;
    }
    return true;
}

// x is declared in m, and 0.1 has no unit.
static bool fail_bare(Elaborator *e, const char *name, const char *unit, Dim dim, Place place)
{
    Str text = {place.source->at + place.start, place.length};
    Shown number = text_shown(text);
    bool digits = text.length > 0;
    for (size_t i = 0; i < text.length; i++)
        digits = digits && (strchr("0123456789.eE", text.at[i]) ||
                            (i == 0 && (text.at[i] == '-' || text.at[i] == '+')));
    const char *open = digits ? "" : "(", *close = digits ? "" : ")";
    Shown si = unit_of(dim);
    const char *other = dim_is_pure(dim) ? "rad" : si.at;
    Text choice = {0};
    text_addf(&choice, "'%s%s%s %s'", open, number.at, close, unit);
    if (strcmp(other, unit) != 0)
        text_addf(&choice, " or '%s%s%s %s'", open, number.at, close, other);
    elaborate_fail(e, place, "%s is declared in %s and %s has no unit; write %s", name, unit,
                   number.at, choice.at);
    text_clear(&choice);
    return false;
}

bool dim_fail_bare(Elaborator *e, const char *what, Dim want, Place place)
{
    Shown number = text_shown((Str){place.source->at + place.start, place.length});
    return elaborate_fail(e, place, "%s is %s, and %s has no unit; write '%s %s'", what,
                          words_of(want).at, number.at, number.at, unit_of(want).at);
}

bool dim_check_value(Elaborator *e, const NameEntry *entry, uint32_t primes, Span span, Dim have,
                     Place place)
{
    Dim want = entry->value.dim;
    Text name = {0}, unit = {0};
    if (!e->units && !entry->unit)
        return true;
    text_add(&name, entry->name.at);
    if (entry->unit)
        text_add(&unit, entry->unit->text);
    for (uint32_t i = 0; i < primes; i++)
        text_add(&name, "'");
    if (primes > 0) {
        want = dim_over(want, dim_of(0, 0, (int)primes));
        if (entry->unit)
            text_addf(&unit, primes == 1 ? "/s" : "/s^%u", primes);
    }
    if (!entry->unit)
        dim_add_unit(want, &unit);
    bool bare = !have.any && dim_is_pure(have) && is_bare_number(e, span);
    bool scaled = entry->unit && entry->unit->scale != 1;
    bool good = true;
    if (bare && (!dim_is_pure(want) || scaled) && (e->units || scaled))
        good = fail_bare(e, name.at, unit.at, want, place);
    else if (e->units && !dim_fits(have, want))
        good = dim_is_pure(want)
                   ? elaborate_fail(e, place,
                                    "%s is a pure number, and this is %s; declare its unit, as in "
                                    "'%s in %s'",
                                    name.at, words_of(have).at, entry->name.at, unit_of(have).at)
                   : elaborate_fail(e, place, "%s is %s, and this is %s", name.at,
                                    words_of(want).at, words_of(have).at);
    text_clear(&name);
    text_clear(&unit);
    return good;
}

bool dim_take_declared(Elaborator *e, const Part *name, Span span, Place place, Expr *value,
                       Dim *dim, const ModelUnit **unit)
{
    Expr scale;
    if (!elaborate_declared_unit(e, name, unit, &scale))
        return false;
    const Node *root = span.root ? &e->syntax->nodes.at[span.root] : NULL;
    // What is given in a unit is shown in it.
    if (!*unit && root && root->kind == NODE_UNIT &&
        !str_is(syntax_name(e->syntax, root->name), "SI")) {
        uint32_t length = (uint32_t)syntax_name(e->syntax, root->name).length;
        Place own = place_at(place.source, root->start + root->length - length, length);
        return elaborate_unit_text(e, own, unit, &scale);
    }
    if (!*unit) {
        dim->any = false;
        return true;
    }
    if (!root) { // no value
        *dim = (*unit)->dim;
        return true;
    }
    bool pure = dim->any || dim_is_pure(*dim);
    if (pure && is_bare_number(e, span)) {
        *value = expr_mul(e->pool, *value, scale);
        *dim = (*unit)->dim;
    }
    if (e->units && !dim_fits(*dim, (*unit)->dim)) {
        Shown shown = text_shown(names_base(e->syntax, name->span.root));
        return elaborate_fail(e, place, "%s is declared in %s, %s, and this is %s", shown.at,
                              (*unit)->text, words_of((*unit)->dim).at, words_of(*dim).at);
    }
    *dim = (*unit)->dim;
    return true;
}

// ---- Whether a model has units.

typedef struct {
    size_t count;
    Place unit, number; // of the first; the number before it, where it is one
    bool behind;        // it stands behind a number
} Found;

static void find_one(Place place, Found *found)
{
    UnitReading reading;
    Str wrong;
    Str text = {place.source->at + place.start, place.length};
    // Angles are pure numbers, so that their units say nothing of the others.
    if (is_robots(place.source, place.start) || str_is(text, "SI") ||
        !unit_read(text, &reading, &wrong) || dim_is_pure(reading.dim))
        return;
    if (found->count++ == 0)
        found->unit = place;
}

static Place table_unit(const Syntax *syntax, const Part *title)
{
    Str text = syntax_text(syntax, title->start, title->length);
    const char *open = text.length > 2 && text.at[text.length - 1] == ']'
                           ? memchr(text.at, '[', text.length)
                           : NULL;
    if (!open)
        return place_none();
    uint32_t before = (uint32_t)(open - text.at) + 1;
    return place_at(syntax->source, title->start + before, title->length - before - 1);
}

static void find_units(const Syntax *syntax, Found *found)
{
    for (size_t i = 1; i < syntax->nodes.count; i++) {
        const Node *node = &syntax->nodes.at[i];
        if (node->kind != NODE_UNIT)
            continue;
        uint32_t length = (uint32_t)syntax_name(syntax, node->name).length;
        size_t before = found->count;
        find_one(place_at(syntax->source, node->start + node->length - length, length), found);
        if (before == 0 && found->count == 1) {
            found->behind = true;
            found->number = place_at(syntax->source, node->start, node->length);
        }
    }
    for (size_t s = 0; s < syntax->statements.count; s++) {
        const Statement *statement = &syntax->statements.at[s];
        for (uint32_t i = 0; i < statement->count; i++) {
            const Part *part = &syntax->parts.at[statement->first + i];
            Place place;
            bool table = part->role == PART_TITLE && (statement->kind == STATEMENT_INPUT ||
                                                      statement->kind == STATEMENT_FUNCTION);
            if (part->role == PART_UNIT)
                find_one(syntax_part_place(syntax, part), found);
            else if (table && (place = table_unit(syntax, part)).source)
                find_one(place, found);
            else if (bracket_unit(syntax, statement, part, &place))
                find_one(place, found);
        }
    }
}

static bool is_declared(const Syntax *syntax, Str word)
{
    for (size_t s = 0; s < syntax->statements.count; s++) {
        const Statement *statement = &syntax->statements.at[s];
        for (uint32_t i = 0; i < statement->count; i++) {
            const Part *part = &syntax->parts.at[statement->first + i];
            if ((part->role == PART_NAME || part->role == PART_ARGUMENT) &&
                statement->kind != STATEMENT_INITIAL && statement->kind != STATEMENT_ASSIGN &&
                str_equal(names_base(syntax, part->span.root), word))
                return true;
        }
    }
    return false;
}

// `2 m` alone in a model where m is a name.
static void fail_alone(Elaborator *e, const Found *found)
{
    Str unit = {found->unit.source->at + found->unit.start, found->unit.length}, wrong;
    Str text = {found->number.source->at + found->number.start, found->number.length};
    size_t digits = text.length - unit.length;
    while (digits > 0 && text.at[digits - 1] == ' ')
        digits--;
    Shown number = text_shown((Str){text.at, digits}), word = text_shown(unit);
    UnitReading reading;
    bool known = unit_read(unit, &reading, &wrong) && reading.plural;
    elaborate_fail(e, found->unit,
                   "'%s %s' is %s %s here, and nothing else in the model has a unit; for the "
                   "product write %s*%s",
                   number.at, word.at, number.at, known ? reading.plural : "of that unit",
                   number.at, word.at);
}

bool units_find(Elaborator *e)
{
    Found found = {0}, set = {0};
    find_units(e->syntax, &found);
    e->units = found.count > 0;
    Str word = {NULL, 0};
    if (found.count == 1 && found.behind)
        word = (Str){found.unit.source->at + found.unit.start, found.unit.length};
    if (word.at && is_declared(e->syntax, word)) {
        e->units = false;
        fail_alone(e, &found);
        return false;
    }
    for (size_t i = 0; i < e->setting_trees.count && !e->units; i++)
        find_units(e->setting_trees.at[i], &set);
    if (set.count == 0)
        return true;
    return elaborate_fail(
        e, set.unit,
        "'%s' is a unit, and nothing in the model has one; write the number in "
        "the model's own units",
        text_shown((Str){set.unit.source->at + set.unit.start, set.unit.length}).at);
}

bool units_need_reactions(const Source *source)
{
    static const char *const words[] = {"lambda.", "λ.", "normal(", "slip."};
    bool holds = false;
    for (size_t i = 0; i < sizeof words / sizeof *words && !holds; i++)
        holds = strstr(source->at, words[i]) != NULL;
    if (!holds)
        return false;
    Diag *unheard = diag_new();
    Syntax *syntax = syntax_read(source, unheard);
    Found found = {0};
    find_units(syntax, &found);
    syntax_free(syntax);
    diag_free(unheard);
    return found.count > 0;
}
