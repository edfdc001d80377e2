// errors.h -- code generation's messages, as formats.
//
// The formats are arrays, so that the compiler checks the arguments of each
// use.
#ifndef TILE_CODEGEN_ERRORS_H
#define TILE_CODEGEN_ERRORS_H

#define SECTION(title)
#define ERROR(id, format)   static const char ERROR_##id[] = format;
#define WARNING(id, format) static const char WARNING_##id[] = format;
#define NOTE(id, format)    static const char NOTE_##id[] = format;
#include "codegen/errors.def"

#endif
