// Every allocation of each public call fails in turn: none may crash, hang, or leave anything
// behind, and what comes after is right. A seeded sample by default; `make soak` tries more.
#define _GNU_SOURCE // RTLD_NEXT
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "test_size.h"
#include "zwang.h"

// ---- An allocator that fails on demand. All allocations of the process come here.

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

// Of all threads: a sweep has some.
static atomic_bool counting;
static atomic_size_t count;
static size_t fails_at; // from 1; 0: none

// HDF5 cannot bear it that its own allocations fail: hdf5.c asks for more than they are before its
// calls, between which this handler of failures is in force. There only ours fail.
typedef int Handler(long stack, void *context);
int H5Eget_auto2(long stack, Handler **handler, void **context);
int __real_H5Eset_auto2(long stack, Handler *handler, void *context);
int __wrap_H5Eset_auto2(long stack, Handler *handler, void *context);
static Handler *usual_handler;
static bool in_hdf5;

int __wrap_H5Eset_auto2(long stack, Handler *handler, void *context)
{
    in_hdf5 = handler != usual_handler;
    return __real_H5Eset_auto2(stack, handler, context);
}

static bool is_ours(const void *caller)
{
    uintptr_t begin = (uintptr_t)&base_alloc, at = (uintptr_t)caller;
    return at + 1024 > begin && at < begin + 1024;
}

static bool fails(const void *caller)
{
    bool now = counting && (!in_hdf5 || is_ours(caller)) && ++count == fails_at;
    if (now)
        errno = ENOMEM;
    return now;
}

void *malloc(size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t number, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(number, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}

// SUNDIALS does not look whether it gets the memory of a context (see integrator_sundials.c): that
// is not tried.
int SUNContext_Create(void *communicator, void **context);
int SUNContext_Create(void *communicator, void **context)
{
    int (*create)(void *, void **);
    *(void **)&create = dlsym(RTLD_NEXT, "SUNContext_Create");
    bool before = counting;
    counting = false;
    int failed = create(communicator, context);
    counting = before;
    return failed;
}

// What a call prints goes to a file, which stays empty.
static int printed = -1, outputs[2];

static void begin(size_t at)
{
    fflush(stdout);
    for (int i = 0; i < 2; i++)
        dup2(printed, i + 1);
    count = 0;
    fails_at = at;
    counting = true;
}

static void end(void)
{
    counting = false;
    fflush(stdout);
    for (int i = 0; i < 2; i++)
        dup2(outputs[i], i + 1);
}

static void expect_silence(const char *name, size_t at)
{
    char said[200] = "";
    if (lseek(printed, 0, SEEK_END) > 0 && pread(printed, said, sizeof said - 1, 0) > 0)
        fail_msg("%s, allocation %zu: printed: %s", name, at, said);
}

static void catch_output(void)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    printed = fileno(file);
    for (int i = 0; i < 2; i++)
        outputs[i] = dup(i + 1);
}

// ---- The calls. Each works on a model that is opened before, unless it opens one itself.

static const char spring[] = "param k = 4\ncoord x\nmass 1 at [x, 0, 0]\nforce -k*x along x\n"
                             "initial x = 1\nrun to 1 every 0.1\n";

static const char driven[] = "param m = 1\ncoord x\ninput u = 2*cos(t)\nmass m at [x, 0, 0]\n"
                             "force u along x\nconstraint wall: x <= 1 restitution 1/2\n"
                             "event turn: x' = 0 falling { record }\nrun to 1 every 0.1\n";

typedef zw_status Call(zw_model *model);

static zw_status call_read(zw_model *model)
{
    (void)model;
    zw_model *own;
    zw_status status = zw_model_read("m", spring, strlen(spring), NULL, &own);
    zw_model_free(own);
    return status;
}

static zw_status call_set(zw_model *model)
{
    const char *setting = "k=5";
    return zw_model_set(model, &setting, 1) == ZW_FAILED ? ZW_FAILED : ZW_DONE;
}

static zw_status call_derive(zw_model *model)
{
    zw_result *result;
    zw_status status = zw_derive(model, &(zw_derive_options){.forms = "all", .width = 60}, &result);
    zw_result_free(result);
    return status;
}

static zw_status call_check(zw_model *model)
{
    zw_result *result;
    zw_status status = zw_check(model, NULL, &result);
    zw_result_free(result);
    return status;
}

