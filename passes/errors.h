// errors.h -- the passes' messages, as formats.
//
// The formats are arrays, so that the compiler checks the arguments of each
// use.
#ifndef TILE_PASSES_ERRORS_H
#define TILE_PASSES_ERRORS_H

#define SECTION(title)
#define ERROR(id, format)  static const char ERROR_##id[] = format;
#define REMARK(id, format) static const char REMARK_##id[] = format;
#include "passes/errors.def"

#endif
