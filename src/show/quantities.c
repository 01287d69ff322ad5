// quantities.c: the named quantities of a report: collected, chosen, used and defined.
//
// Before a report is written its lines are collected, with their expressions as short as they will
// be. Lines that are too long to be read are then written with names (naming.c), which are
// numbered in the order of the report: whoever writes a section asks behind it which definitions
// have to stand before it. A report that is to be written out in full has no names, but there is
// an end to what is written.
#include "show/quantities_impl.h"

#include "show/show_impl.h"

#include <assert.h>
#include <ctype.h>

enum {
    SHORT = 200,   // nodes of a line that goes without names where another line needs them
    DEEPEST = 4000 // nodes inside each other that are written out
};
static const double MOST_WRITTEN = 4e6; // nodes of a report that is written out

struct Quantities {
    bool needed;           // some line is too long
    ARRAY(ShowPart) parts; // of lines that are not short; written out in full: of all
    ARRAY(uint32_t) image; // by the index of a part; 0 where it has none
    ShowQuantities made;
    ARRAY(uint32_t) number; // by the index of a quantity's symbol; 0 for all others
    size_t used, defined;   // so many of them
    double unwritten;
};

Quantities *quantities_new(void)
{
    return base_alloc(sizeof(Quantities));
}

void quantities_free(Quantities *quantities)
{
    array_clear(&quantities->parts);
    array_clear(&quantities->image);
    array_clear(&quantities->made);
    array_clear(&quantities->number);
    base_free(quantities);
}

// ---- Collecting.

void quantities_begin(const Show *show)
{
    assert(show->quantities->parts.count == 0 && show->quantities->made.count == 0);
    show->quantities->unwritten = 0;
    show->quantities->needed = false;
}

bool quantities_collect(const Show *show, Expr e, size_t line, size_t in_line)
{
    Quantities *quantities = show->quantities;
    const ReportState *report = show->report;
    if (report->pass == PASS_PARTS) {
        quantities->needed = quantities->needed || line >= report->readable;
        if (show->expand || line >= SHORT)
            array_push(&quantities->parts, ((ShowPart){.e = e, .in_line = in_line}));
    }
    return report->pass != PASS_WRITE;
}

// ---- A letter that the model leaves free.

// Whether `name` is the letter (with an index), or the letter with a number behind it.
static bool is_numbered(Str name, char letter, bool alone)
{
    if (name.length == 0 || name.at[0] != letter)
        return false;
    if (name.length > 1 && name.at[1] == '[')
        return alone;
    for (size_t i = 1; i < name.length; i++)
        if (!isdigit((unsigned char)name.at[i]))
            return false;
    return alone || name.length > 1;
}

static bool is_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

// Whether the text of the model has the letter with a number as a word; what is only an
// abbreviation there is no symbol.
static bool is_in_text(const Source *source, char letter)
{
    size_t end;
    for (size_t i = 0; i < source->length; i = end + 1) {
        for (end = i; end < source->length && is_in_word(source->at[end]);)
            end++;
        if (is_numbered((Str){source->at + i, end - i}, letter, false))
            return true;
    }
    return false;
}

static bool is_free(const Model *model, char letter)
{
    for (size_t i = 0; i < model->coords.count; i++) {
        const Source *source = model->coords.at[i].place.source;
        if (is_numbered(str_of(model->coords.at[i].name), letter, true) ||
            (i == 0 && source && is_in_text(source, letter)))
            return false;
    }
    for (size_t i = 0; i < model->params.count; i++)
        if (is_numbered(str_of(model->params.at[i].name), letter, true))
            return false;
    for (size_t i = 0; i < model->speeds.count; i++)
        if (is_numbered(str_of(model->speeds.at[i].name), letter, true))
            return false;
    return true;
}

static const char *free_letter(const Model *model)
{
    // Without those that the forms use for their functions.
    static const char *const letters[] = {"z", "w", "y", "h", "k", "n", "j", "c", "d", "f", "l",
                                          "s", "r", "b", "a", "u", "v", "e", "W", "H", "N", "Y"};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (is_free(model, letters[i][0]))
            return letters[i];
    return "quantity_";
}

// ---- Choosing.

