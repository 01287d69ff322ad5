// xml.c: reads XML with libxml2, element by element, into a tree of our own.
#include "robots/xml_impl.h"

#include "base/guard.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/SAX2.h>
#include <limits.h>
#include <string.h>

// Elements inside elements; more is a generator gone wrong.
enum { MOST_DEPTH = 200 };

typedef struct {
    Arena *arena;
    XmlElement *root, *at;
    size_t depth;
    const char *why; // that it was ended; NULL: it was not
    uint32_t line;
    xmlParserCtxtPtr parser;
} Reading;

static void end_reading(Reading *reading, const char *why)
{
    if (!reading->why) {
        reading->why = why;
        reading->line = (uint32_t)xmlSAX2GetLineNumber(reading->parser);
    }
    xmlStopParser(reading->parser);
}

static char *copy(Reading *reading, const xmlChar *text, size_t length)
{
    return arena_copy_text(reading->arena, (const char *)text, length);
}

// Attributes come as name, prefix, address, value and its end.
static void add_attributes(Reading *reading, XmlElement *element, int count,
                           const xmlChar **attributes)
{
    XmlAttribute **last = &element->attributes;
    for (int i = 0; i < count; i++, attributes += 5) {
        XmlAttribute *attribute = arena_alloc(reading->arena, sizeof *attribute);
        attribute->name = copy(reading, attributes[0], strlen((const char *)attributes[0]));
        attribute->value = copy(reading, attributes[3], (size_t)(attributes[4] - attributes[3]));
        *last = attribute;
        last = &attribute->next;
    }
}

static void begin_element(void *context, const xmlChar *name, const xmlChar *prefix,
                          const xmlChar *address, int spaces, const xmlChar **names, int count,
                          int defaults, const xmlChar **attributes)
{
    (void)address, (void)spaces, (void)names, (void)defaults;
    Reading *reading = context;
    if (reading->why)
        return;
    if (++reading->depth > MOST_DEPTH) {
        end_reading(reading, "elements are nested too deep; no robot's file needs 200 levels");
        return;
    }
    if (prefix && strcmp((const char *)prefix, "xacro") == 0) {
        end_reading(reading, "this file has macros; write it out first, with the program xacro: "
                             "'xacro robot.xacro > robot.urdf'");
        return;
    }
    XmlElement *element = arena_alloc(reading->arena, sizeof *element);
    element->name = copy(reading, name, strlen((const char *)name));
    element->line = (uint32_t)xmlSAX2GetLineNumber(reading->parser);
    element->parent = reading->at;
    add_attributes(reading, element, count, attributes);
    XmlElement *parent = reading->at;
    if (!parent)
        reading->root = element;
    else if (parent->last)
        parent->last->next = element;
    else
        parent->first = element;
    if (parent)
        parent->last = element;
    reading->at = element;
}

static void end_element(void *context, const xmlChar *name, const xmlChar *prefix,
                        const xmlChar *address)
{
    (void)name, (void)prefix, (void)address;
    Reading *reading = context;
    if (reading->why || !reading->at)
        return;
    reading->at = reading->at->parent;
    reading->depth--;
}

static void begin_document_type(void *context, const xmlChar *name, const xmlChar *public_name,
                                const xmlChar *system_name)
{
    (void)name, (void)public_name, (void)system_name;
    end_reading(context, "a document type ('<!DOCTYPE') is not read, nor are entities; remove it");
}

static void free_parser(void *parser)
{
    xmlFreeParserCtxt(parser);
}

static void add_reason(const Reading *reading, Text *why, uint32_t *line)
{
    const xmlError *error = xmlCtxtGetLastError(reading->parser);
    *line = reading->line;
    if (reading->why) {
        text_add(why, reading->why);
        return;
    }
    *line = error && error->line > 0 ? (uint32_t)error->line : 1;
    const char *message = error && error->message ? error->message : "there is no element in it";
    text_addf(why, "this is no XML: %.*s", (int)strcspn(message, "\n"), message);
}

XmlElement *xml_read(Arena *arena, Str text, Text *why, uint32_t *line)
{
    xmlSAXHandler handler = {.initialized = XML_SAX2_MAGIC,
                             .startElementNs = begin_element,
                             .endElementNs = end_element,
                             .internalSubset = begin_document_type};
    Reading reading = {.arena = arena};
    *line = 1;
    if (text.length == 0 || text.length > INT_MAX) {
        text_add(why, "the file is empty");
        return NULL;
    }
    reading.parser = xmlCreatePushParserCtxt(&handler, &reading, NULL, 0, NULL);
    if (!reading.parser) {
        text_add(why, "there is no memory left to read it");
        return NULL;
    }
    BaseCleanup cleanup;
    base_cleanup_add(&cleanup, free_parser, reading.parser);
    xmlCtxtUseOptions(reading.parser, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    int wrong = xmlParseChunk(reading.parser, text.at, (int)text.length, 1);
    bool good = !wrong && !reading.why && reading.root;
    if (!good)
        add_reason(&reading, why, line);
    base_cleanup_remove(&cleanup);
    xmlFreeParserCtxt(reading.parser);
    return good ? reading.root : NULL;
}

// ---- Looking.

XmlElement *xml_next(XmlElement *at, const char *name)
{
    while (at && strcmp(at->name, name) != 0)
        at = at->next;
    if (at)
        at->read = true;
    return at;
}

XmlElement *xml_child(const XmlElement *element, const char *name)
{
    return element ? xml_next(element->first, name) : NULL;
}

const char *xml_value(const XmlElement *element, const char *name)
{
    XmlAttribute *attribute = element ? element->attributes : NULL;
    while (attribute && strcmp(attribute->name, name) != 0)
        attribute = attribute->next;
    if (!attribute)
        return NULL;
    attribute->read = true;
    if (attribute->origin)
        attribute->origin->read = true;
    return attribute->value;
}

bool xml_is(const XmlElement *element, const char *name, const char *value)
{
    const char *given = xml_value(element, name);
    return given && strcmp(given, value) == 0;
}

void xml_inherit(Arena *arena, XmlElement *element, XmlAttribute *attribute)
{
    XmlAttribute **last = &element->attributes;
    for (; *last; last = &(*last)->next)
        if (strcmp((*last)->name, attribute->name) == 0)
            return;
    *last = arena_alloc(arena, sizeof **last);
    **last = (XmlAttribute){.name = attribute->name, .value = attribute->value};
    (*last)->origin = attribute;
}

// ---- What was left.

static void list_name(NameMap *seen, const char *element, const char *attribute, Text *out)
{
    Text name = {0};
    text_addf(&name, "%s%s%s", element, attribute ? " " : "", attribute ? attribute : "");
    if (name_map_put(seen, (Str){name.at, name.length}, 1))
        text_addf(out, "%s%s", out->length ? ", " : "", name.at);
    text_clear(&name);
}

void xml_list_unread(const XmlElement *root, Text *out)
{
    NameMap *seen = name_map_new();
    const XmlElement *at = root;
    while (at) {
        bool entered = at == root || at->read;
        if (!entered)
            list_name(seen, at->name, NULL, out);
        for (const XmlAttribute *a = entered ? at->attributes : NULL; a; a = a->next)
            if (!a->read && !a->origin)
                list_name(seen, at->name, a->name, out);
        if (entered && at->first) {
            at = at->first;
            continue;
        }
        while (at && at != root && !at->next)
            at = at->parent;
        at = at && at != root ? at->next : NULL;
    }
    name_map_free(seen);
}
