// result.c: results and their accessors.
#include "api/call_impl.h"
#include "api/result_impl.h"
#include "base/strings.h"
#include "show/show.h"

#include <string.h>

zw_result *result_new(void)
{
    Arena *arena;
    zw_result *result = api_new_in_arena(sizeof *result, &arena);
    result->arena = arena;
    return result;
}

void zw_result_free(zw_result *result)
{
    if (!result)
        return;
    kept_rows_free(result->rows);
    arena_free(result->arena);
}

void result_put_text(zw_result *result, Text *text, zw_format as, size_t width)
{
    if (as == ZW_TEXT && width > 0) {
        Text broken = {0};
        show_for_terminal(text->at ? text->at : "", &(ShowTerminal){.width = width}, &broken);
        text_clear(text);
        *text = broken;
    }
    result->text = arena_copy_text(result->arena, text->at ? text->at : "", text->length);
    text_clear(text);
}

const char *result_copy(zw_result *result, const char *text)
{
    return text ? arena_copy_text(result->arena, text, strlen(text)) : NULL;
}

const double *result_numbers(zw_result *result, const double *from, size_t count)
{
    double *copy = arena_array(result->arena, double, count + 1);
    if (from && count)
        memcpy(copy, from, count * sizeof *copy);
    return from ? copy : NULL;
}

const char *zw_result_text(const zw_result *result)
{
    return result && result->text ? result->text : "";
}

const char *zw_result_audit(const zw_result *result)
{
    return result ? result->audit : NULL;
}

const zw_check_answers *zw_result_check(const zw_result *result)
{
    return result ? result->check : NULL;
}

const zw_equation_answers *zw_result_equations(const zw_result *result)
{
    return result ? result->equations : NULL;
}

const zw_instant *zw_result_instant(const zw_result *result)
{
    return result ? result->instant : NULL;
}

const zw_steady_motion *zw_result_stability(const zw_result *result)
{
    return result ? result->stability : NULL;
}

const zw_sweep_facts *zw_result_sweep(const zw_result *result)
{
    return result ? result->sweep : NULL;
}

const zw_run_facts *zw_result_run(const zw_result *result)
{
    return result ? result->run : NULL;
}

// ---- Columns and events of a run.

const char *zw_result_column_name(const zw_result *result, size_t column)
{
    bool there = result && result->run && column < result->run->columns;
    return there ? result->columns[column] : NULL;
}

const double *zw_result_column(const zw_result *result, size_t column)
{
    bool there = result && result->run && result->rows && column < result->run->columns;
    return there ? kept_rows_column(result->rows, column) : NULL;
}

size_t zw_result_find_column(const zw_result *result, const char *name)
{
    size_t count = result && result->run ? result->run->columns : 0, i = 0;
    while (i < count && (!name || strcmp(result->columns[i], name) != 0))
        i++;
    return i;
}

const zw_event *zw_result_event(const zw_result *result, size_t index)
{
    return result && result->rows ? kept_rows_event(result->rows, index) : NULL;
}
