// test_export.c: exported code gives the same motion as the program: for every model of the
// gallery, at random states, in C without a warning, in Python, and in Octave where it is there.
#include "support.h"

#include "export/export.h"
#include "run/run_impl.h"

#include <dirent.h>
#include <dlfcn.h>
#include <flint/flint.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { STATES = 4, MOST_MODELS = 256 };

static char folder[] = "/tmp/zwang-export-XXXXXX";

typedef struct {
    const char *name;
    Source *source;
    Diag *diag;
    Model *model;
    Motion *motion;
    Run *run;
    Random random;
    double *q, *u;             // a state
    double *rate, *a, *lambda; // what the program finds there
    double *start_q, *start_u, energy;
} Case;

// ---- A model.

static double *room_for(size_t count)
{
    return base_alloc((count + 1) * sizeof(double));
}

static Text read_model(const char *name)
{
    Text path = {0}, text = {0};
    text_addf(&path, "%s/models/%s", ZWANG_SOURCE_DIR, name);
    FILE *file = fopen(path.at, "rb");
    assert_non_null(file);
    char block[4096];
    for (size_t length; (length = fread(block, 1, sizeof block, file)) > 0;)
        text_add_str(&text, (Str){block, length});
    fclose(file);
    text_clear(&path);
    // Compilers take their time for 81 coordinates; 24 are enough.
    char *size = strstr(text.at, "const N = 3");
    if (strcmp(name, "field.zw") == 0) {
        assert_non_null(size);
        size[strlen("const N = ")] = '2';
    }
    return text;
}

// False where it cannot be run, which is not the matter here.
static bool case_init(Case *kase, const char *name, Text *text)
{
    *kase = (Case){.name = name, .diag = diag_new(), .random = random_seed(7)};
    kase->source = source_new(name, text->at, text->length);
    RunOptions options = run_options();
    if (model_read(kase->source, NULL, 0, kase->diag, &kase->model) != STATUS_OK ||
        motion_new(kase->model, kase->diag, &kase->motion) != STATUS_OK ||
        run_new(kase->motion, &options, kase->diag, &kase->run) != STATUS_OK)
        return false;
    size_t n = kase->motion->n;
    kase->q = room_for(n);
    kase->u = room_for(n);
    kase->rate = room_for(2 * n);
    kase->a = room_for(n);
    kase->lambda = room_for(kase->motion->in_force_count);
    kase->start_q = room_for(n);
    kase->start_u = room_for(n);
    memcpy(kase->start_q, run_start(kase->run).q, n * sizeof(double));
    numbers_speeds(&kase->run->numbers, kase->start_u);
    return true;
}

static void case_clear(Case *kase)
{
    run_free(kase->run);
    motion_free(kase->motion);
    model_free(kase->model);
    source_free(kase->source);
    diag_free(kase->diag);
    double *rooms[] = {kase->q,      kase->u,       kase->rate,   kase->a,
                       kase->lambda, kase->start_q, kase->start_u};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        base_free(rooms[i]);
}

static double around(Random *random, double value, double size)
{
    return value + size * (2 * ldexp((double)(random_next(random) >> 11), -53) - 1);
}

// A state near the start, and what least constraint finds there by numbers.
static bool draw_state(Case *kase, double t)
{
    Numbers *numbers = &kase->run->numbers;
    size_t n = numbers->n, k = numbers->k;
    for (size_t i = 0; i < n; i++)
        kase->q[i] = around(&kase->random, kase->start_q[i], 0.05);
    for (size_t i = 0; i < k; i++)
        kase->u[i] = around(&kase->random, kase->start_u[i], 0.1);
    if (numbers_velocities(numbers, t, kase->q, kase->u) != NUMBERS_FOUND ||
        numbers_accelerations(numbers, kase->rate + n) != NUMBERS_FOUND)
        return false;
    memcpy(kase->rate, numbers->v, n * sizeof(double));
    memcpy(kase->a, numbers->a, n * sizeof(double));
    // Once more for how reactions are shared out.
    if (numbers_accelerations(numbers, NULL) != NUMBERS_FOUND)
        return false;
    const Motion *motion = kase->motion;
    for (size_t i = 0; i < motion->in_force_count; i++)
        kase->lambda[i] =
            numbers->multipliers[motion->in_force[i] - motion->model->constraints.at];
    return true;
}

