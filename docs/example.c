// example.c: reads a model, prints its equations, asks for the proof, and follows the motion.
//
//     example models/blade.zw
#include <stdio.h>
#include <zwang.h>

// Prints what has been said since the last time, and passes the status on.
static zw_status told(zw_model *model, zw_status status)
{
    char *messages = zw_messages(model, status == ZW_DONE ? ZW_WARNING : ZW_NOTE);
    if (messages)
        fputs(messages, stderr);
    zw_free(messages);
    return status;
}

static zw_status print_equations(zw_model *model)
{
    zw_result *result;
    zw_derive_options options = {.forms = "appell", .width = 80};
    zw_status status = told(model, zw_derive(model, &options, &result));
    fputs(zw_result_text(result), stdout);
    zw_result_free(result);
    return status;
}

static zw_status print_proof(zw_model *model)
{
    zw_result *result;
    zw_status status = told(model, zw_check(model, &(zw_check_options){.only = "forms"}, &result));
    printf("\n%s", zw_result_text(result));
    zw_result_free(result);
    return status;
}

typedef struct {
    size_t energy; // its column
    double first, largest;
    size_t rows;
} Watch;

// Called for every row; returning false would stop the run.
static bool watch_energy(void *context, const double *values, size_t count)
{
    Watch *watch = context;
    if (watch->energy >= count)
        return false;
    double energy = values[watch->energy];
    if (watch->rows++ == 0)
        watch->first = energy;
    double off = energy > watch->first ? energy - watch->first : watch->first - energy;
    if (off > watch->largest)
        watch->largest = off;
    return true;
}

static zw_status follow(zw_model *model)
{
    Watch watch = {0};
    zw_run_options options = {.every = 0.1, .row = watch_energy, .context = &watch};

    zw_result *columns;
    zw_status status = told(model, zw_run_columns(model, &options, &columns));
    if (status != ZW_DONE)
        return status;
    watch.energy = zw_result_find_column(columns, "energy");
    zw_result_free(columns);

    status = told(model, zw_run(model, &options, NULL));
    printf("\n%zu rows; the energy %.4g %s\n", watch.rows, watch.first,
           watch.largest < 1e-9 ? "is kept" : "changes");
    return status;
}

int main(int count, char **words)
{
    if (count != 2) {
        fprintf(stderr, "usage: example MODEL\n");
        return ZW_WRONG;
    }
    zw_model *model;
    zw_status status = zw_model_open(words[1], NULL, &model);
    told(model, status);
    if (status == ZW_DONE)
        status = print_equations(model);
    if (status == ZW_DONE)
        status = print_proof(model);
    if (status == ZW_DONE)
        status = follow(model);
    zw_model_free(model);
    return (int)status;
}
