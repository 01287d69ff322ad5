// Every form by zwang, and the proofs that they are one.
//
//     forms_zwang chain angles|places N…   a table as Markdown: what each form takes on the planar
//                                          chain of N links, in times what Appell's takes; by its
//                                          angles, or by the places of its masses with N conditions
//     forms_zwang check FILE [REPEATS]     prints the least processor seconds of reading a model,
//                                          deriving all its forms and proving that they agree, how
//                                          many forms that are, and how many proofs are exact
//
// Nothing is kept from one repetition to the next: each reads the text again, in a pool of its own.
#include "inquiry/inquiry.h"
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5 }; // of a derivation; the least time counts

// ---- The chain.

static void write_chain(Text *text, bool places, int n)
{
    text_addf(text, "const N = %d\nparam g = 9.81\nparam m[N] = 1, l[N] = 1\n", n);
    text_add(text, places ? "coord x[N], y[N]\npoint P[0] = origin\n"
                            "for i in 1..N {\n    point P[i] = [x[i], y[i], 0]\n"
                            "    initial x[i] = 0, y[i] = -i\n"
                          : "coord q[N]\npoint P[0] = origin\n"
                            "for i in 1..N {\n"
                            "    point P[i] = P[i-1] + [l[i]*sin(q[i]), -l[i]*cos(q[i]), 0]\n");
    text_add(text, "    mass m[i] at P[i]\n");
    if (places)
        text_add(text, "}\nconstraint first: x[1]^2 + y[1]^2 = l[1]^2\nfor i in 2..N {\n"
                       "    constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l[i]^2\n");
    text_add(text, "}\ngravity [0, -g, 0]\n");
}

typedef struct {
    Diag *diag;
    Model *model;
    Motion *motion;
} Opened;

static Opened open_source(const Source *source)
{
    Opened opened = {.diag = diag_new()};
    if (model_read(source, NULL, 0, opened.diag, &opened.model) != STATUS_OK ||
        motion_new(opened.model, opened.diag, &opened.motion) != STATUS_OK) {
        Text said = {0};
        diag_render(opened.diag, DIAG_WARNING, &said);
        fprintf(stderr, "%s", said.at ? said.at : "the model was refused\n");
        exit(1);
    }
    return opened;
}

static void close_opened(Opened *opened)
{
    motion_free(opened->motion);
    model_free(opened->model);
    diag_free(opened->diag);
}

// Seconds that one form takes on a fresh motion; negative where it does not apply.
static double form_seconds(const Source *source, FormKind kind)
{
    double best = -1;
    for (int i = 0; i < REPEATS; i++) {
        Opened opened = open_source(source);
        double start = measure_now();
        Form *form = form_derive_in(kind, opened.motion, FORM_TO_RUN);
        double seconds = measure_now() - start;
        bool applies = !form->reason;
        form_free(form);
        close_opened(&opened);
        if (!applies)
            return -1;
        best = best < 0 || seconds < best ? seconds : best;
    }
    return best;
}

static void chain_row(bool places, int n)
{
    Text text = {0};
    write_chain(&text, places, n);
    Source *source = source_new("chain.zw", text.at, text.length);
    double appell = form_seconds(source, FORM_APPELL);
    printf("| %d | %.2g |", n, appell);
    for (int kind = 0; kind < FORM_COUNT; kind++) {
        double seconds = form_seconds(source, (FormKind)kind);
        if (seconds < 0)
            printf(" - |");
        else
            printf(" %.2g |", seconds / appell);
    }
    printf("\n");
    fflush(stdout);
    source_free(source);
    text_clear(&text);
}

static void chain_table(bool places, int count, char **words)
{
    printf("| links | appell s |");
    for (int kind = 0; kind < FORM_COUNT; kind++)
        printf(" %s |", form_name((FormKind)kind));
    printf("\n| ---: | ---: |");
    for (int kind = 0; kind < FORM_COUNT; kind++)
        printf(" ---: |");
    printf("\n");
    for (int i = 0; i < count; i++)
        chain_row(places, atoi(words[i]));
}

// ---- All forms with their proofs.

typedef struct {
    double seconds;
    size_t forms, exact, modular;
} Proved;

static Proved prove_all(const Source *source)
{
    Proved proved = {0};
    double start = measure_now();
    Opened opened = open_source(source);
    Form *forms[FORM_COUNT];
    for (int kind = 0; kind < FORM_COUNT; kind++)
        forms[kind] = form_derive_in((FormKind)kind, opened.motion, FORM_TO_RUN);
    Verdict verdicts[FORM_COUNT] = {{0}};
    inquiry_all_agree(opened.motion, forms, FORM_COUNT, NULL, NULL, verdicts);
    for (int kind = 0; kind < FORM_COUNT; kind++) {
        proved.forms += !forms[kind]->reason;
        proved.exact += verdicts[kind].answer == ANSWER_YES && verdicts[kind].proof == PROOF_EXACT;
        proved.modular +=
            verdicts[kind].answer == ANSWER_YES && verdicts[kind].proof == PROOF_MODULAR;
        verdict_clear(&verdicts[kind]);
        form_free(forms[kind]);
    }
    close_opened(&opened);
    proved.seconds = measure_now() - start;
    return proved;
}

static void read_file(const char *path, Text *text)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "forms_zwang: %s cannot be opened\n", path);
        exit(1);
    }
    for (int c = getc(file); c != EOF; c = getc(file))
        text_add_char(text, (char)c);
    fclose(file);
}

static void check_file(const char *path, int repeats)
{
    Text text = {0};
    read_file(path, &text);
    Source *source = source_new(path, text.at, text.length);
    Proved best = prove_all(source);
    double total = best.seconds;
    for (int i = 1; i < repeats && total < 20; i++) {
        Proved next = prove_all(source);
        total += next.seconds;
        best = next.seconds < best.seconds ? next : best;
    }
    printf("%.6g %zu %zu %zu\n", best.seconds, best.forms, best.exact, best.modular);
    source_free(source);
    text_clear(&text);
}

int main(int count, char **words)
{
    if (count >= 4 && strcmp(words[1], "chain") == 0)
        chain_table(strcmp(words[2], "places") == 0, count - 3, words + 3);
    else if (count >= 3 && strcmp(words[1], "check") == 0)
        check_file(words[2], count > 3 ? atoi(words[3]) : 1);
    else
        return fprintf(stderr, "forms_zwang chain angles|places N… | check FILE [REPEATS]\n"), 2;
    return 0;
}
