// column_names.c: names of columns as a person writes them.
#include "show/column_names_impl.h"
#include "show/show.h"

bool show_is_column(const char *column, Str name)
{
    Text shown = {0};
    show_name(column, &shown);
    bool same = str_is(name, column) || str_is(name, shown.at);
    text_clear(&shown);
    return same;
}

Str show_next_column(Str *names)
{
    size_t length = 0, depth = 0;
    for (; length < names->length && (depth || names->at[length] != ','); length++) {
        depth += names->at[length] == '[';
        depth -= names->at[length] == ']' && depth > 0;
    }
    Str name = {names->at, length};
    size_t passed = length < names->length ? length + 1 : length;
    *names = (Str){names->at + passed, names->length - passed};
    while (name.length && name.at[0] == ' ')
        name.at++, name.length--;
    while (name.length && name.at[name.length - 1] == ' ')
        name.length--;
    return name;
}
