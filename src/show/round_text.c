// round_text.c: fewer digits in a report.
#include "show/show.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// How long the number is that begins here; 0 where none does, or a whole one.
static size_t number_length(const char *at, size_t *digits)
{
    size_t length = strspn(at, "0123456789"), whole = length;
    *digits = 0;
    if (whole == 0 || at[length] != '.')
        return 0;
    length += 1 + strspn(at + length + 1, "0123456789");
    bool leads = true;
    for (size_t i = 0; i < length; i++) {
        leads = leads && (at[i] == '0' || at[i] == '.');
        *digits += !leads && at[i] != '.';
    }
    size_t sign = length + (at[length] == 'e' ? strspn(at + length + 1, "+-") + 1 : 0);
    size_t power = sign > length ? strspn(at + sign, "0123456789") : 0;
    return power > 0 ? sign + power : length;
}

// What belongs to a name or to a number before.
static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || (unsigned char)c >= 0x80;
}

void show_round(Text *report, size_t digits)
{
    assert(report && digits > 0);
    Text out = {0};
    const char *at = report->at ? report->at : "";
    while (*at) {
        size_t has, length = number_length(at, &has);
        if (length == 0 || has <= digits) {
            do
                text_add_char(&out, *at++);
            while (is_word(at[-1]) && is_word(*at));
            continue;
        }
        size_t before = out.length;
        text_addf(&out, "%.*g", (int)digits, strtod(at, NULL));
        at += length;
        while (*at == ' ' && at[1] == ' ' && out.length - before < length)
            text_add_char(&out, ' ');
    }
    text_add(&out, "");
    text_clear(report);
    *report = out;
}
