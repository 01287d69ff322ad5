// settings.c: settings from the command line or a caller, which replace defaults and starts.
#include "model/model_impl.h"

void settings_read(Elaborator *e, const ModelSetting *settings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        Syntax *syntax = syntax_read_settings(settings[i].source, e->diag);
        array_push(&e->setting_trees, syntax);
        if (syntax->statements.count == 0)
            continue;
        const Statement *statement = &syntax->statements.at[0];
        // A broken setting is said once; its values before the error stand.
        for (uint32_t p = 0; p + 1 < statement->count; p++) {
            const Part *part = &syntax->parts.at[p];
            if (part->role == PART_NAME &&
                (part[1].role == PART_VALUE || part[1].role == PART_TABLE ||
                 part[1].role == PART_RANDOM))
                array_push(&e->settings, ((Setting){syntax, part, part + 1, false}));
        }
    }
}

// A name with points and numbers for indices, as it is typed.
static void add_name(const Syntax *syntax, uint32_t node, Text *out)
{
    const Node *at = &syntax->nodes.at[node];
    const Child *children = syntax_children(syntax, at);
    if (at->kind == NODE_MEMBER || at->kind == NODE_INDEX)
        add_name(syntax, children[0].node, out);
    if (at->kind == NODE_MEMBER)
        text_add_char(out, '.');
    for (uint32_t i = 1; at->kind == NODE_INDEX && i < at->count; i++) {
        const Node *index = &syntax->nodes.at[children[i].node];
        text_add_char(out, i == 1 ? '[' : ',');
        text_add_str(out, syntax_text(syntax, index->start, index->length));
    }
    text_add_str(out, at->kind == NODE_INDEX ? str_of("]") : syntax_name(syntax, at->name));
}

static bool is_of(const Setting *setting, Str name, bool function)
{
    uint32_t root = setting->name->span.root;
    NodeKind kind = setting->syntax->nodes.at[root].kind;
    if (function || kind == NODE_CALL)
        return function && kind == NODE_CALL &&
               str_equal(syntax_name(setting->syntax, setting->syntax->nodes.at[root].name), name);
    if (kind != NODE_NAME && kind != NODE_MEMBER)
        return false;
    Text text = {0};
    add_name(setting->syntax, root, &text);
    bool same = str_equal((Str){text.at, text.length}, name);
    text_clear(&text);
    return same;
}

const Setting *settings_take(Elaborator *e, Str name, bool function)
{
    const Setting *last = NULL;
    for (size_t i = 0; i < e->settings.count; i++) {
        Setting *setting = &e->settings.at[i];
        if (!is_of(setting, name, function))
            continue;
        setting->used = true;
        last = setting;
    }
    return last;
}

bool settings_take_zero(Elaborator *e, Str name, bool text)
{
    const Setting *last = NULL;
    for (size_t i = 0; i < e->settings.count; i++)
        last = is_of(&e->settings.at[i], name, false) ? &e->settings.at[i] : last;
    if (!last)
        return text;
    const Node *root = &last->syntax->nodes.at[last->value->span.root];
    if (root->kind != NODE_NUMBER || strtod(syntax_name(last->syntax, root->name).at, NULL) != 0)
        return false;
    return settings_take(e, name, false) != NULL;
}

static bool set_param(Elaborator *e, const NameEntry *entry, const Target *target,
                      const Part *value)
{
    if (target->primes)
        return elaborate_fail(e, target->place, "'%s' is a parameter and has no derivative",
                              text_shown(target->base).at);
    size_t count = element_count(e, entry);
    uint32_t at = entry->family ? entry->first : (uint32_t)(entry - e->names.at);
    Expr *values = base_alloc((count + 1) * sizeof *values), radius = {0};
    Dim *dims = base_alloc((count + 1) * sizeof *dims);
    bool good = elaborate_each(e, value, count, LEVEL_PARAM, "a parameter's value", values, dims) &&
                elaborate_interval(e, value, e->names.at[at].value.dim, NULL, &radius);
    for (size_t i = 0; i < count && good; i++, at = e->names.at[at].next) {
        ModelParam *param = &e->model->params.at[e->names.at[at].index];
        if (!dim_check_value(e, &e->names.at[at], 0, value->span, dims[i],
                             elaborate_each_place(e, value, count, i))) {
            good = false;
            break;
        }
        param->value = values[i];
        param->radius = radius;
        param->place = target->place;
    }
    base_free(values);
    base_free(dims);
    return good;
}

