// errors.h -- the messages of the command line, as formats:
// ERROR_no_standard_output.
//
// Arrays, so that the compiler checks their arguments where they are used.
#ifndef TILE_RUNTIME_TOOLS_ERRORS_H
#define TILE_RUNTIME_TOOLS_ERRORS_H

#define SECTION(title)
#define ERROR(id, format)   static const char ERROR_##id[] = format;
#define WARNING(id, format) static const char WARNING_##id[] = format;
#define NOTE(id, format)    static const char NOTE_##id[] = format;
#include "runtime/tools/errors.def"

#endif
