// time_switch.h: when a function of the time alone changes its branch.
#ifndef ZWANG_PROGRAM_TIME_SWITCH_H
#define ZWANG_PROGRAM_TIME_SWITCH_H

// What decides it has its old sign up to `before`, and its new one from `after` on; between them
// lie a few last digits of the time.
typedef struct {
    double before, at, after;
} TimeSwitch;

#endif