// An input whose signal is constant is a parameter.
static bool is_constant_input(const Elaborator *e, const NameEntry *entry)
{
    const Model *model = e->model;
    return entry->kind == NAME_INPUT && !e->host_inputs && entry->index < model->params.count &&
           expr_same(entry->value.scalar, model->params.at[entry->index].symbol);
}

// `random=N`, unless something has this name: a seed in the place of all.
static bool is_seed(const Elaborator *e, const Setting *setting)
{
    return is_of(setting, str_of("random"), false) && !names_find_full(e, str_of("random"));
}

static void apply_seed(Elaborator *e, const Setting *setting)
{
    Value number = elaborate_span(e, setting->value->span);
    if (number.kind != VALUE_BAD && (!value_integer(e, &number, &e->seed) || e->seed < 0))
        elaborate_fail(e, syntax_part_place(e->syntax, setting->value),
                       "a seed is a whole number, 0 or more");
}

static void apply_setting(Elaborator *e, const Setting *setting)
{
    Target target;
    e->syntax = setting->syntax;
    e->statement = &setting->syntax->statements.at[0];
    if (is_seed(e, setting)) {
        apply_seed(e, setting);
        return;
    }
    if (!elaborate_target(e, setting->name, &target))
        return;
    const NameEntry *entry = names_find_target(e, &target);
    if (!entry)
        return;
    bool call = setting->syntax->nodes.at[setting->name->span.root].kind == NODE_CALL;
    if (entry->kind == NAME_FUNCTION)
        elaborate_fail(e, target.place, "'%s' is a function; set it as \"%s=…\"", entry->name.at,
                       e->model->functions.at[entry->index].head);
    else if (call)
        elaborate_fail(e, target.place, "'%s' is %s, not a function", entry->name.at,
                       names_kind(entry->kind));
    else if (entry->kind == NAME_COORD || entry->kind == NAME_SPEED || state_is_continuous(entry))
        give_start(e, &target, setting->value, false, true);
    else if (entry->kind == NAME_PARAM || entry->kind == NAME_STATE || is_constant_input(e, entry))
        set_param(e, entry, &target, setting->value);
    else
        elaborate_fail(
            e, target.place,
            "a setting takes constants, parameters, coordinates, velocities and speeds, and "
            "'%s' is %s",
            text_shown(target.base).at, names_kind(entry->kind));
}

// A setting may use parameters that are declared below the one it sets. They are replaced by
// their values, so that every value is made of earlier parameters.
static bool order_param(Elaborator *e, size_t at, const Expr *symbols, const Expr *values)
{
    ModelParam *param = &e->model->params.at[at];
    size_t count = e->model->params.count;
    for (size_t round = 0; round <= count; round++) {
        if (expr_is_none(param->value) ||
            !expr_holds_any(e->pool, param->value, symbols + at, count - at))
            return true;
        for (size_t i = at; i < count; i++)
            if (expr_is_none(values[i]) && expr_holds(e->pool, param->value, symbols[i]))
                return elaborate_fail(e, place_with_hint(e->model->params.at[i].place, HINT_SET),
                                      "parameter '%s' has no value, and '%s' needs it; give one "
                                      "in the model, or %s=… as a setting",
                                      e->model->params.at[i].name, param->name,
                                      e->model->params.at[i].name);
        param->value = expr_replace(e->pool, param->value, symbols + at, values + at, count - at);
    }
    return elaborate_fail(e, param->place, "the value of '%s' depends on itself", param->name);
}

static void order_params(Elaborator *e)
{
    size_t count = e->model->params.count;
    Expr *symbols = base_alloc((count + 1) * sizeof *symbols);
    Expr *values = base_alloc((count + 1) * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        symbols[i] = e->model->params.at[i].symbol;
        // What has no value stands for itself until it is asked for.
        values[i] = e->model->params.at[i].value;
    }
    for (size_t i = 0; i < count; i++)
        if (!order_param(e, i, symbols, values))
            break;
    base_free(symbols);
    base_free(values);
}

