// base64.c: arrays of numbers in base64.
#include "show/base64_impl.h"

#include <string.h>

void base64_add_bytes(const unsigned char *bytes, size_t count, Text *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        uint32_t block = (uint32_t)bytes[i] << 16;
        block |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        block |= left > 2 ? bytes[i + 2] : 0;
        text_add_char(out, digits[block >> 18]);
        text_add_char(out, digits[block >> 12 & 63]);
        text_add_char(out, left > 1 ? digits[block >> 6 & 63] : '=');
        text_add_char(out, left > 2 ? digits[block & 63] : '=');
    }
}

// The bytes of a number, the lowest first.
static void put_bytes(uint64_t bits, size_t size, unsigned char *bytes)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
}

void base64_add_doubles(const double *values, size_t count, size_t stride, Text *out)
{
    unsigned char *bytes = base_alloc(8 * count + 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i * stride], sizeof bits);
        put_bytes(bits, 8, bytes + 8 * i);
    }
    base64_add_bytes(bytes, 8 * count, out);
    base_free(bytes);
}

void base64_add_floats(const double *values, size_t count, Text *out)
{
    unsigned char *bytes = base_alloc(4 * count + 1);
    for (size_t i = 0; i < count; i++) {
        float value = (float)values[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        put_bytes(bits, 4, bytes + 4 * i);
    }
    base64_add_bytes(bytes, 4 * count, out);
    base_free(bytes);
}

void base64_add_indices(const uint32_t *values, size_t count, size_t size, Text *out)
{
    unsigned char *bytes = base_alloc(size * count + 1);
    for (size_t i = 0; i < count; i++)
        put_bytes(values[i], size, bytes + size * i);
    base64_add_bytes(bytes, size * count, out);
    base_free(bytes);
}
