// zip.c: a zip file whose entries are stored as they are (PKWARE, APPNOTE 6.3: 4.3.7, 4.3.12,
// 4.3.16). All are dated 1980-01-01, the first day that the format knows.
#include "export/fmu_impl.h"

#include <assert.h>

enum { FIRST_DAY = 0x21, STORED_VERSION = 10, MADE_BY_UNIX = 3 << 8 | 20, UTF8_NAMES = 0x800 };

// The polynomial of ISO 3309, bit by bit.
static uint32_t checksum(Str bytes)
{
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < bytes.length; i++) {
        sum ^= (unsigned char)bytes.at[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320u : 0);
    }
    return ~sum;
}

static void add_number(Text *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        text_add_char(out, (char)(value >> (8 * i) & 0xFF));
}

// What both kinds of headers say of an entry.
static void add_facts(const ZipEntry *entry, Text *out)
{
    add_number(out, STORED_VERSION, 2);
    add_number(out, UTF8_NAMES, 2);
    add_number(out, 0, 2); // stored
    add_number(out, 0, 2); // midnight
    add_number(out, FIRST_DAY, 2);
    add_number(out, checksum(entry->bytes), 4);
    add_number(out, entry->bytes.length, 4);
    add_number(out, entry->bytes.length, 4);
    add_number(out, str_of(entry->name).length, 2);
    add_number(out, 0, 2); // nothing more
}

static void add_directory_entry(const ZipEntry *entry, uint64_t place, Text *out)
{
    text_add_str(out, (Str){"PK\1\2", 4});
    add_number(out, MADE_BY_UNIX, 2);
    add_facts(entry, out);
    add_number(out, 0, 2 + 2 + 2); // no comment, the first disk, bytes
    add_number(out, (uint64_t)(entry->runs ? 0100755 : 0100644) << 16, 4);
    add_number(out, place, 4);
    text_add(out, entry->name);
}

void zip_write(const ZipEntry *entries, size_t count, Text *out)
{
    Text directory = {0};
    size_t start = out->length;
    for (size_t i = 0; i < count; i++) {
        assert(entries[i].bytes.length < UINT32_MAX / 4);
        add_directory_entry(&entries[i], out->length - start, &directory);
        text_add_str(out, (Str){"PK\3\4", 4});
        add_facts(&entries[i], out);
        text_add(out, entries[i].name);
        text_add_str(out, entries[i].bytes);
    }
    size_t place = out->length - start;
    text_add_str(out, (Str){directory.at, directory.length});
    text_add_str(out, (Str){"PK\5\6", 4});
    add_number(out, 0, 2 + 2);
    add_number(out, count, 2);
    add_number(out, count, 2);
    add_number(out, directory.length, 4);
    add_number(out, place, 4);
    add_number(out, 0, 2);
    text_clear(&directory);
}
