// test_threads.c: the library from several threads: each with a model of its own, and all on the
// functions of one system. Every answer is that of one thread alone, byte for byte. Built with
// -fsanitize=thread this also shows that nothing is shared that is written.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "zwang.h"

enum { THREADS = 2, QUESTIONS = 5, MOST_STATES = 16 };

static const char *const models[] = {"blade", "bouncing_ball", "friction_belt", "two_cars",
                                     "string_pendulum"};
enum { MODELS = sizeof models / sizeof *models };

// ---- A model for each thread.

typedef struct {
    size_t first; // the model that it begins with
    char *texts[MODELS][QUESTIONS];
} Answers;

static zw_status ask(zw_model *model, int question, zw_result **result)
{
    switch (question) {
    case 0: return zw_derive(model, &(zw_derive_options){.as = ZW_JSON}, result);
    case 1: return zw_check(model, &(zw_check_options){.as = ZW_JSON}, result);
    case 2: return zw_at(model, &(zw_at_options){.as = ZW_JSON}, result);
    case 3: return zw_run(model, &(zw_run_options){.to = 2}, result);
    default: return zw_stability(model, &(zw_stability_options){.as = ZW_JSON}, result);
    }
}

static void *ask_all(void *context)
{
    Answers *answers = context;
    for (size_t i = 0; i < MODELS; i++) {
        size_t which = (answers->first + i) % MODELS;
        const char *text = zw_gallery_text(models[which]);
        zw_model *model;
        zw_status read = zw_model_read(models[which], text, strlen(text), NULL, &model);
        for (int question = 0; question < QUESTIONS && read == ZW_DONE; question++) {
            zw_result *result = NULL;
            zw_status status = ask(model, question, &result);
            const char *told = result ? zw_result_text(result) : "";
            size_t length = strlen(told) + 16;
            answers->texts[which][question] = malloc(length);
            snprintf(answers->texts[which][question], length, "%d %s", (int)status, told);
            zw_result_free(result);
        }
        zw_model_free(model);
    }
    return NULL;
}

static void models_apart(void **state)
{
    (void)state;
    static Answers answers[THREADS + 1];
    pthread_t running[THREADS];
    for (size_t i = 0; i <= THREADS; i++)
        answers[i].first = i;
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&running[i], NULL, ask_all, &answers[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(running[i], NULL);
    ask_all(&answers[THREADS]);
    for (size_t i = 0; i <= THREADS; i++)
        for (size_t j = 0; j < MODELS; j++)
            for (size_t k = 0; k < QUESTIONS; k++) {
                assert_non_null(answers[i].texts[j][k]);
                assert_string_equal(answers[i].texts[j][k], answers[THREADS].texts[j][k]);
            }
    // The questions have answers, but for the stability of what is not steady.
    assert_int_equal(strncmp(answers[0].texts[0][0], "0 {", 3), 0);
    assert_int_equal(strncmp(answers[0].texts[1][3], "0 ", 2), 0);
    for (size_t i = 0; i <= THREADS; i++)
        for (size_t j = 0; j < MODELS * QUESTIONS; j++)
            free(answers[i].texts[j / QUESTIONS][j % QUESTIONS]);
}

// ---- One system for all.

typedef struct {
    const zw_system *system;
    double matrix[MOST_STATES * MOST_STATES], rates[MOST_STATES];
    bool good;
} Work;

static void *evaluate(void *context)
{
    Work *work = context;
    const zw_layout *layout = zw_system_layout(work->system);
    zw_workspace *workspace;
    work->good = zw_workspace_new(work->system, &workspace) == ZW_DONE;
    for (int i = 0; i < 200 && work->good; i++) {
        double y[MOST_STATES];
        for (size_t j = 0; j < layout->state_count; j++)
            y[j] = layout->start[j] + 1e-3 * (double)i;
        work->good =
            zw_rates(work->system, workspace, 0, y, NULL, work->rates) == ZW_DONE &&
            zw_rates_by_state(work->system, workspace, 0, y, NULL, work->matrix) == ZW_DONE;
    }
    zw_workspace_free(workspace);
    return NULL;
}

static void one_system(void **state)
{
    (void)state;
    const char *text = zw_gallery_text("hoop");
    zw_model *model;
    zw_system *system;
    assert_int_equal(zw_model_read("hoop", text, strlen(text), NULL, &model), ZW_DONE);
    assert_int_equal(zw_system_new(model, NULL, &system), ZW_DONE);
    size_t count = zw_system_layout(system)->state_count;
    assert_true(count <= MOST_STATES);
    static Work work[THREADS + 1];
    pthread_t running[THREADS];
    for (size_t i = 0; i <= THREADS; i++)
        work[i].system = system;
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&running[i], NULL, evaluate, &work[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(running[i], NULL);
    evaluate(&work[THREADS]);
    for (size_t i = 0; i <= THREADS; i++) {
        assert_true(work[i].good);
        assert_memory_equal(work[i].rates, work[THREADS].rates, count * sizeof(double));
        assert_memory_equal(work[i].matrix, work[THREADS].matrix, count * count * sizeof(double));
    }
    zw_system_free(system);
    zw_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_apart),
                                       cmocka_unit_test(one_system)};
    return cmocka_run_group_tests_name("api/threads", tests, NULL, NULL);
}
