// equation_reader.c: equations that are asked about, and numbers of options, read in the names of a
// finished model.
#include "model/model_equation.h"
#include "model/model_impl.h"
#include "program/program.h"

#include <assert.h>
#include <math.h>

// A side, and whether it holds something that moves.
static bool read_side(Elaborator *e, PartRole role, bool *moves, Expr *side)
{
    const Part *part = statement_part(e, role);
    Value value = value_as_scalar(e, elaborate_span(e, part->span),
                                  syntax_part_place(e->syntax, part), "a side of an equation");
    *moves = *moves || value.order >= 0 || value.multiplier;
    *side = value.scalar;
    return value.kind != VALUE_BAD;
}

static bool read_sides(Elaborator *e, ModelEquation *equation)
{
    bool moves = false;
    size_t errors = diag_count(e->diag, DIAG_ERROR);
    bool left = read_side(e, PART_LEFT, &moves, &equation->left);
    bool right = read_side(e, PART_EQUAL, &moves, &equation->right);
    check_lambdas(e);
    if (!left || !right || diag_count(e->diag, DIAG_ERROR) > errors)
        return false;
    return moves ||
           elaborate_fail(e, equation->place, "this equation holds no quantity of the motion");
}

bool model_read_equation(Model *model, const Source *source, uint32_t *at,
                         const ModelQuantities *quantities, Diag *diag, ModelEquation *equation)
{
    Elaborator *e = model->names;
    Syntax *syntax = syntax_read_equation(source, at, diag);
    *equation = (ModelEquation){.place = place_at(source, 0, 0)};
    if (!syntax)
        return false;
    e->syntax = syntax;
    e->diag = diag;
    e->quantities = quantities;
    e->units = false; // the quantities of forms have dimensions of their own
    e->errors = e->steps = e->lambda_uses.count = 0;
    if (syntax->statements.count > 0) {
        e->statement = &syntax->statements.at[0];
        equation->place = syntax_statement_place(syntax, e->statement);
        const Part *label = statement_part(e, PART_LABEL), *left = statement_part(e, PART_LEFT);
        if (label)
            equation->label = arena_copy_text(e->arena, source->at + label->start, label->length);
        if (label && left)
            equation->place = place_between(syntax_part_place(syntax, left), equation->place);
        if (e->statement->broken || !read_sides(e, equation))
            equation->left = equation->right = (Expr){0};
    }
    e->syntax = NULL;
    e->statement = NULL;
    e->quantities = NULL;
    e->units = model->units;
    syntax_free(syntax);
    return true;
}

// ---- Numbers.

static Status value_of(const Model *model, Expr value, Diag *diag, double *number)
{
    size_t count = model->params.count;
    Expr *symbols = base_alloc((count + 1) * sizeof *symbols);
    double *params = base_alloc((count + 1) * sizeof *params);
    for (size_t i = 0; i < count; i++)
        symbols[i] = model->params.at[i].symbol;
    Status status = model_param_values(model, diag, params);
    Program *program =
        status == STATUS_OK ? program_new(model->pool, symbols, count, &value, 1, NULL) : NULL;
    if (program) {
        double *work = base_alloc((program_registers(program) + 1) * sizeof *work);
        program_run_real(program, params, number, work);
        base_free(work);
    }
    program_free(program);
    base_free(params);
    base_free(symbols);
    return status;
}

// The name that a value is for, and its primes; NULL where there is none.
static const NameEntry *find_name(const Elaborator *e, Str name, uint32_t *primes)
{
    *primes = 0;
    while (name.length > 0 && name.at[name.length - 1] == '\'') {
        name.length--;
        (*primes)++;
    }
    return name.length > 0 ? names_find_full(e, name) : NULL;
}

static Status read_number(Model *model, const Source *source, Str name, Diag *diag, double *number)
{
    assert(model->names && number);
    Elaborator *e = model->names;
    Syntax *syntax = syntax_read_datum(source, diag);
    size_t errors = diag_count(diag, DIAG_ERROR);
    Expr value = {0};
    e->syntax = syntax;
    e->diag = diag;
    e->errors = e->steps = 0;
    *number = NAN;
    bool whole = syntax->statements.count > 0 && !syntax->statements.at[0].broken;
    if (whole) {
        e->statement = &syntax->statements.at[0];
        const Part *part = &syntax->parts.at[0];
        Dim dim;
        uint32_t primes;
        const NameEntry *entry = find_name(e, name, &primes);
        whole =
            elaborate_measure(e, part, LEVEL_PARAM, "this number", dim_any(), &value, &dim) &&
            (entry || dim_fits(dim, dim_pure()) || dim_fits(dim, dim_of(0, 0, 1)) ||
             elaborate_fail(e, syntax_part_place(syntax, part),
                            "a time or a pure number is expected here")) &&
            (!entry || entry->family ||
             dim_check_value(e, entry, primes, part->span, dim, syntax_part_place(syntax, part)));
    }
    e->syntax = NULL;
    e->statement = NULL;
    syntax_free(syntax);
    if (!whole || diag_count(diag, DIAG_ERROR) > errors)
        return STATUS_WRONG;
    TRY(value_of(model, value, diag, number));
    return isfinite(*number) ? STATUS_OK
                             : diag_error(diag, place_at(source, 0, (uint32_t)source->length),
                                          "this is not a real number");
}

Status model_read_number(Model *model, const Source *source, Diag *diag, double *number)
{
    return read_number(model, source, (Str){"", 0}, diag, number);
}

Status model_read_value(Model *model, const Source *source, Str name, Diag *diag, double *number)
{
    return read_number(model, source, name, diag, number);
}
