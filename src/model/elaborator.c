// elaborator.c: the elaborator's storage, its messages, and the looks at a statement.
#include "model/model_impl.h"

void elaborator_init(Elaborator *e, ExprPool *pool, Arena *arena, Diag *diag)
{
    *e = (Elaborator){.pool = pool, .arena = arena, .diag = diag, .seed = -1};
    e->name_map = name_map_new();
    e->lost = name_map_new();
    e->labels = name_map_new();
    e->lost_labels = name_map_new();
    e->output_labels = name_map_new();
    e->reactions = reactions_new();
    array_push(&e->names, (NameEntry){0});
    array_reserve(&e->terms, 1); // so that no terms have an address
}

void elaborator_clear(Elaborator *e)
{
    name_map_free(e->name_map);
    name_map_free(e->lost);
    name_map_free(e->labels);
    name_map_free(e->lost_labels);
    name_map_free(e->output_labels);
    name_map_free(e->columns);
    array_clear(&e->names);
    array_clear(&e->bodies);
    reactions_free(e->reactions);
    array_clear(&e->lambda_uses);
    array_clear(&e->rated);
    if (e->switched)
        whole_clear(e->switched);
    array_clear(&e->values);
    array_clear(&e->arguments);
    array_clear(&e->loops);
    array_clear(&e->terms);
    array_clear(&e->exprs);
    array_clear(&e->text_places);
    array_clear(&e->nesting.depths);
    for (size_t i = 0; i < e->setting_trees.count; i++)
        syntax_free(e->setting_trees.at[i]);
    array_clear(&e->setting_trees);
    array_clear(&e->settings);
    array_clear(&e->failed);
    for (int i = 0; i < ENERGY_COUNT; i++)
        array_clear(&e->energy_terms[i]);
}

bool elaborate_fail(Elaborator *e, Place place, const char *format, ...)
{
    // The last one allowed says that there are more.
    if (++e->errors > MODEL_MOST_ERRORS)
        return false;
    Text text = {0};
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    if (e->scope) {
        Shown part = text_shown((Str){e->scope->prefix.at, e->scope->prefix.length - 1});
        text_addf(&text, " (in the part '%s', made in %s)", part.at,
                  elaborate_line(e->scope->use).at);
    }
    diag_add(e->diag, DIAG_ERROR, place, "%s%s", text.at ? text.at : "",
             e->errors == MODEL_MOST_ERRORS ? " (further errors are not shown)" : "");
    text_clear(&text);
    return false;
}

bool elaborate_fail_unknown(Elaborator *e, Place place, const char *kind, Str name,
                            const Str *candidates, size_t count)
{
    ptrdiff_t nearest = str_nearest(name, candidates, count);
    Shown shown = text_shown(name);
    if (nearest < 0)
        return elaborate_fail(e, place, "unknown %s '%s'", kind, shown.at);
    return elaborate_fail(e, place, "unknown %s '%s'; did you mean '%s'?", kind, shown.at,
                          text_shown(candidates[nearest]).at);
}

bool elaborate_step(Elaborator *e, size_t steps, Place place)
{
    bool within = e->steps <= MODEL_MOST_STEPS;
    size_t turns = e->model ? vectors_turns(e->model->vectors) : 0;
    // What stands in the text once is as long as the text.
    e->steps +=
        (e->loops.count > 0 || e->scope ? steps : 0) + MODEL_TURN_STEPS * (turns - e->turns);
    e->turns = turns;
    if (within && e->steps > MODEL_MOST_STEPS)
        elaborate_fail(
            e, place,
            "the loops and parts of this model take more than %d steps; make a range smaller",
            MODEL_MOST_STEPS);
    return e->steps <= MODEL_MOST_STEPS;
}

Shown elaborate_line(Place place)
{
    uint32_t line, column;
    Text text = {0};
    place_position(place, &line, &column);
    text_addf(&text, "line %u", line);
    if (elaborate_is_included(place))
        text_addf(&text, " of %s", place_origin(place).source->name);
    Shown shown = text_shown((Str){text.at, text.length});
    text_clear(&text);
    return shown;
}

bool elaborate_is_included(Place place)
{
    const Source *source = place.source;
    return source && source->file_count > 0 && place_origin(place).source != source->files[0];
}

const Part *statement_part(const Elaborator *e, PartRole role)
{
    for (uint32_t i = 0; i < e->statement->count; i++) {
        const Part *part = &e->syntax->parts.at[e->statement->first + i];
        if (part->role == role)
            return part;
    }
    return NULL;
}
