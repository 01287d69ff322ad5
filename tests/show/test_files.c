// What a run leaves behind. HDF5 is read back with the HDF5 library itself; the memory that
// writing takes does not grow with the rows.
#include "files.h"
#include "folder.h"

#include "show/show.h"

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define ROWS 1300 // more than two chunks, and not a whole number of them

static char path[128];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *const columns[] = {"t", "q[1,2]", "theta'", "lambda.edge", "energy"};
enum { COLUMNS = sizeof columns / sizeof *columns };

static bool float32; // how rows are written

static ShowRun example_run(void)
{
    static const char *const settings[] = {"m=2,L=3", "theta'=1"};
    static const char *const names[] = {"m", "L", "ratio"};
    static const double values[] = {2, 3, 2.0 / 3};
    return (ShowRun){.columns = columns,
                     .count = COLUMNS,
                     .coordinates = 1,
                     .title = "θ & <others>",
                     .file = "models/θ.zw",
                     .text = str_of("coord θ\nkinetic \"…\"\n"),
                     .version = "1.2.3",
                     .command = "zwang run 'a b.zw'",
                     .settings = settings,
                     .setting_count = 2,
                     .param_names = names,
                     .params = values,
                     .param_count = 3,
                     .to = 13,
                     .every = 0.01,
                     .tolerance = 1e-11,
                     .method = "taylor",
                     .float32 = float32};
}

static double value_at(size_t row, size_t column)
{
    return column == 0 ? 0.01 * (double)row : sin((double)(row * COLUMNS + column)) / 3;
}

// As it is read from a file.
static double kept_at(size_t row, size_t column)
{
    double value = value_at(row, column);
    return float32 && column > 0 ? (double)(float)value : value;
}

static void write_rows(const char *name, size_t rows, ShowEnd end)
{
    ShowRun run = example_run();
    Diag *diag = diag_new();
    ShowTable *table;
    assert_int_equal(show_table_open(in_folder(name), &run, diag, &table), STATUS_OK);
    for (size_t i = 0; i < rows; i++) {
        double row[COLUMNS];
        for (size_t j = 0; j < COLUMNS; j++)
            row[j] = value_at(i, j);
        assert_int_equal(show_table_row(table, row, diag), STATUS_OK);
    }
    // Nothing stands under the name before the file is whole.
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(show_table_close(table, end, diag), STATUS_OK);
    assert_int_equal(diag_total(diag), 0);
    diag_free(diag);
}

// ---- Attributes, read back.

static void assert_text(hid_t file, const char *name, const char *expected)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    assert_true(attribute >= 0);
    hid_t type = H5Aget_type(attribute);
    char *value;
    assert_true(H5Aread(attribute, type, &value) >= 0);
    assert_string_equal(value, expected);
    H5free_memory(value);
    H5Tclose(type);
    H5Aclose(attribute);
}

static void assert_texts(hid_t file, const char *name, const char *const *expected, size_t count)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    hid_t space = H5Aget_space(attribute);
    char *values[16];
    assert_int_equal(H5Sget_simple_extent_npoints(space), (hssize_t)count);
    assert_true(H5Aread(attribute, type, values) >= 0);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(values[i], expected[i]);
        H5free_memory(values[i]);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

static double number_of(hid_t file, const char *name)
{
    double values[16];
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_DOUBLE, values) >= 0);
    H5Aclose(attribute);
    return values[0];
}

// ---- Datasets, read back.

static void assert_column(hid_t file, size_t column, size_t rows)
{
    static double values[ROWS];
    hid_t dataset = H5Dopen2(file, columns[column], H5P_DEFAULT);
    assert_true(dataset >= 0);
    hid_t space = H5Dget_space(dataset);
    assert_int_equal(H5Sget_simple_extent_npoints(space), (hssize_t)rows);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (size_t i = 0; i < rows; i++)
        assert_true(values[i] == kept_at(i, column)); // bit for bit
    hid_t type = H5Dget_type(dataset);
    assert_int_equal(H5Tget_size(type), float32 && column > 0 ? 4 : 8);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(dataset);
}

static void test_hdf5_reads_back(void **state)
{
    (void)state;
    static const size_t lengths[] = {ROWS, 512, 1, 0};
    for (size_t i = 0; i < 4; i++) {
        write_rows("r.h5", lengths[i], i == 0 ? SHOW_COMPLETE : SHOW_PARTIAL);
        hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(file >= 0);
        for (size_t j = 0; j < COLUMNS; j++)
            assert_column(file, j, lengths[i]);
        assert_true(number_of(file, "complete") == (i == 0 ? 1 : 0));
        H5Fclose(file);
        remove(path);
    }
}

static void test_hdf5_in_single_precision(void **state)
{
    float32 = true;
    test_hdf5_reads_back(state);
    float32 = false;
}