// What settings replace, as the text gives it.
static void keep_defaults(Elaborator *e)
{
    const Model *model = e->model;
    ModelDefaults *defaults = &e->defaults;
    defaults->params = arena_array(e->arena, ModelParam, model->params.count + 1);
    defaults->starts = arena_array(e->arena, ModelStart, model->starts.count + 1);
    for (size_t i = 0; i < model->params.count; i++)
        defaults->params[i] = model->params.at[i];
    for (size_t i = 0; i < model->starts.count; i++)
        defaults->starts[i] = model->starts.at[i];
    defaults->start_count = model->starts.count;
    defaults->setting_count = e->settings.count;
    defaults->tree_count = e->setting_trees.count;
}

static void apply_all(Elaborator *e)
{
    const Syntax *file = e->syntax;
    bool any = false;
    e->seed = -1;
    for (size_t i = 0; i < e->settings.count; i++)
        if (!e->settings.at[i].used) {
            apply_setting(e, &e->settings.at[i]);
            any = true;
        }
    e->syntax = file;
    if (any && e->errors == 0)
        order_params(e);
}

void settings_apply(Elaborator *e)
{
    keep_defaults(e);
    apply_all(e);
}

// ---- Others, of a model that was read.

static void restore_defaults(Elaborator *e)
{
    Model *model = e->model;
    const ModelDefaults *defaults = &e->defaults;
    for (size_t i = 0; i < model->params.count; i++)
        model->params.at[i] = defaults->params[i];
    model->starts.count = 0;
    for (size_t i = 0; i < defaults->start_count; i++)
        array_push(&model->starts, defaults->starts[i]);
    for (size_t i = 0; i < e->names.count; i++) {
        NameEntry *entry = &e->names.at[i];
        if (entry->start >= defaults->start_count)
            entry->start = NO_START;
        if (entry->start_velocity >= defaults->start_count)
            entry->start_velocity = NO_START;
    }
    for (size_t i = defaults->tree_count; i < e->setting_trees.count; i++)
        syntax_free(e->setting_trees.at[i]);
    e->setting_trees.count = defaults->tree_count;
    e->settings.count = defaults->setting_count;
}

static bool holds_time(const Setting *setting)
{
    Span span = setting->value->span;
    for (uint32_t i = span.first; i <= span.root; i++) {
        const Node *node = &setting->syntax->nodes.at[i];
        if (node->kind == NODE_NAME && str_is(syntax_name(setting->syntax, node->name), "t"))
            return true;
    }
    return false;
}

// Whether a setting is of a constant or a function, which are a part of what was read; so is an
// input that changes with the time, before or now, and a parameter that is a number where it is 0.
static bool is_structural(Elaborator *e, const Setting *setting)
{
    Target target;
    e->syntax = setting->syntax;
    e->statement = &setting->syntax->statements.at[0];
    if (is_seed(e, setting))
        return false;
    if (!elaborate_target(e, setting->name, &target))
        return false;
    const NameEntry *entry = names_find_target(e, &target);
    if (entry && entry->kind == NAME_INPUT)
        return !is_constant_input(e, entry) || holds_time(setting);
    return entry && (entry->kind == NAME_CONST || entry->kind == NAME_FUNCTION || entry->replaced);
}

Status model_set(Model *model, const ModelSetting *settings, size_t count, Diag *diag, bool *same)
{
    Elaborator *e = model->names;
    size_t errors = diag_count(diag, DIAG_ERROR);
    e->diag = diag;
    e->errors = e->steps = 0;
    restore_defaults(e);
    settings_read(e, settings, count);
    *same = true;
    for (size_t i = e->defaults.setting_count; i < e->settings.count && *same; i++)
        *same = !is_structural(e, &e->settings.at[i]);
    if (*same && e->errors == 0)
        apply_all(e);
    if (*same && e->errors == 0) {
        order_starts(e);
        noises_settle(e);
    }
    if (*same && e->errors == 0 && model->whiles.count > 0)
        *same = !model_start_whiles(model, 0);
    e->syntax = NULL;
    e->statement = NULL;
    return diag_count(diag, DIAG_ERROR) == errors ? STATUS_OK : STATUS_WRONG;
}
