// xml_impl.h: an XML file as elements and attributes that remember who looked at them. Never leaves
// this room.
#ifndef ZWANG_ROBOTS_XML_IMPL_H
#define ZWANG_ROBOTS_XML_IMPL_H

#include "base/base.h"

typedef struct XmlAttribute {
    const char *name, *value;
    bool read;
    struct XmlAttribute *origin; // of one that a default gave: the default's
    struct XmlAttribute *next;
} XmlAttribute;

typedef struct XmlElement {
    const char *name;
    uint32_t line;
    bool read;
    XmlAttribute *attributes;
    struct XmlElement *parent, *first, *last, *next;
} XmlElement;

// The outermost element; NULL after a message: without network, without entities, and of bounded
// depth. All of it lives in the arena.
XmlElement *xml_read(Arena *arena, Str text, Text *why, uint32_t *line);

// The next element of this name from `at` on, NULL where there is none; it counts as read.
XmlElement *xml_next(XmlElement *at, const char *name);
// The first child of this name.
XmlElement *xml_child(const XmlElement *element, const char *name);
#define XML_EACH(child, element, name)                                                             \
    for (XmlElement *child = xml_child(element, name); (child);                                    \
         (child) = xml_next((child)->next, name))
// The value of an attribute, NULL where it is missing; it counts as read.
const char *xml_value(const XmlElement *element, const char *name);
bool xml_is(const XmlElement *element, const char *name, const char *value);
// Adds an attribute of a default.
void xml_inherit(Arena *arena, XmlElement *element, XmlAttribute *attribute);
// All that nobody looked at, each name once: "transmission, limit effort, …".
void xml_list_unread(const XmlElement *root, Text *out);

#endif
