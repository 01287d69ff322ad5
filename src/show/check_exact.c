// check_exact.c: for which parameters displacements are exact differentials (Appell (19)–(20),
// Quanjel 5 III), and the differentials.
#include "show/check_impl.h"
#include "show/equation_text_impl.h"
#include "show/json_impl.h"
#include "show/layout_impl.h"
#include "show/pretty_impl.h"
#include "show/show_impl.h"

static const char *coordinate_name(const Show *show, const InquiryExact *exact, size_t parameter)
{
    return show->motion->model->coords.at[exact->coordinates.at[parameter]].name;
}

static bool can_be_read(const Show *show, const InquiryDifferential *found)
{
    return show_is_readable(show, found->U[0]) && show_is_readable(show, found->U[1]) &&
           show_is_readable(show, found->U[2]);
}

static void differential_text(const Show *show, const InquiryDifferential *found, Text *out)
{
    Text line = {0};
    text_addf(&line, "    %s: U = (", found->of ? found->of : "a mass");
    for (size_t axis = 0; axis < 3; axis++) {
        text_add(&line, axis ? ", " : "");
        show_readable(show, found->U[axis], &line);
    }
    text_add(&line, ")");
    show_line(line.at, out);
    text_clear(&line);
}

void show_exact_text(const Show *show, const InquiryExact *exact, Text *out)
{
    if (!exact)
        return;
    text_add(out, "exact differentials, δx = δU + terms without the parameter, of every point "
                  "(Appell (19)–(20), Quanjel 5 III)\n");
    for (size_t alpha = 0; alpha < exact->answers.count; alpha++) {
        Answer answer = exact->answers.at[alpha];
        text_add(out, "  ");
        show_name(coordinate_name(show, exact, alpha), out);
        text_add(out, answer == ANSWER_YES ? ": yes, so that its plain Lagrange equation is right\n"
                      : answer == ANSWER_NO ? ": no\n"
                                            : ": not decided\n");
        for (size_t i = 0; i < exact->differentials.count; i++)
            if (exact->differentials.at[i].parameter == alpha &&
                can_be_read(show, &exact->differentials.at[i]))
                differential_text(show, &exact->differentials.at[i], out);
    }
}

void show_exact_json(const Show *show, const InquiryExact *exact, Text *out)
{
    text_add(out, "\"exact_differentials\":");
    if (!exact) {
        text_add(out, "null,");
        return;
    }
    for (size_t alpha = 0; alpha < exact->answers.count; alpha++) {
        bool first = true;
        text_add(out, alpha ? ",{\"parameter\":" : "[{\"parameter\":");
        show_json_string(coordinate_name(show, exact, alpha), out);
        text_addf(out, ",\"exact\":%s,\"U\":[", show_json_answer(exact->answers.at[alpha]));
        for (size_t i = 0; i < exact->differentials.count; i++) {
            const InquiryDifferential *found = &exact->differentials.at[i];
            if (found->parameter != alpha)
                continue;
            text_add(out, first ? "{\"of\":" : ",{\"of\":");
            show_json_string_or_null(found->of, out);
            for (size_t axis = 0; axis < 3; axis++) {
                text_add(out, axis ? "," : ",\"value\":[");
                show_json_expr(show, found->U[axis], out);
            }
            text_add(out, "]}");
            first = false;
        }
        text_add(out, "]}");
    }
    text_add(out, exact->answers.count > 0 ? "]," : "[],");
}
