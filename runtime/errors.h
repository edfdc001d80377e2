// errors.h -- the runtime's messages, as formats, and the ids of all layers'
// messages.
//
// The formats are arrays, so that the compiler checks arguments at each use.
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