// ---- What is compared.

static void assert_near(const Case *kase, const char *what, const double *found,
                        const double *expected, size_t count, double within)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(expected[i]));
    for (size_t i = 0; i < count; i++)
        if (!(fabs(found[i] - expected[i]) <= within * most + 1e-15)) {
            print_message("%s: %s %zu is %.17g, not %.17g (of %.3g)\n", kase->name, what, i,
                          found[i], expected[i], most);
            fail();
        }
}

// The Jacobian against differences of the derivative, whose error is of the fourth order.
typedef void Derivative(const void *p, double t, const double *y, double *rate);
static void check_jacobian(const Case *kase, Derivative *derivative, const void *p, double t,
                           const double *y, const double *jacobian, size_t size)
{
    double *at = room_for(size), *rates = room_for(4 * size);
    double largest = 0;
    for (size_t i = 0; i < size * size; i++)
        largest = fmax(largest, fabs(jacobian[i]));
    for (size_t j = 0; j < size; j++) {
        double h = 1e-4;
        static const double steps[] = {-2, -1, 1, 2};
        for (size_t s = 0; s < 4; s++) {
            memcpy(at, y, size * sizeof *at);
            at[j] += steps[s] * h;
            derivative(p, t, at, rates + s * size);
        }
        for (size_t i = 0; i < size; i++) {
            double slope =
                (rates[i] - 8 * rates[size + i] + 8 * rates[2 * size + i] - rates[3 * size + i]) /
                (12 * h);
            if (!(fabs(slope - jacobian[i * size + j]) <= 1e-6 * (1 + largest))) {
                print_message("%s: the Jacobian's [%zu][%zu] is %.17g, not about %.17g\n",
                              kase->name, i, j, jacobian[i * size + j], slope);
                fail();
            }
        }
    }
    base_free(at);
    base_free(rates);
}

// Appends to values.txt what C has found, for the other languages: which model; the sizes; t, y,
// the rate, the Jacobian by rows, accelerations, multipliers.
static void keep_values(size_t number, double t, const double *y, const double *rate,
                        const double *jacobian, const double *acceleration, size_t size, size_t n,
                        size_t m)
{
    char path[64];
    snprintf(path, sizeof path, "%s/values.txt", folder);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fprintf(file, "%zu %zu %zu %zu %.17g", number, size, n, m, t);
    const double *parts[] = {y, rate, jacobian, acceleration};
    const size_t counts[] = {size, size, size * size, n + m};
    for (size_t part = 0; part < 4; part++)
        for (size_t i = 0; i < counts[part]; i++)
            fprintf(file, " %.17g", parts[part][i]);
    fprintf(file, "\n");
    fclose(file);
}

// ---- C.

static void run_command(const char *format, ...) BASE_PRINTF(1, 2);
static void run_command(const char *format, ...)
{
    Text command = {0};
    va_list arguments;
    va_start(arguments, format);
    text_addv(&command, format, arguments);
    va_end(arguments);
    if (system(command.at) != 0) {
        print_message("this fails: %s\n", command.at);
        fail();
    }
    text_clear(&command);
}

static void write_text(const char *name, const Text *text)
{
    Text path = {0};
    text_addf(&path, "%s/%s", folder, name);
    FILE *file = fopen(path.at, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text->at, 1, text->length, file), text->length);
    fclose(file);
    text_clear(&path);
}