// Every number of a CSV or JSON lines reads back to what it was, in single precision too.
static void test_text_reads_back(void **state)
{
    (void)state;
    enum { ROWS_HERE = 300 };
    static const char *const names[] = {"r.csv", "r.jsonl"};
    for (int i = 0; i < 4; i++) {
        float32 = i % 2;
        write_rows(names[i / 2], ROWS_HERE, SHOW_COMPLETE);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        char line[400];
        if (i / 2 == 0)
            assert_non_null(fgets(line, sizeof line, file));
        for (size_t row = 0; row < ROWS_HERE; row++) {
            assert_non_null(fgets(line, sizeof line, file));
            char *at = line;
            for (size_t j = 0; j < COLUMNS; j++) {
                at = i / 2 ? strstr(at, "\":") + 2 : at + (j > 0);
                double value = float32 && j > 0 ? (double)strtof(at, &at) : strtod(at, &at);
                assert_true(value == kept_at(row, j));
            }
        }
        fclose(file);
        remove(path);
    }
    float32 = false;
}

static void test_hdf5_tells_its_origin(void **state)
{
    (void)state;
    ShowRun run = example_run();
    write_rows("o.hdf5", 3, SHOW_COMPLETE);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_text(file, "model", run.text.at);
    assert_text(file, "file", run.file);
    assert_text(file, "title", run.title);
    assert_text(file, "version", run.version);
    assert_text(file, "command", run.command);
    assert_text(file, "method", run.method);
    assert_texts(file, "columns", columns, COLUMNS);
    assert_texts(file, "settings", run.settings, run.setting_count);
    assert_texts(file, "parameters", run.param_names, run.param_count);
    assert_true(number_of(file, "parameter_values") == 2);
    assert_true(number_of(file, "to") == 13 && number_of(file, "every") == 0.01 &&
                number_of(file, "tolerance") == 1e-11);
    // The datasets stand in the order of the columns.
    for (size_t i = 0; i < COLUMNS; i++) {
        char name[64];
        H5Lget_name_by_idx(file, "/", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, sizeof name,
                           H5P_DEFAULT);
        assert_string_equal(name, columns[i]);
    }
    H5Fclose(file);
}

// A model without parameters, run without settings.
static void test_hdf5_with_empty_lists(void **state)
{
    (void)state;
    ShowRun run = example_run();
    run.settings = run.param_names = NULL;
    run.params = NULL;
    run.setting_count = run.param_count = 0;
    Diag *diag = diag_new();
    ShowTable *table;
    assert_int_equal(show_table_open(in_folder("e.h5"), &run, diag, &table), STATUS_OK);
    assert_int_equal(show_table_close(table, SHOW_COMPLETE, diag), STATUS_OK);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_texts(file, "settings", NULL, 0);
    H5Fclose(file);
    diag_free(diag);
}

static void test_same_bytes(void **state)
{
    (void)state;
    static const char *const endings[] = {".h5", ".csv", ".json", ".jsonl"};
    for (size_t i = 0; i < 4; i++) {
        char first[32], second[32];
        snprintf(first, sizeof first, "/first%s", endings[i]);
        snprintf(second, sizeof second, "/second%s", endings[i]);
        write_rows(first + 1, ROWS, SHOW_COMPLETE);
        if (i == 0)
            sleep(1); // a time in the file would differ
        write_rows(second + 1, ROWS, SHOW_COMPLETE);
        Text a = read_file(folder, first, ""), b = read_file(folder, second, "");
        assert_int_equal(a.length, b.length);
        assert_memory_equal(a.at, b.at, a.length);
        text_clear(&a);
        text_clear(&b);
    }
}

static void test_dropped_files_are_gone(void **state)
{
    (void)state;
    static const char *const names[] = {"d.h5", "d.csv", "d.json"};
    for (size_t i = 0; i < 3; i++) {
        write_rows(names[i], 700, SHOW_DROPPED);
        assert_int_not_equal(access(in_folder(names[i]), F_OK), 0);
    }
    char command[256];
    snprintf(command, sizeof command, "! ls -A %s | grep -q part", folder);
    assert_int_equal(system(command), 0);
}

// ---- Memory.

#ifndef __SANITIZE_ADDRESS__
static long most_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss; // kilobytes
}

// Forty times the rows need no more memory: 400 000 rows would be 16 megabytes.
static void test_memory_is_bounded(void **state)
{
    (void)state;
    static const char *const names[] = {"m.csv", "m.json", "m.jsonl", "m.h5"};
    for (size_t i = 0; i < 4; i++) {
        write_rows(names[i], 10000, SHOW_COMPLETE);
        remove(path);
        long before = most_memory();
        write_rows(names[i], 400000, SHOW_DROPPED);
        assert_true(most_memory() - before < 4000);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hdf5_reads_back),
        cmocka_unit_test(test_hdf5_tells_its_origin),
        cmocka_unit_test(test_hdf5_in_single_precision),
        cmocka_unit_test(test_text_reads_back),
        cmocka_unit_test(test_hdf5_with_empty_lists),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_dropped_files_are_gone),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(test_memory_is_bounded),
#endif
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
