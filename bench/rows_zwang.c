// rows_zwang FILE.csv: the numbers of a table as text again: by printf with 17 digits, and by
// decimal_write. Prints for each the bytes and the seconds, the least of five times.
#include "base/decimal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 2000000, ROUNDS = 5 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static size_t read_numbers(FILE *file, double *numbers)
{
    static char line[65536];
    size_t count = 0;
    if (!fgets(line, sizeof line, file))
        return 0;
    while (count < MOST && fgets(line, sizeof line, file))
        for (char *at = line, *end; count < MOST; at = end + 1) {
            numbers[count++] = strtod(at, &end);
            if (*end != ',')
                break;
        }
    return count;
}

static size_t by_printf(double value, char *out)
{
    return (size_t)snprintf(out, 40, "%.17g", value);
}

static void measure(const char *name, size_t (*write)(double value, char *out),
                    const double *numbers, size_t count, char *text)
{
    double least = 1e9;
    size_t bytes = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        char *at = text;
        for (size_t i = 0; i < count; i++) {
            at += write(numbers[i], at);
            *at++ = ',';
        }
        bytes = (size_t)(at - text);
        double spent = now() - begin;
        least = spent < least ? spent : least;
    }
    printf("%s %zu %zu %.6g\n", name, count, bytes, least);
}

int main(int count, char **words)
{
    FILE *file = count == 2 ? fopen(words[1], "r") : NULL;
    double *numbers = malloc(MOST * sizeof *numbers);
    char *text = malloc(MOST * 42);
    if (!file || !numbers || !text) {
        fprintf(stderr, "usage: rows_zwang FILE.csv\n");
        return 2;
    }
    size_t read = read_numbers(file, numbers);
    measure("printf", by_printf, numbers, read, text);
    measure("shortest", decimal_write, numbers, read, text);
    fclose(file);
    free(numbers);
    free(text);
    return 0;
}