// False where the motion is no set of formulas.
static bool write_export(Case *kase, ExportTarget target, const char *file)
{
    ExportOrigin origin = {.file = kase->name,
                           .text = {kase->source->at, kase->source->length},
                           .version = "test",
                           .equations = "none */ \\ ?"
                                        "?/ here\n"};
    Text source = {0}, header = {0};
    Status status =
        export_write(target, kase->run, kase->motion, &origin, kase->diag, &source, &header);
    if (status == STATUS_OK)
        write_text(file, &source);
    text_clear(&source);
    text_clear(&header);
    return status == STATUS_OK;
}

#define WARNINGS "-std=c99 -O0 -Wall -Wextra -pedantic -Werror -ffp-contract=off"

static void *symbol(void *library, const char *system, const char *name)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s_%s", system, name);
    void *found = dlsym(library, whole);
    if (!found)
        print_message("no %s\n", whole);
    assert_non_null(found);
    return found;
}

static void check_c(Case *kase, const char *system, size_t number)
{
    run_command("cc %s -shared -fPIC -o %s/code.so %s/code.c -lm", WARNINGS, folder, folder);
    char path[64];
    snprintf(path, sizeof path, "%s/code.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    void (*defaults)(void *) = NULL;
    Derivative *derivative = NULL;
    void (*jacobian)(const void *, double, const double *, double *) = NULL;
    void (*at)(const void *, double, const double *, double *) = NULL;
    *(void **)&defaults = symbol(library, system, "defaults");
    *(void **)&derivative = symbol(library, system, "derivative");
    *(void **)&jacobian = symbol(library, system, "jacobian");
    *(void **)&at = symbol(library, system, "at");

    size_t n = kase->motion->n, k = kase->run->numbers.k, m = kase->motion->in_force_count,
           size = n + k;
    double *p = room_for(100000), *y = room_for(size), *rate = room_for(size);
    double *columns = room_for(size * size), *instant = room_for(100000);
    defaults(p);
    for (int turn = 0; turn < STATES; turn++) {
        double t = 0.1 * turn;
        if (!draw_state(kase, t))
            continue;
        memcpy(y, kase->q, n * sizeof *y);
        memcpy(y + n, kase->u, k * sizeof *y);
        derivative(p, t, y, rate);
        assert_near(kase, "velocity", rate, kase->rate, n, 1e-14);
        assert_near(kase, "rate", rate + n, kase->rate + n, k, 1e-12);
        at(p, t, y, instant);
        assert_near(kase, "acceleration", instant + n, kase->a, n, 1e-12);
        // Multipliers that vanish have no size of their own.
        double acceleration = 0;
        for (size_t i = 0; i < n; i++)
            acceleration = fmax(acceleration, fabs(kase->a[i]));
        for (size_t i = 0; i < m; i++)
            assert_true(fabs(instant[2 * n + i] - kase->lambda[i]) <=
                        1e-10 * (acceleration + fabs(kase->lambda[i])));
        jacobian(p, t, y, columns);
        if (turn == 0)
            check_jacobian(kase, derivative, p, t, y, columns, size);
        if (turn == 0)
            keep_values(number, t, y, rate, columns, instant + n, size, n, m);
    }
    base_free(p);
    base_free(y);
    base_free(rate);
    base_free(columns);
    base_free(instant);
    dlclose(library);
}

// ---- All models.

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t list_models(char **names)
{
    DIR *models = opendir(ZWANG_SOURCE_DIR "/models");
    assert_non_null(models);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(models)) && count < MOST_MODELS;)
        if (strstr(entry->d_name, ".zw"))
            names[count++] = strdup(entry->d_name);
    closedir(models);
    qsort(names, count, sizeof *names, by_name);
    return count;
}

