// matrices.c: columns and matrices of scalars. An array's bare name is one; a vector is the column
// of its components along world's axes where it meets one.
#include "model/model_impl.h"

#include <assert.h>
#include <string.h>

// ---- Making.

// `rows` × `columns` numbers, which are 0 at first.
static Value matrix_new(Elaborator *e, uint32_t rows, uint32_t columns)
{
    Value matrix = {.kind = VALUE_MATRIX, .order = -1, .rows = rows, .columns = columns};
    size_t count = (size_t)rows * columns;
    matrix.entries = arena_array(e->arena, Expr, count + 1);
    matrix.dims = arena_array(e->arena, Dim, count + 1);
    for (size_t i = 0; i < count; i++) {
        matrix.entries[i] = expr_int(e->pool, 0);
        matrix.dims[i] = dim_any();
    }
    return matrix;
}

// The size of an array of scalars; false where it is something else.
static bool family_size(const Elaborator *e, const Value *a, uint32_t *rows, uint32_t *columns)
{
    const NameEntry *family = &e->names.at[a->family];
    size_t count = element_count(e, family);
    for (uint32_t i = family->first; i; i = e->names.at[i].next)
        if (e->names.at[i].value.kind != VALUE_SCALAR)
            return false;
    uint32_t rank = family->rank;
    *rows = (uint32_t)count;
    *columns = 1;
    if (rank == 2 && family->low) {
        *rows = (uint32_t)(family->high[0] - family->low[0] + 1);
        *columns = (uint32_t)(family->high[1] - family->low[1] + 1);
    }
    return family->first && rank <= 2 && (size_t)*rows * *columns == count &&
           (rank < 2 || family->low);
}

bool value_is_matrix(const Elaborator *e, const Value *a)
{
    uint32_t rows, columns;
    return a->kind == VALUE_MATRIX ||
           (a->kind == VALUE_FAMILY && family_size(e, a, &rows, &columns));
}

bool value_to_matrix(Elaborator *e, Value *a)
{
    uint32_t rows, columns;
    if (a->kind == VALUE_VECTOR) {
        Vec parts = vector_in(e->model->vectors, a->vector, (Frame){0});
        Value column = matrix_new(e, 3, 1);
        column.entries[0] = parts.x;
        column.entries[1] = parts.y;
        column.entries[2] = parts.z;
        for (int i = 0; i < 3; i++)
            column.dims[i] = a->dim;
        value_mark(&column, a);
        *a = column;
    } else if (a->kind == VALUE_FAMILY && family_size(e, a, &rows, &columns)) {
        Value matrix = matrix_new(e, rows, columns);
        size_t at = 0;
        for (uint32_t i = e->names.at[a->family].first; i; i = e->names.at[i].next) {
            Value element = elaborate_entry(e, &e->names.at[i]);
            matrix.dims[at] = element.dim;
            matrix.entries[at++] = element.scalar;
            value_mark(&matrix, &element);
        }
        *a = matrix;
    }
    return a->kind == VALUE_MATRIX;
}

bool value_take_only(Elaborator *e, Value *a)
{
    Value matrix = *a;
    if (!value_is_matrix(e, a) || !value_to_matrix(e, &matrix) || matrix.rows * matrix.columns != 1)
        return false;
    *a = value_scalar(matrix.entries[0]);
    a->dim = matrix.dims[0];
    value_mark(a, &matrix);
    return true;
}

const char *value_size_name(Elaborator *e, const Value *a)
{
    Text text = {0};
    uint32_t rows = a->rows, columns = a->columns;
    if (a->kind == VALUE_FAMILY)
        family_size(e, a, &rows, &columns);
    if (a->kind == VALUE_VECTOR)
        text_add(&text, "a vector");
    else if (columns == 1)
        text_addf(&text, "a column of %u", rows);
    else
        text_addf(&text, "a %u×%u matrix", rows, columns);
    const char *name = arena_copy_text(e->arena, text.at, text.length);
    text_clear(&text);
    return name;
}

