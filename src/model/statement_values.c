// statement_values.c: the values of parts of statements: numbers, vectors, points, frames, bodies.
#include "model/model_impl.h"

bool elaborate_scalar(Elaborator *e, const Part *part, Level level, const char *what, Expr *out)
{
    Place place = syntax_part_place(e->syntax, part);
    Value value = value_as_scalar(e, elaborate_span(e, part->span), place, what);
    *out = value.scalar;
    return value.kind != VALUE_BAD && value_within(e, &value, level, place, what);
}

bool elaborate_vector(Elaborator *e, const Part *part, Level level, const char *what, Vector *out)
{
    Place place = syntax_part_place(e->syntax, part);
    Value value = value_as_vector(e, elaborate_span(e, part->span), place, what);
    *out = value.vector;
    return value.kind != VALUE_BAD && value_within(e, &value, level, place, what);
}

bool elaborate_measure(Elaborator *e, const Part *part, Level level, const char *what, Dim want,
                       Expr *out, Dim *dim)
{
    Place place = syntax_part_place(e->syntax, part);
    Value value = value_as_scalar(e, elaborate_span(e, part->span), place, what);
    *out = value.scalar;
    if (dim)
        *dim = value.dim;
    return value.kind != VALUE_BAD && value_within(e, &value, level, place, what) &&
           dim_check(e, value.dim, want, place, what);
}

bool elaborate_datum(Elaborator *e, const Part *part, const char *what, Dim want, Expr *out)
{
    Dim dim;
    if (!elaborate_measure(e, part, LEVEL_PARAM, what, dim_any(), out, &dim))
        return false;
    Place place = syntax_part_place(e->syntax, part);
    bool bare = e->units && !dim.any && dim_is_pure(dim) && !dim_is_pure(want) &&
                is_bare_number(e, part->span);
    return bare ? dim_fail_bare(e, what, want, place) : dim_check(e, dim, want, place, what);
}

bool elaborate_directed(Elaborator *e, const Part *part, Level level, const char *what, Dim want,
                        Vector *out, Dim *dim)
{
    Place place = syntax_part_place(e->syntax, part);
    Value value = value_as_vector(e, elaborate_span(e, part->span), place, what);
    *out = value.vector;
    if (dim)
        *dim = value.dim;
    return value.kind != VALUE_BAD && value_within(e, &value, level, place, what) &&
           dim_check(e, value.dim, want, place, what);
}

bool elaborate_point(Elaborator *e, const Part *part, Level level, const char *what, Vector *out)
{
    Place place = syntax_part_place(e->syntax, part);
    Value value = value_as_point(e, elaborate_span(e, part->span), place, what);
    *out = value.vector;
    return value.kind != VALUE_BAD && value_within(e, &value, level, place, what);
}

bool elaborate_frame(Elaborator *e, const Part *part, const char *what, Value *out)
{
    *out = elaborate_span(e, part->span);
    if (out->kind != VALUE_FRAME)
        *out = value_fail_kind(e, out, syntax_part_place(e->syntax, part), what, VALUE_FRAME);
    return out->kind == VALUE_FRAME;
}

bool elaborate_body(Elaborator *e, const Part *part, const char *what, size_t *out)
{
    Value value = elaborate_span(e, part->span);
    *out = value.body;
    if (value.kind != VALUE_BODY)
        value = value_fail_kind(e, &value, syntax_part_place(e->syntax, part), what, VALUE_BODY);
    return value.kind == VALUE_BODY;
}
