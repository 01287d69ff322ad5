// fit_report.c: what a fit has found, as text and as JSON.
#include "api/fit_impl.h"
#include "base/decimal.h"
#include "show/show.h"

#include <math.h>
#include <string.h>

static double deviation(const FitFindings *found, size_t i)
{
    size_t count = found->data->count;
    return found->covariance ? sqrt(found->covariance[i * count + i]) : NAN;
}

// So many decimals that the half width of the interval has two digits.
static void add_rounded(Text *out, double value, double half, bool own)
{
    int decimals = isfinite(half) && half > 0 ? (int)fmin(fmax(1 - floor(log10(half)), 0), 15) : -1;
    double size = fabs(value);
    bool plain = decimals >= 0 && size < 1e9 && half < 1e9;
    if (plain)
        text_addf(out, "%.*f", decimals, own ? half : value);
    else
        text_addf(out, "%.6g", own ? half : value);
}

void fit_add_text(const FitFindings *found, Text *out)
{
    const FitData *data = found->data;
    size_t width = 0, count = data->count;
    text_addf(out, "fit: %zu parameter%s, %zu values, %s in %zu step%s, residual %.3g (rms)\n",
              count, count == 1 ? "" : "s", data->values.count,
              found->converged ? "converged" : "not converged", found->steps,
              found->steps == 1 ? "" : "s", found->rms);
    for (size_t i = 0; i < count; i++)
        width = strlen(data->unknowns[i].column) > width ? strlen(data->unknowns[i].column) : width;
    for (size_t i = 0; i < count; i++) {
        const FitUnknown *own = &data->unknowns[i];
        double half = found->quantile * deviation(found, i) / own->scale;
        text_addf(out, "  %-*s  ", (int)width + 3, own->column);
        add_rounded(out, own->value / own->scale, half, false);
        if (isfinite(half)) {
            text_add(out, "   ± ");
            add_rounded(out, own->value / own->scale, half, true);
        }
        text_addf(out, "%s%s", *own->unit ? " " : "", own->unit);
        if (isfinite(half))
            text_add(out, i == 0 ? "   (95 %)" : "         ");
        text_add(out, "   from ");
        fit_add_value(own, own->start, out);
        text_add(out, "\n");
    }
    if (!found->undetermined)
        return;
    text_add(out, "not determined by these data: ");
    for (const char *at = found->undetermined; *at; at++)
        text_add(out, *at == '\n' ? "; " : (char[]){*at, '\0'});
    text_add(out, "\n");
}

static void add_number(const char *key, double value, Text *out)
{
    text_addf(out, "%s", key);
    if (isfinite(value))
        text_add_decimal(out, value);
    else
        text_add(out, "null");
}

void fit_add_json(const FitFindings *found, Text *out)
{
    const FitData *data = found->data;
    size_t count = data->count;
    text_add(out, "{\"parameters\":[");
    for (size_t i = 0; i < count; i++) {
        const FitUnknown *own = &data->unknowns[i];
        double half = found->quantile * deviation(found, i);
        text_add(out, i ? ",{\"name\":" : "{\"name\":");
        show_json_string(own->column, out);
        add_number(",\"value\":", own->value, out);
        add_number(",\"sd\":", deviation(found, i), out);
        add_number(",\"low\":", own->value - half, out);
        add_number(",\"high\":", own->value + half, out);
        add_number(",\"start\":", own->start, out);
        if (*own->si) {
            text_add(out, ",\"unit\":");
            show_json_string(own->si, out);
        }
        text_add(out, "}");
    }
    add_number("],\"rms\":", found->rms, out);
    text_addf(out, ",\"values\":%zu,\"iterations\":%zu,\"converged\":%s,\"rank\":%zu",
              data->values.count, found->steps, found->converged ? "true" : "false", found->rank);
    text_add(out, ",\"undetermined\":[");
    for (const char *at = found->undetermined; at && *at;) {
        Text line = {0};
        text_add_str(&line, (Str){at, strcspn(at, "\n")});
        text_add(out, at == found->undetermined ? "" : ",");
        show_json_string(line.at, out);
        at += line.length + (at[line.length] == '\n');
        text_clear(&line);
    }
    text_add(out, "],\"covariance\":");
    if (!found->covariance)
        text_add(out, "null");
    for (size_t i = 0; i < count * count && found->covariance; i++) {
        text_add(out, i == 0 ? "[[" : i % count == 0 ? "],[" : ",");
        add_number("", found->covariance[i], out);
    }
    text_add(out, found->covariance ? "]]}\n" : "}\n");
}