// How much the parts are when they are written out: in nodes, and inside each other.
static double written_size(const Show *show, size_t *deepest)
{
    const Quantities *quantities = show->quantities;
    size_t count = quantities->parts.count, places = expr_pool_size(show->pool) + 1;
    Expr *roots = base_alloc((count + 1) * sizeof *roots);
    double *sizes = base_alloc(places * sizeof *sizes), total = 0;
    size_t *depths = base_alloc(places * sizeof *depths);
    *deepest = 0;
    for (size_t i = 0; i < count; i++)
        roots[i] = quantities->parts.at[i].e;
    ExprList nodes = expr_nodes(show->pool, roots, count);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        sizes[node.at] = 1;
        for (size_t k = 0; k < expr_arg_count(show->pool, node); k++) {
            Expr arg = expr_arg(show->pool, node, k);
            sizes[node.at] += sizes[arg.at];
            if (depths[arg.at] + 1 > depths[node.at])
                depths[node.at] = depths[arg.at] + 1;
        }
        *deepest = depths[node.at] > *deepest ? depths[node.at] : *deepest;
    }
    for (size_t i = 0; i < count; i++)
        total += sizes[roots[i].at];
    expr_list_free(&nodes);
    base_free(roots);
    base_free(sizes);
    base_free(depths);
    return total;
}

static void keep_images(Quantities *quantities)
{
    for (size_t i = 0; i < quantities->parts.count; i++) {
        const ShowPart *part = &quantities->parts.at[i];
        while (quantities->image.count <= part->e.at)
            array_push(&quantities->image, 0);
        quantities->image.at[part->e.at] = part->image.at;
    }
    for (size_t i = 0; i < quantities->made.count; i++) {
        Expr symbol = quantities->made.at[i].symbol;
        while (quantities->number.count <= symbol.at)
            array_push(&quantities->number, 0);
        quantities->number.at[symbol.at] = (uint32_t)i + 1;
    }
}

bool quantities_choose(const Show *show)
{
    assert(show->report->pass == PASS_WRITE);
    Quantities *quantities = show->quantities;
    size_t count = quantities->parts.count, deepest;
    if (show->expand) {
        double size = written_size(show, &deepest);
        if (size > MOST_WRITTEN || deepest > DEEPEST)
            quantities->unwritten = size;
        for (size_t i = 0; i < count; i++)
            quantities->parts.at[i].image = quantities->parts.at[i].e;
    } else if (quantities->needed) {
        show_name_parts(show, quantities->parts.at, count, free_letter(show->motion->model),
                        &show->report->effort, &quantities->made);
    }
    keep_images(quantities);
    return quantities->unwritten == 0;
}

void quantities_clear(const Show *show)
{
    Quantities *quantities = show->quantities;
    quantities->parts.count = quantities->image.count = quantities->number.count = 0;
    quantities->made.count = quantities->used = quantities->defined = 0;
}

double show_unwritten(const Show *show)
{
    return show->quantities->unwritten;
}

// ---- Using and defining.

static size_t number_of(const Quantities *quantities, Expr symbol)
{
    return symbol.at < quantities->number.count ? quantities->number.at[symbol.at] : 0;
}

bool quantities_has(const Show *show, Expr symbol)
{
    return number_of(show->quantities, symbol) > 0;
}

bool quantities_replace(const Show *show, Expr *e)
{
    assert(!expr_is_none(*e));
    Quantities *quantities = show->quantities;
    uint32_t image = e->at < quantities->image.count ? quantities->image.at[e->at] : 0;
    if (!image)
        return false;
    *e = (Expr){image};
    ExprList symbols = expr_symbols(show->pool, e, 1);
    for (size_t i = 0; i < symbols.count; i++) {
        size_t number = number_of(quantities, (Expr){symbols.at[i]});
        quantities->used = number > quantities->used ? number : quantities->used;
    }
    expr_list_free(&symbols);
    return true;
}

bool quantities_next(const Show *show, ShowQuantity *quantity)
{
    Quantities *quantities = show->quantities;
    if (quantities->defined == quantities->used)
        return false;
    *quantity = quantities->made.at[quantities->defined++];
    return true;
}

size_t quantities_count(const Show *show)
{
    return show->quantities->made.count;
}

ShowQuantity quantities_at(const Show *show, size_t index)
{
    assert(index < show->quantities->made.count);
    return show->quantities->made.at[index];
}
