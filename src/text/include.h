// include.h: the files that a text includes, and the robots that it reads.
#ifndef ZWANG_TEXT_INCLUDE_H
#define ZWANG_TEXT_INCLUDE_H

#include "base/base.h"

// `read urdf "robots/arm.urdf" as arm free`
typedef struct {
    Str format;       // "urdf" or "mjcf"
    const char *path; // as it is opened
    Str written;      // the path in the text
    Str name;         // behind `as`; none: the robot's own
    bool free;
    Str content; // of the file
} TextRobot;

// Who reads files. `read` adds a file's text and returns why it could not, or NULL; `identify` adds
// what is the same for all paths that lead to one file. `robot` writes the templates of parts that
// a robot's file stands for: NAME__file is the robot, and `name` its NAME. What it leaves out is in
// `note`; where it returns false, what is wrong.
typedef struct {
    const char *(*read)(const char *path, Text *text);
    void (*identify)(const char *path, Text *identity);
    bool (*robot)(const TextRobot *robot, Text *name, Text *templates, Text *note);
} TextFiles;

// Replaces a file's text by one in which the texts of all included files stand where they are
// included, each file once, and robots where they are read; a text with neither stays. The new one
// owns the old one, also behind an error: messages point into it.
BASE_MUST_USE Status text_include(Source **source, const TextFiles *files, Diag *diag);

// A path as it is written in a file: beside this, unless it begins at the root.
void text_find_path(const Source *in, Str written, Text *path);

#endif
