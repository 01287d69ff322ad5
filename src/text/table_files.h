// table_files.h: the files that the tables of a text are read from.
#ifndef ZWANG_TEXT_TABLE_FILES_H
#define ZWANG_TEXT_TABLE_FILES_H

#include "text/include.h"

// Adds to a text the content of every file that it, or one of its settings, reads a table from, as
// comments behind its last line: so the text is whole wherever it is kept. Paths begin at the
// folder of the file that they stand in, those of settings at that of the model. The new text owns
// the old one, also behind an error.
BASE_MUST_USE Status text_add_tables(Source **source, Source *const *settings, size_t count,
                                     const TextFiles *files, Diag *diag);

// The content of such a file in a text, line after line: false where it is not there. *at is the
// offset of its first line, and then of the next; `line` is without the marks of the comment.
bool text_find_table(const Source *source, Str file, size_t *at);
bool text_table_line(const Source *source, size_t *at, Str *line);

#endif
