// errors.h -- the runtime's messages, as formats, and every layer's by name.
//
// Arrays, so that the compiler checks their arguments where they are used.
#ifndef TILE_RUNTIME_ERRORS_H
#define TILE_RUNTIME_ERRORS_H

#include "ir/base/diag.h"

#define SECTION(title)
#define ERROR(id, format)   static const char ERROR_##id[] = format;
#define WARNING(id, format) static const char WARNING_##id[] = format;
#include "runtime/errors.def"

// The id of the diagnostic in the tables of all layers, or NULL.
const char *message_id(const Diag *diag);

#endif
