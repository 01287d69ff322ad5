// sensitivity_names.c: by what a motion is differentiated.
#include "simulate/sensitivity/sensitivity_names_impl.h"

#include "base/diag.h"
#include "base/text_builder.h"
#include "expr/expr.h"
#include "model/model.h"
#include "model/system.h"

#include <string.h>

static const char *start_name(const Model *model, const ModelStart *start)
{
    switch (start->of) {
    case START_COORD: return model->coords.at[start->target].name;
    case START_VELOCITY: return expr_name(model->pool, model->coords.at[start->target].v);
    case START_SPEED: return model->speeds.at[start->target].name;
    }
    return "";
}

// A parameter that no other one gives, and that no event sets.
static bool is_free(const Model *model, size_t param)
{
    const ModelParam *own = &model->params.at[param];
    return !own->is_state && expr_is_number(model->pool, own->value);
}

// Whether noise is drawn anew where the parameter changes: its intervals or its seed depend on it.
static bool is_in_noise(const Model *model, size_t param)
{
    bool found = false;
    for (size_t i = 0; i < model->noises.count && !found; i++) {
        Expr given[] = {model->noises.at[i].step, model->noises.at[i].seed};
        // A parameter may be given by those before it.
        for (size_t k = model->params.count; k-- > param + 1;)
            for (size_t j = 0; j < 2; j++)
                given[j] = expr_replace(model->pool, given[j], &model->params.at[k].symbol,
                                        &model->params.at[k].value, 1);
        Expr symbol = model->params.at[param].symbol;
        found =
            expr_holds(model->pool, given[0], symbol) || expr_holds(model->pool, given[1], symbol);
    }
    return found;
}

static bool find(const Model *model, Str name, SensitivityOf *out)
{
    for (size_t i = 0; i < model->params.count; i++)
        if (is_free(model, i) && str_is(name, model->params.at[i].name)) {
            *out = (SensitivityOf){.index = i, .name = model->params.at[i].name};
            return true;
        }
    for (size_t i = 0; i < model->starts.count; i++)
        if (!model->starts.at[i].approx && str_is(name, start_name(model, &model->starts.at[i]))) {
            *out = (SensitivityOf){.is_start = true, .index = i};
            return true;
        }
    return false;
}

static Status unknown(const Model *model, Str name, Diag *diag)
{
    Text known = {0};
    for (size_t i = 0; i < model->params.count; i++) {
        const ModelParam *own = &model->params.at[i];
        if (str_is(name, own->name)) {
            text_clear(&known);
            return diag_error(diag, place_hint(HINT_SENSITIVITY),
                              own->is_state ? "'%s' is a state: events set it, and it is no "
                                              "parameter"
                                            : "'%s' follows from other parameters; name one of "
                                              "these",
                              own->name);
        }
        if (is_free(model, i))
            text_addf(&known, "%s%s", known.length > 0 ? ", " : "", own->name);
    }
    for (size_t i = 0; i < model->starts.count; i++)
        if (!model->starts.at[i].approx)
            text_addf(&known, "%s%s", known.length > 0 ? ", " : "",
                      start_name(model, &model->starts.at[i]));
    Status status = known.length > 0
                        ? diag_error(diag, place_hint(HINT_SENSITIVITY),
                                     "'%.*s' is no parameter and no start value; there are %s",
                                     (int)name.length, name.at, known.at)
                        : diag_error(diag, place_hint(HINT_SENSITIVITY),
                                     "'%.*s' is no parameter and no start value; there are none",
                                     (int)name.length, name.at);
    text_clear(&known);
    return status;
}

static Status take(const Model *model, Str name, Arena *arena, Diag *diag, SensitivityNames *out)
{
    SensitivityOf own;
    if (!find(model, name, &own))
        return unknown(model, name, diag);
    if (!own.is_start && is_in_noise(model, own.index))
        return diag_error(diag, place_hint(HINT_SENSITIVITY),
                          "the interval or the seed of noise depends on '%s': derivatives by it "
                          "are not known to this version",
                          own.name);
    for (size_t i = 0; i < out->count; i++)
        if (out->at[i].is_start == own.is_start && out->at[i].index == own.index)
            return diag_error(diag, place_hint(HINT_SENSITIVITY), "'%.*s' is named twice",
                              (int)name.length, name.at);
    if (own.is_start) {
        Text text = {0};
        text_addf(&text, "%.*s(0)", (int)name.length, name.at);
        own.name = arena_copy_text(arena, text.at, text.length);
        text_clear(&text);
    }
    out->at[out->count++] = own;
    return STATUS_OK;
}

Status sensitivity_read(const Model *model, const char *names, Arena *arena, Diag *diag,
                        SensitivityNames *out)
{
    size_t most = 1;
    for (const char *at = names; *at; at++)
        most += *at == ',';
    *out = (SensitivityNames){.at = arena_array(arena, SensitivityOf, most)};
    for (const char *at = names;; at++) {
        at += strspn(at, " ");
        size_t length = strcspn(at, ",");
        Str name = {at, length};
        while (name.length > 0 && name.at[name.length - 1] == ' ')
            name.length--;
        TRY(take(model, name, arena, diag, out));
        at += length;
        if (!*at)
            return STATUS_OK;
    }
}