static Value fail_value(Elaborator *e, Place place, const char *message)
{
    elaborate_fail(e, place, "%s", message);
    return value_bad();
}

// ---- Brackets.

// The entries of one row.
static size_t row_length(const Value *row)
{
    return row->kind == VALUE_VECTOR ? 3 : (size_t)row->rows * row->columns;
}

// A row was read as a column, or as a vector along the axes that a bare bracket has.
static void put_row(Elaborator *e, const Value *row, Expr *out, Dim *dims)
{
    if (row->kind == VALUE_VECTOR) {
        Vec parts = vector_in(e->model->vectors, row->vector, e->brackets);
        out[0] = parts.x;
        out[1] = parts.y;
        out[2] = parts.z;
        for (int i = 0; i < 3; i++)
            dims[i] = row->dim;
    } else {
        memcpy(out, row->entries, row_length(row) * sizeof *out);
        memcpy(dims, row->dims, row_length(row) * sizeof *dims);
    }
}

static Value matrix_of_rows(Elaborator *e, const Value *rows, uint32_t count, const Place *places)
{
    uint32_t columns = (uint32_t)row_length(&rows[0]);
    for (uint32_t i = 0; i < count; i++) {
        bool row = rows[i].kind == VALUE_VECTOR ||
                   (rows[i].kind == VALUE_MATRIX && (rows[i].rows == 1 || rows[i].columns == 1));
        if (rows[i].kind == VALUE_BAD)
            return value_bad();
        if (!row) {
            elaborate_fail(e, places[i], "row %u of a matrix is a bracket, not %s", i + 1,
                           value_kind_name(rows[i].kind));
            return value_bad();
        }
        if (row_length(&rows[i]) != columns) {
            elaborate_fail(e, places[i], "row %u has %zu entries and row 1 has %u", i + 1,
                           row_length(&rows[i]), columns);
            return value_bad();
        }
    }
    Value matrix = matrix_new(e, count, columns);
    for (uint32_t i = 0; i < count; i++) {
        size_t at = (size_t)i * columns;
        put_row(e, &rows[i], matrix.entries + at, matrix.dims + at);
        value_mark(&matrix, &rows[i]);
    }
    return matrix;
}

Value value_bracket(Elaborator *e, const Value *values, uint32_t count, const Place *places)
{
    assert(count > 0);
    if (values[0].kind == VALUE_VECTOR || values[0].kind == VALUE_MATRIX)
        return matrix_of_rows(e, values, count, places);
    Value column = matrix_new(e, count, 1);
    bool bad = false;
    for (uint32_t i = 0; i < count; i++) {
        Value one = value_as_scalar(e, values[i], places[i], "a component");
        bad = bad || one.kind == VALUE_BAD;
        column.entries[i] = one.scalar;
        column.dims[i] = one.dim;
        value_mark(&column, &one);
    }
    return bad ? value_bad() : column;
}

// ---- Arithmetic.

// Each entry by a number.
static Value scaled(Elaborator *e, const Value *a, Expr by, Dim dim)
{
    Value matrix = matrix_new(e, a->rows, a->columns);
    for (size_t i = 0; i < (size_t)a->rows * a->columns; i++)
        matrix.entries[i] = expr_mul(e->pool, by, a->entries[i]);
    for (size_t i = 0; i < (size_t)a->rows * a->columns; i++)
        matrix.dims[i] = dim_times(dim, a->dims[i]);
    value_mark(&matrix, a);
    return matrix;
}

Value matrix_negative(Elaborator *e, Value a)
{
    value_to_matrix(e, &a);
    return scaled(e, &a, expr_int(e->pool, -1), dim_pure());
}

