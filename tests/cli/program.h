// program.h: running the program as a user does, in a folder of the test's own.
#ifndef ZWANG_TESTS_CLI_PROGRAM_H
#define ZWANG_TESTS_CLI_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"

#define BLADE "'" ZWANG_SOURCE_DIR "/models/blade.zw'"
#define BEAD  "'" ZWANG_SOURCE_DIR "/models/bead.zw'"

enum { MOST_OUTPUT = 1 << 20 };

typedef struct {
    int code;
    char out[MOST_OUTPUT], err[MOST_OUTPUT];
} Outcome;

static Outcome outcome; // of the last command; too large for a stack

static inline void slurp(const char *name, char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, MOST_OUTPUT - 1, file);
    text[length] = '\0';
    fclose(file);
    remove(path);
}

// Another program is there; said where it is not: `make test` lists what was skipped.
static inline bool is_found(const char *program)
{
    char command[256];
    snprintf(command, sizeof command, "command -v %s >/dev/null", program);
    bool found = system(command) == 0;
    if (!found)
        print_message("skipped: no %s\n", program);
    return found;
}

// Runs `zwang WORDS` in the test's own folder.
static inline void zwang(const char *words)
{
    char command[4096];
    snprintf(command, sizeof command, "cd %s && '%s' %s >.out 2>.err </dev/null", folder,
             ZWANG_PROGRAM, words);
    int status = system(command);
    assert_true(WIFEXITED(status));
    outcome.code = WEXITSTATUS(status);
    slurp(".out", outcome.out);
    slurp(".err", outcome.err);
}

static inline void put_file(const char *name, const char *text, size_t length)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    fclose(file);
}

static inline void put_model(const char *text)
{
    put_file("m.zw", text, strlen(text));
}

static inline bool exists(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

// Wrong input: exit 2, nothing on stdout, and the message holds `text`.
static inline void assert_wrong(const char *words, const char *text)
{
    zwang(words);
    if (outcome.code != 2 || !strstr(outcome.err, text))
        print_message("zwang %s: exit %d, said: %s\n", words, outcome.code, outcome.err);
    assert_int_equal(outcome.code, 2);
    assert_non_null(strstr(outcome.err, text));
    assert_string_equal(outcome.out, "");
}

static inline void assert_wrong_model(const char *model, const char *command, const char *text)
{
    char words[128];
    put_model(model);
    snprintf(words, sizeof words, "%s m.zw", command);
    assert_wrong(words, text);
}

static inline void assert_begins(const char *text, const char *beginning)
{
    assert_int_equal(strncmp(text, beginning, strlen(beginning)), 0);
}

static inline void assert_good(const char *words)
{
    zwang(words);
    if (outcome.code != 0)
        print_message("zwang %s: exit %d, said: %s\n", words, outcome.code, outcome.err);
    assert_int_equal(outcome.code, 0);
}

static inline void assert_good_model(const char *model, const char *command)
{
    char words[128];
    put_model(model);
    snprintf(words, sizeof words, "%s m.zw", command);
    assert_good(words);
}

// The last command has written a document; where pdflatex is there it compiles it.
static inline void compile_document(void)
{
    if (!is_found("pdflatex"))
        return;
    put_file("d.tex", outcome.out, strlen(outcome.out));
    char command[512];
    snprintf(
        command, sizeof command,
        "cd %s && for n in 1 2 3; do pdflatex -halt-on-error -interaction=nonstopmode d.tex >d.txt "
        "|| exit 1; done",
        folder); // contents and references settle
    assert_int_equal(system(command), 0);
    slurp("d.txt", outcome.out);
    assert_null(strstr(outcome.out, "Warning"));
    assert_null(strstr(outcome.out, "Overfull"));
}

#endif
