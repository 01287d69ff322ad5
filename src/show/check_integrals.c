// check_integrals.c: first integrals, for the eye and as JSON.
#include "show/check_impl.h"

#include "show/equation_text_impl.h"
#include "show/json_impl.h"
#include "show/layout_impl.h"
#include "show/pretty_impl.h"
#include "show/show_impl.h"

#include <assert.h>

static void integral_text(const Show *show, const InquiryIntegral *integral, Text *out)
{
    Text line = {0};
    text_add(&line, "  ");
    show_spelled(show->motion->model, integral->name, &line);
    text_add(&line, ": ");
    show_readable(show, integral->reduced, &line);
    if (integral->special)
        text_add(&line, ", for the values that the parameters have");
    if (!expr_is_none(integral->jumps)) {
        text_add(&line, ", from one switch of ");
        show_readable(show, integral->jumps, &line);
        text_add(&line, " to the next");
    }
    show_line(line.at, out);
    text_clear(&line);
}

static void measure_text(const Show *show, const ShowCheck *check, Text *out)
{
    if (expr_is_none(check->measure)) {
        text_addf(out, "invariant measure: %s%s\n", check->no_measure ? "not sought: " : "",
                  check->no_measure ? check->no_measure
                                    : "none was found whose density is a function of the "
                                      "coordinates");
        return;
    }
    Text line = {0};
    text_add(&line, "invariant measure: N·dq·du with N = ");
    show_readable(show, check->measure, &line);
    show_line(line.at, out);
    text_clear(&line);
}

void show_integrals_text(const Show *show, const ShowCheck *check, Text *out)
{
    assert(check->integrals);
    const InquiryIntegrals *integrals = check->integrals;
    size_t count = integrals->at.count;
    if (integrals->not_sought)
        text_addf(out, "first integrals: not sought: %s\n", integrals->not_sought);
    else
        text_addf(out, "%s\n",
                  count ? "constant along every motion:" : "no first integral was found");
    for (size_t i = 0; i < count; i++)
        integral_text(show, &integrals->at.at[i], out);
    if (integrals->no_energy) {
        text_addf(out, "%s: ",
                  integrals->energy_open ? "whether the energy is constant is not known"
                                         : "the energy is not constant");
        show_spelled(show->motion->model, integrals->no_energy, out);
        text_add(out, "\n");
    }
    if (integrals->degree + integrals->degree_by_speeds > 0)
        text_addf(out,
                  "integrals linear in the velocities were sought with displacements of degree %zu "
                  "by coordinates and %zu by speeds, in coordinates, sines and cosines\n",
                  integrals->degree, integrals->degree_by_speeds);
    measure_text(show, check, out);
    show_turning_text(show, check->turning, out);
}

void show_integrals_json(const Show *show, const ShowCheck *check, Text *out)
{
    const InquiryIntegrals *integrals = check->integrals;
    if (!integrals) {
        text_add(out, ",\"integrals\":null");
        return;
    }
    text_add(out, ",\"integrals\":[");
    for (size_t i = 0; i < integrals->at.count; i++) {
        const InquiryIntegral *integral = &integrals->at.at[i];
        text_add(out, i ? ",{\"name\":" : "{\"name\":");
        show_json_string(integral->name, out);
        text_addf(out, ",\"kind\":\"%s\",\"value\":", integral->kind);
        if (expr_is_printable(show->pool, integral->reduced))
            show_json_expr(show, integral->reduced, out);
        else
            text_add(out, "null");
        text_addf(out, ",\"proof\":\"%s\",\"for_these_values\":%s,\"jumps_with\":",
                  show_proof_name(integral->proof), integral->special ? "true" : "false");
        if (expr_is_none(integral->jumps))
            text_add(out, "null}");
        else
            show_json_expr(show, integral->jumps, out);
        text_add(out, expr_is_none(integral->jumps) ? "" : "}");
    }
    text_add(out, "]");
    show_turning_json(show, check->turning, out);
    text_add(out, ",\"measure\":");
    if (expr_is_none(check->measure))
        text_add(out, "null");
    else
        show_json_expr(show, check->measure, out);
    if (integrals->not_sought) {
        text_add(out, ",\"integrals_not_sought\":");
        show_json_string(integrals->not_sought, out);
    }
    if (integrals->no_energy) {
        text_add(out, integrals->energy_open ? ",\"energy_unknown\":" : ",\"energy_changes\":");
        show_json_string(integrals->no_energy, out);
    }
}