// The sum of products of entries, `count` of them, which are steps of one in `a` and of `step` in
// `b` apart; its terms have one dimension.
static bool sum_products(Elaborator *e, const Value *a, size_t a_at, const Value *b, size_t b_at,
                         size_t step, size_t count, Place place, Expr *sum, Dim *dim)
{
    Expr *exprs = base_alloc((count + 1) * sizeof *exprs);
    Value *terms = base_alloc((count + 1) * sizeof *terms);
    Place *places = base_alloc((count + 1) * sizeof *places);
    for (size_t k = 0; k < count; k++) {
        size_t x = a_at + k, y = b_at + k * step;
        exprs[k] = expr_mul(e->pool, a->entries[x], b->entries[y]);
        terms[k] = value_scalar(exprs[k]);
        terms[k].dim = dim_times(a->dims[x], b->dims[y]);
        places[k] = place;
    }
    *sum = expr_sum(e->pool, exprs, count);
    bool good = dim_sum(e, terms, count, places, "a term of this product is %s and %s %s", dim);
    base_free(exprs);
    base_free(terms);
    base_free(places);
    return good;
}

static Value times(Elaborator *e, const Value *a, const Value *b, Place place)
{
    if (a->columns != b->rows) {
        bool columns = a->columns == 1 && b->columns == 1 && a->rows == b->rows;
        elaborate_fail(e, place, "%s cannot be multiplied by %s%s", value_size_name(e, a),
                       value_size_name(e, b), columns ? "; their product is dot(u, v)" : "");
        return value_bad();
    }
    if (!elaborate_step(e, (uint32_t)(a->rows * b->columns), place))
        return value_bad();
    Value product = matrix_new(e, a->rows, b->columns);
    for (uint32_t i = 0; i < a->rows; i++)
        for (uint32_t j = 0; j < b->columns; j++) {
            size_t at = (size_t)i * b->columns + j;
            if (!sum_products(e, a, (size_t)i * a->columns, b, j, b->columns, a->columns, place,
                              &product.entries[at], &product.dims[at]))
                return value_bad();
        }
    value_mark(&product, a);
    value_mark(&product, b);
    return product;
}

Value matrix_product(Elaborator *e, const Value *factors, const bool *inverse, size_t count,
                     const Place *places)
{
    Value product = {.kind = VALUE_BAD, .order = -1}, scalar = value_scalar(expr_int(e->pool, 1));
    Place from = places[0];
    for (size_t i = 0; i < count; i++) {
        Value factor = factors[i];
        bool divides = inverse && inverse[i];
        if (divides)
            value_take_only(e, &factor);
        if (factor.kind == VALUE_SCALAR) {
            Expr x = factor.scalar;
            if (divides && expr_is_zero(e->pool, x))
                return fail_value(e, places[i], "this divides by zero");
            scalar.scalar =
                expr_mul(e->pool, scalar.scalar, divides ? expr_pow_int(e->pool, x, -1) : x);
            scalar.dim =
                divides ? dim_over(scalar.dim, factor.dim) : dim_times(scalar.dim, factor.dim);
            value_mark(&scalar, &factor);
        } else if (divides) {
            return fail_value(e, places[i], "this divides by a matrix; a matrix has no quotient");
        } else if (!value_to_matrix(e, &factor)) {
            return value_fail_kind(e, &factor, places[i], "a factor beside a matrix", VALUE_MATRIX);
        } else if (product.kind == VALUE_BAD) {
            product = factor;
            from = places[i];
        } else {
            product = times(e, &product, &factor, place_between(from, places[i]));
            if (product.kind == VALUE_BAD)
                return product;
        }
    }
    // Of divisors of one entry a number is left.
    if (product.kind == VALUE_BAD)
        return scalar;
    product = scaled(e, &product, scalar.scalar, scalar.dim);
    value_mark(&product, &scalar);
    return product;
}