static void exported_c_gives_the_same_motion(void **state)
{
    (void)state;
    char *names[MOST_MODELS];
    size_t count = list_models(names), compared = 0;
    for (size_t i = 0; i < count; i++) {
        Case kase;
        Text text = read_model(names[i]);
        if (case_init(&kase, names[i], &text) && write_export(&kase, EXPORT_C, "code.c")) {
            char file[64];
            check_c(&kase, kase.model->name, i);
            snprintf(file, sizeof file, "model_%zu.py", i);
            assert_true(write_export(&kase, EXPORT_PYTHON, file));
            snprintf(file, sizeof file, "model_%zu.m", i);
            assert_true(write_export(&kase, EXPORT_MATLAB, file));
            compared++;
        }
        case_clear(&kase);
        text_clear(&text);
        free(names[i]);
    }
    print_message("%zu of %zu models\n", compared, count);
    assert_true(compared > 25);
}

static bool is_there(const char *command)
{
    Text quiet = {0};
    text_addf(&quiet, "%s >/dev/null 2>&1", command);
    bool there = system(quiet.at) == 0;
    text_clear(&quiet);
    return there;
}

// Names that are words of a language, and texts that would end a comment or a string.
static const char hostile[] =
    "system evil \"</script><script>alert(1)</script> */ int x; /* \\input{x} ?"
    "?/ %{ #= \"\n"
    "param int = 1, for = 2, M_PI = 3, lambda = 4, end = 5, NAN = 1, worked_out = 2\n"
    "coord while, x, q[2]\n"
    "mass int at [while, x, q[1]]\n"
    "mass for at [0, 0, q[2] + q[1]]\n"
    "gravity [0, -NAN, 0]\n"
    "force -end*sign(x') along x\n"
    "output double = while*for + worked_out\n"
    "initial x = 1, x' = 3\n"
    "# */ \" \\\n"
    "run to 0.5\n";

static void texts_of_a_model_do_no_harm(void **state)
{
    (void)state;
    Case kase;
    Text text = {0};
    text_add(&text, hostile);
    assert_true(case_init(&kase, "*/ evil \n \" .zw", &text));
    assert_true(write_export(&kase, EXPORT_C, "code.c"));
    check_c(&kase, "evil", MOST_MODELS);
    static const char *const compilers[] = {"cc", "clang", "cc -DREAL=float", "cc -DZWANG_MAIN"};
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        if (i != 1 || is_there("clang --version"))
            run_command("%s %s -o %s/code.o %s/code.c %s", compilers[i], WARNINGS, folder, folder,
                        i == 3 ? "-lm" : "-c");
    run_command("%s/code.o | tail -1 | grep -q '^0.5,'", folder);
    assert_true(write_export(&kase, EXPORT_PYTHON, "model_256.py"));
    assert_true(write_export(&kase, EXPORT_MATLAB, "model_256.m"));
    case_clear(&kase);
    text_clear(&text);
}

// ---- The other languages, against C; skipped where they are not to be had.

static void exported_python_agrees_with_c(void **state)
{
    (void)state;
    const char *python = "python3";
    if (!is_there("python3 -c 'import numpy'"))
        python = "/usr/bin/python3";
    Text numpy = {0};
    text_addf(&numpy, "%s -c 'import numpy'", python);
    bool there = is_there(numpy.at);
    text_clear(&numpy);
    if (!there)
        skip();
    run_command("cd %s && %s -W error %s/tests/export/compare.py", folder, python,
                ZWANG_SOURCE_DIR);
}

static void exported_matlab_agrees_with_c(void **state)
{
    (void)state;
    if (!is_there("octave-cli --version"))
        skip();
    run_command("cd %s && octave-cli --norc %s/tests/export/compare.m", folder, ZWANG_SOURCE_DIR);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    run_command("rm -rf %s", folder);
    flint_cleanup();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exported_c_gives_the_same_motion),
        cmocka_unit_test(texts_of_a_model_do_no_harm),
        cmocka_unit_test(exported_python_agrees_with_c),
        cmocka_unit_test(exported_matlab_agrees_with_c),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
