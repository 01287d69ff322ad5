// The bicycle linearized by zwang, from its non-linear equations to the state matrix.
//
//     linearize_zwang FILE AT [REPEATS]
//
// FILE is a model, AT what is held at the steady motion ("phi=0,delta=0"); its coordinates are to
// start where the finite conditions hold. Prints the least processor seconds, over so many times,
// of: reading the model and deriving its motion (not part of what is compared); finding what the
// equations need, the steady motion, the linearized equations, eigenvalues and modes; the same
// matrices as formulas; and the state matrices with their eigenvalues at 1000 values of the
// parameter v from 0 to 10, critical values included. Then the peak memory in MiB.
#include "inquiry/inquiry.h"
#include "measure.h"

#include <string.h>
#include <sys/resource.h>

enum { PARTS = 4 };

static void read_file(const char *path, Text *text)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "linearize_zwang: %s cannot be opened\n", path);
        exit(1);
    }
    for (int c = getc(file); c != EOF; c = getc(file))
        text_add_char(text, (char)c);
    fclose(file);
}

static void refuse(const Diag *diag)
{
    Text said = {0};
    diag_render(diag, DIAG_WARNING, &said);
    fprintf(stderr, "%s", said.at ? said.at : "the model was refused\n");
    exit(1);
}

// One time; the seconds of each part.
static void measure(const Source *source, const Source *held, double *seconds)
{
    Diag *diag = diag_new();
    Model *model;
    Motion *motion;
    double times[PARTS + 1] = {measure_now()};
    if (model_read(source, &(ModelSetting){held}, 1, diag, &model) != STATUS_OK ||
        motion_new(model, diag, &motion) != STATUS_OK)
        refuse(diag);
    times[1] = measure_now();
    double *position = base_alloc((motion->n + 1) * sizeof *position);
    InquirySmallOptions options = {.held = held, .position = position, .vary = "v"};
    InquirySmall *small;
    InquiryLinear linear;
    InquiryCurve curve;
    if (inquiry_small_new(motion, &options, diag, &small) != STATUS_OK ||
        inquiry_small_find(small, diag, &linear) != STATUS_OK)
        refuse(diag);
    times[2] = measure_now();
    if (!inquiry_small_form(small).known)
        refuse(diag);
    times[3] = measure_now();
    if (inquiry_small_follow(small, 0, 10, 1000, diag, &curve) != STATUS_OK)
        refuse(diag);
    times[4] = measure_now();
    for (size_t i = 0; i < PARTS; i++) {
        double part = times[i + 1] - times[i];
        seconds[i] = part < seconds[i] ? part : seconds[i];
    }
    inquiry_small_free(small);
    motion_free(motion);
    model_free(model);
    diag_free(diag);
    base_free(position);
}

int main(int count, char **words)
{
    if (count < 3) {
        fprintf(stderr, "linearize_zwang FILE AT [REPEATS]\n");
        return 2;
    }
    int repeats = count > 3 ? atoi(words[3]) : 1;
    Text text = {0};
    read_file(words[1], &text);
    Source *source = source_new(words[1], text.at, text.length);
    Source *held = source_new("--at", words[2], strlen(words[2]));
    double seconds[PARTS] = {1e9, 1e9, 1e9, 1e9};
    for (int i = 0; i < repeats; i++)
        measure(source, held, seconds);
    source_free(source);
    source_free(held);
    text_clear(&text);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    for (size_t i = 0; i < PARTS; i++)
        printf("%.6g ", seconds[i]);
    printf("%.6g\n", (double)usage.ru_maxrss / 1024);
    return 0;
}