static zw_status call_equations(zw_model *model)
{
    const char *equation = "energy = energy";
    zw_result *result;
    zw_equation_options options = {.equations = &equation, .count = 1};
    zw_status status = zw_equations(model, &options, &result);
    zw_result_free(result);
    return status == ZW_FAILED ? status : ZW_DONE;
}

static zw_status call_at(zw_model *model)
{
    zw_result *result;
    zw_status status = zw_at(model, &(zw_at_options){.as = ZW_JSON}, &result);
    zw_result_free(result);
    return status;
}

static zw_status call_stability(zw_model *model)
{
    zw_result *result;
    zw_status status = zw_stability(model, NULL, &result);
    zw_result_free(result);
    return status == ZW_FAILED ? status : ZW_DONE;
}

static char folder[] = "/tmp/zwang-failures-XXXXXX";

static zw_status call_run(zw_model *model)
{
    zw_result *result;
    char path[100], svg[100];
    snprintf(path, sizeof path, "%s/rows.csv", folder);
    snprintf(svg, sizeof svg, "%s/rows.svg", folder);
    const char *plots[] = {svg};
    zw_run_options options = {.to = 1,
                              .every = 0.1,
                              .engine = "interpret",
                              .out = path,
                              .plots = plots,
                              .plot_count = 1,
                              .keep = true};
    zw_status status = zw_run(model, &options, &result);
    zw_result_free(result);
    return status;
}

static zw_status call_run_bdf(zw_model *model)
{
    zw_result *result;
    zw_run_options options = {.to = 1, .every = 0.1, .engine = "interpret", .method = "bdf"};
    zw_status status = zw_run(model, &options, &result);
    zw_result_free(result);
    return status;
}

// With a checkpoint, rows in JSON and events.
static zw_status call_checkpoint(zw_model *model)
{
    char path[100], events[100], rows[100];
    snprintf(path, sizeof path, "%s/run.state", folder);
    snprintf(events, sizeof events, "%s/events.csv", folder);
    snprintf(rows, sizeof rows, "%s/rows.json", folder);
    zw_run_options options = {.to = 1,
                              .every = 0.1,
                              .engine = "interpret",
                              .out = rows,
                              .events = events,
                              .checkpoint = path,
                              .checkpoint_every = 1e-9};
    return zw_run(model, &options, NULL);
}

static zw_status call_export(zw_model *model)
{
    zw_result *result;
    char path[100];
    snprintf(path, sizeof path, "%s/code.c", folder);
    zw_status status =
        zw_export(model, &(zw_export_options){.to = "c", .smooth = true, .out = path}, &result);
    zw_result_free(result);
    return status == ZW_FAILED ? status : ZW_DONE;
}

static zw_status call_export_as(zw_model *model, const char *target, const char *file)
{
    zw_result *result;
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    zw_export_options options = {.to = target, .out = path, .sources_only = true};
    zw_status status = zw_export(model, &options, &result);
    zw_result_free(result);
    return status == ZW_FAILED ? status : ZW_DONE;
}

static zw_status call_fmu(zw_model *model)
{
    return call_export_as(model, "fmu", "unit.fmu");
}

static zw_status call_document(zw_model *model)
{
    return call_export_as(model, "latex", "document.tex");
}

static zw_status call_view(zw_model *model)
{
    zw_result *result;
    char path[100];
    snprintf(path, sizeof path, "%s/page.html", folder);
    zw_view_options options = {.to = 1, .every = 0.1, .out = path};
    zw_status status = zw_view(model, &options, &result);
    zw_result_free(result);
    return status;
}

// With an audit and a picture.
static zw_status call_audit(zw_model *model)
{
    char picture[100], rows[100];
    snprintf(picture, sizeof picture, "0,1:%s/picture.svg", folder);
    snprintf(rows, sizeof rows, "%s/rows.jsonl", folder);
    zw_run_options options = {.to = 1,
                              .every = 0.1,
                              .engine = "interpret",
                              .audit = true,
                              .out = rows,
                              .picture = picture};
    return zw_run(model, &options, NULL);
}

// Rows and events in HDF5.
static zw_status call_hdf5(zw_model *model)
{
    char rows[100], events[100];
    snprintf(rows, sizeof rows, "%s/rows.h5", folder);
    snprintf(events, sizeof events, "%s/events.h5", folder);
    zw_run_options options = {
        .to = 1, .every = 0.1, .engine = "interpret", .out = rows, .events = events};
    return zw_run(model, &options, NULL);
}

