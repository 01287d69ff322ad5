// png_data.c: pixels as a PNG (ISO/IEC 15948), in blocks that are stored and not compressed.
#include "show/base64_impl.h"
#include "show/sweep_picture_impl.h"

#include "base/memory.h"

#include <string.h>

typedef ARRAY(unsigned char) Bytes;

static void add_bytes(Bytes *bytes, const void *from, size_t count)
{
    array_reserve(bytes, bytes->count + count);
    memcpy(bytes->at + bytes->count, from, count);
    bytes->count += count;
}

static void add_word(Bytes *bytes, uint32_t word)
{
    const unsigned char parts[] = {(unsigned char)(word >> 24), (unsigned char)(word >> 16),
                                   (unsigned char)(word >> 8), (unsigned char)word};
    add_bytes(bytes, parts, sizeof parts);
}

// The checksum of a chunk: polynomial division, the lowest bit first.
static uint32_t crc_of(const unsigned char *bytes, size_t count)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? (crc >> 1) ^ 0xEDB88320 : crc >> 1;
    }
    return ~crc;
}

static void add_chunk(Bytes *png, const char *kind, const unsigned char *bytes, size_t count)
{
    add_word(png, (uint32_t)count);
    size_t start = png->count;
    add_bytes(png, kind, 4);
    if (count > 0)
        add_bytes(png, bytes, count);
    add_word(png, crc_of(png->at + start, png->count - start));
}

// The checksum at the end of what is stored: two sums, modulo the largest prime below 2^16.
static uint32_t adler_of(const unsigned char *bytes, size_t count)
{
    const uint32_t prime = 65521;
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < count; i++) {
        a = (a + bytes[i]) % prime;
        b = (b + a) % prime;
    }
    return b << 16 | a;
}

static void store(Bytes *out, const Bytes *rows)
{
    const size_t most = 65535;
    add_bytes(out, (const unsigned char[]){0x78, 0x01}, 2);
    for (size_t at = 0; at < rows->count; at += most) {
        size_t count = rows->count - at < most ? rows->count - at : most;
        const unsigned char head[] = {at + count == rows->count, (unsigned char)count,
                                      (unsigned char)(count >> 8), (unsigned char)~count,
                                      (unsigned char)(~count >> 8)};
        add_bytes(out, head, sizeof head);
        add_bytes(out, rows->at + at, count);
    }
    add_word(out, adler_of(rows->at, rows->count));
}

// A row of cells, as often as a cell is high.
static void add_row(Bytes *rows, const unsigned char *pixels, const PngSize *size)
{
    size_t start = rows->count, length = 1 + 3 * size->width * size->across;
    array_reserve(rows, start + size->up * length);
    add_bytes(rows, (const unsigned char[]){0}, 1); // no filter
    for (size_t i = 0; i < size->width; i++)
        for (size_t k = 0; k < size->across; k++)
            add_bytes(rows, pixels + 3 * i, 3);
    for (size_t k = 1; k < size->up; k++)
        add_bytes(rows, rows->at + start, length);
}

void png_data_uri(const unsigned char *pixels, const PngSize *size, Text *out)
{
    static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    Bytes png = {0}, head = {0}, rows = {0}, stored = {0};
    add_bytes(&png, signature, sizeof signature);
    add_word(&head, (uint32_t)(size->width * size->across));
    add_word(&head, (uint32_t)(size->height * size->up));
    add_bytes(&head, (const unsigned char[]){8, 2, 0, 0, 0}, 5); // bits, RGB
    add_chunk(&png, "IHDR", head.at, head.count);
    for (size_t i = 0; i < size->height; i++)
        add_row(&rows, pixels + 3 * size->width * i, size);
    store(&stored, &rows);
    add_chunk(&png, "IDAT", stored.at, stored.count);
    add_chunk(&png, "IEND", NULL, 0);
    text_add(out, "data:image/png;base64,");
    base64_add_bytes(png.at, png.count, out);
    array_clear(&png);
    array_clear(&head);
    array_clear(&rows);
    array_clear(&stored);
}
