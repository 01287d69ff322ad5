// base.h: what every room stands on. Memory, arrays, text, status, diagnostics.
//
// Nothing here knows mathematics. A header takes memory.h in its place, which has what
// declarations need; a source may take the parts that it uses.
#ifndef ZWANG_BASE_H
#define ZWANG_BASE_H

#include "base/diag.h"
#include "base/memory.h"
#include "base/strings.h"

#endif