// The runs that a sweep has made before it was broken off are kept in a file, to go on with.
static zw_status call_sweep(zw_model *model)
{
    char rows[100], kept[110], picture[100];
    snprintf(rows, sizeof rows, "%s/sweep.csv", folder);
    snprintf(kept, sizeof kept, "%s.part", rows);
    snprintf(picture, sizeof picture, "%s/sweep.svg", folder);
    const char *vary = "x=0.5:1:2", *plot = picture;
    zw_result *result;
    zw_sweep_options options = {.vary = &vary,
                                .vary_count = 1,
                                .threads = 1,
                                .numbers = true,
                                .out = rows,
                                .plots = &plot,
                                .plot_count = 1,
                                .run = &(zw_run_options){.to = 0.2, .engine = "interpret"}};
    zw_status status = zw_sweep(model, &options, &result);
    if (status != ZW_DONE)
        unlink(kept);
    zw_result_free(result);
    return status;
}

static zw_status call_fit(zw_model *model)
{
    (void)model;
    char path[100];
    snprintf(path, sizeof path, "%s/data.csv", folder);
    const char *data = path;
    zw_model *own;
    zw_result *result = NULL;
    zw_fit_options options = {.vary = "k", .data = &data, .data_count = 1};
    zw_status status = zw_model_read("m", spring, strlen(spring), NULL, &own);
    if (status == ZW_DONE)
        status = zw_fit(own, &options, &result);
    zw_result_free(result);
    zw_model_free(own);
    return status;
}

static zw_status call_open(zw_model *model)
{
    (void)model;
    char path[100];
    snprintf(path, sizeof path, "%s/whole.zw", folder);
    zw_model *own;
    zw_model_options options = {.reduce = true, .independent = "x"};
    zw_status status = zw_model_open(path, &options, &own);
    zw_model_free(own);
    return status;
}

static zw_status call_messages(zw_model *model)
{
    zw_result *result;
    zw_status status = zw_check(model, &(zw_check_options){.only = "nothing"}, &result);
    zw_free(zw_messages(model, ZW_NOTE));
    char *shown = zw_for_terminal("θ = 1", &(zw_terminal){.width = 3, .ascii = true});
    zw_free(shown);
    return status == ZW_FAILED || !shown ? ZW_FAILED : ZW_DONE;
}

static zw_status call_system(zw_model *model)
{
    zw_system *system;
    zw_workspace *workspace = NULL;
    zw_status status = zw_system_new(model, NULL, &system);
    if (status == ZW_DONE)
        status = zw_workspace_new(system, &workspace);
    zw_workspace_free(workspace);
    zw_system_free(system);
    return status;
}

static zw_status call_sim(zw_model *model)
{
    zw_sim *sim;
    char *saved = NULL;
    size_t bytes;
    zw_status status = zw_sim_new(model, &(zw_sim_options){.engine = "interpret"}, &sim);
    if (status == ZW_DONE)
        status = zw_sim_to(sim, 0.2);
    if (status == ZW_DONE)
        status = zw_sim_save(sim, &saved, &bytes);
    if (status == ZW_DONE)
        status = zw_sim_restore(sim, saved, bytes);
    if (status == ZW_DONE)
        status = zw_sim_step(sim);
    zw_free(saved);
    zw_sim_free(sim);
    return status;
}

static zw_status call_fixed_steps(zw_model *model)
{
    zw_sim *sim;
    zw_sim_options options = {
        .engine = "interpret", .method = "timestepping", .no_watch = true, .step = 0.01};
    zw_status status = zw_sim_new(model, &options, &sim);
    if (status == ZW_DONE)
        status = zw_sim_to(sim, 0.2);
    zw_sim_free(sim);
    return status;
}

static const struct {
    const char *name;
    Call *call;
} calls[] = {{"read", call_read},
             {"set", call_set},
             {"derive", call_derive},
             {"check", call_check},
             {"at", call_at},
             {"stability", call_stability},
             {"run", call_run},
             {"bdf", call_run_bdf},
             {"export", call_export},
             {"equations", call_equations},
             {"messages", call_messages},
             {"system", call_system},
             {"sim", call_sim},
             {"checkpoint", call_checkpoint},
             {"fixed", call_fixed_steps},
             {"open", call_open},
             {"fmu", call_fmu},
             {"document", call_document},
             {"view", call_view},
             {"audit", call_audit},
             {"hdf5", call_hdf5},
             {"sweep", call_sweep},
             {"fit", call_fit}};

// ---- Trying.

static zw_model *open_model(const char *text)
{
    zw_model *model;
    assert_int_equal(zw_model_read("m", text, strlen(text), NULL, &model), ZW_DONE);
    return model;
}