Value matrix_sum(Elaborator *e, const Value *terms, const bool *inverse, size_t count,
                 const Place *places)
{
    Value sum = {.kind = VALUE_BAD, .order = -1};
    for (size_t i = 0; i < count; i++) {
        Value term = terms[i];
        if (term.kind == VALUE_SCALAR && expr_is_zero(e->pool, term.scalar))
            continue;
        if (!value_to_matrix(e, &term)) {
            size_t other = i;
            while (other < count && !value_is_matrix(e, &terms[other]))
                other++;
            elaborate_fail(e, places[i], "%s and %s cannot be added", value_kind_name(term.kind),
                           other < count ? value_size_name(e, &terms[other])
                                         : value_size_name(e, &sum));
            return value_bad();
        }
        if (inverse && inverse[i])
            term = scaled(e, &term, expr_int(e->pool, -1), dim_pure());
        if (sum.kind == VALUE_BAD) {
            sum = scaled(e, &term, expr_int(e->pool, 1), dim_pure());
            continue;
        }
        if (sum.rows != term.rows || sum.columns != term.columns) {
            elaborate_fail(e, places[i], "%s and %s cannot be added", value_size_name(e, &sum),
                           value_size_name(e, &term));
            return value_bad();
        }
        for (size_t k = 0; k < (size_t)sum.rows * sum.columns; k++) {
            Value pair[2] = {{.dim = sum.dims[k]}, {.dim = term.dims[k]}};
            sum.entries[k] = expr_add(e->pool, sum.entries[k], term.entries[k]);
            if (!dim_sum(e, pair, 2, (Place[]){places[0], places[i]},
                         "an entry of this term is %s and %s %s", &sum.dims[k]))
                return value_bad();
        }
        value_mark(&sum, &term);
    }
    return sum;
}

Value matrix_prime(Elaborator *e, Value a, uint32_t primes, Place place)
{
    value_to_matrix(e, &a);
    Value matrix = matrix_new(e, a.rows, a.columns);
    for (size_t i = 0; i < (size_t)a.rows * a.columns; i++) {
        Value entry = value_scalar(a.entries[i]);
        entry.dim = a.dims[i];
        value_mark(&entry, &a);
        entry = value_prime(e, entry, primes, place);
        if (entry.kind == VALUE_BAD)
            return entry;
        matrix.entries[i] = entry.scalar;
        matrix.dims[i] = entry.dim;
        value_mark(&matrix, &entry);
    }
    return matrix;
}

// ---- Functions.

Value call_transpose(Elaborator *e, Value *args, const Place *places, Place place)
{
    (void)place;
    Value a = args[0];
    if (a.kind == VALUE_BAD)
        return a;
    if (!value_to_matrix(e, &a))
        return value_fail_kind(e, &a, places[0], "the argument of transpose", VALUE_MATRIX);
    Value matrix = matrix_new(e, a.columns, a.rows);
    for (uint32_t i = 0; i < a.rows; i++)
        for (uint32_t j = 0; j < a.columns; j++) {
            size_t to = (size_t)j * a.rows + i, from = (size_t)i * a.columns + j;
            matrix.entries[to] = a.entries[from];
            matrix.dims[to] = a.dims[from];
        }
    value_mark(&matrix, &a);
    return matrix;
}

Value matrix_dot(Elaborator *e, const Value *args, const Place *places)
{
    Value a = args[0], b = args[1];
    for (int i = 0; i < 2; i++) {
        Value *one = i == 0 ? &a : &b;
        if (!value_to_matrix(e, one))
            return value_fail_kind(e, one, places[i], "an argument of dot", VALUE_MATRIX);
        if (one->columns != 1 && one->rows != 1)
            return fail_value(e, places[i], "dot takes two columns of one size, not a matrix");
    }
    size_t count = (size_t)a.rows * a.columns;
    if (count != (size_t)b.rows * b.columns) {
        elaborate_fail(e, place_between(places[0], places[1]),
                       "dot takes two columns of one size, not of %zu and %zu", count,
                       (size_t)b.rows * b.columns);
        return value_bad();
    }
    Value value = value_scalar((Expr){0});
    if (!sum_products(e, &a, 0, &b, 0, 1, count, place_between(places[0], places[1]), &value.scalar,
                      &value.dim))
        return value_bad();
    value_mark(&value, &a);
    value_mark(&value, &b);
    return value;
}