// A model of two files, and data: cos(2.1 t).
static void put_files(void)
{
    static const char *const files[][2] = {
        {"whole.zw", "include \"part.zw\"\npart a = bob(1)\npart b = bob(2)\ncoord x, y\n"
                     "constraint c: x = 2*y\nmass 1 at [x, y, 0]\n"},
        {"part.zw", "part bob(k) { coord q; mass k at [q, 0, 0] }\n"},
        {"data.csv", "t,x\n0,1\n0.25,0.8653\n0.5,0.4976\n0.75,-0.0042\n1,-0.5048\n"}};
    for (size_t i = 0; i < 3; i++) {
        char path[100];
        snprintf(path, sizeof path, "%s/%s", folder, files[i][0]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(files[i][1], file);
        assert_int_equal(fclose(file), 0);
    }
}

static size_t files_left(void)
{
    char command[200], line[20] = "";
    snprintf(command, sizeof command, "ls %s | grep -c '\\.part'", folder);
    FILE *pipe = popen(command, "r");
    size_t found = pipe && fgets(line, sizeof line, pipe) ? strtoul(line, NULL, 10) : 0;
    if (pipe)
        pclose(pipe);
    return found;
}

// A model that was not touched by the failure answers as it always does.
static void expect_sound(zw_model *other, const char *name, size_t at)
{
    zw_result *result;
    zw_status status = zw_at(other, NULL, &result);
    if (status != ZW_DONE || !(fabs(zw_result_instant(result)->a[0] + 4) < 1e-12))
        fail_msg("%s, allocation %zu: another model is spoilt", name, at);
    zw_result_free(result);
}

typedef struct {
    size_t tried, failed, went_on, kept;
} Outcome;

// `usual` is the call's status where nothing fails.
static void try_one(const char *text, size_t which, size_t at, zw_status usual, zw_model *other,
                    Outcome *outcome)
{
    zw_model *model = open_model(text);
    begin(at);
    zw_status status = calls[which].call(model);
    end();
    outcome->tried++;
    outcome->failed += status == ZW_FAILED;
    outcome->went_on += status == usual;
    outcome->kept += status == ZW_NEGATIVE && status != usual;
    expect_silence(calls[which].name, at);
    if (status != ZW_FAILED && status != usual && status != ZW_NEGATIVE)
        fail_msg("%s, allocation %zu: status %d: %s", calls[which].name, at, (int)status,
                 zw_messages(model, ZW_NOTE));
    zw_free(zw_messages(model, ZW_NOTE));
    zw_model_free(model);
    expect_sound(other, calls[which].name, at);
}

static void each_allocation_fails(void **state)
{
    (void)state;
    // Conditions on velocities, impacts, dry friction, events with states, a servo, an input.
    const char *const texts[] = {spring,
                                 zw_gallery_text("blade"),
                                 zw_gallery_text("bouncing_ball"),
                                 zw_gallery_text("friction_skid"),
                                 zw_gallery_text("event_ratchet"),
                                 zw_gallery_text("held_pendulum"),
                                 driven};
    Random random = random_seed(21);
    zw_model *other = open_model(spring);
    // More than these many are sampled.
    size_t most = 12 * test_size();
    assert_non_null(mkdtemp(folder));
    put_files();
    catch_output();
    void *context;
    H5Eget_auto2(0, &usual_handler, &context);
    for (size_t which = 0; which < sizeof calls / sizeof *calls; which++) {
        Outcome outcome = {0};
        const char *only = getenv("ZWANG_FAILURES_OF"); // one call alone, by its name
        if (only && strcmp(only, calls[which].name) != 0)
            continue;
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            zw_model *model = open_model(texts[i]);
            begin(0);
            zw_status status = calls[which].call(model);
            end();
            size_t all = count;
            // Some things are refused by name.
            if (status != ZW_DONE && (i < 3 || status == ZW_FAILED))
                fail_msg("%s: %s", calls[which].name, zw_messages(model, ZW_NOTE));
            zw_model_free(model);
            for (size_t j = 0; j < (all < most ? all : most); j++)
                try_one(texts[i], which, 1 + (all <= most ? j : random_below(&random, all)), status,
                        other, &outcome);
        }
        print_message("%-10s %6zu failures: %zu ZW_FAILED, %zu went on, %zu kept rows\n",
                      calls[which].name, outcome.tried, outcome.failed, outcome.went_on,
                      outcome.kept);
        assert_true(outcome.failed > 0);
    }
    assert_int_equal(files_left(), 0);
    zw_model_free(other);
    char command[200];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
