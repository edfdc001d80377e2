// errors.h -- messages about IR text and of the interpreter, as formats:
// ERROR_value_defined_already.
//
// The formats are arrays, so that the compiler checks the arguments of each
// use.
#ifndef TILE_IR_ERRORS_H
#define TILE_IR_ERRORS_H

#define SECTION(title)
#define ERROR(id, format) static const char ERROR_##id[] = format;
#define NOTE(id, format)  static const char NOTE_##id[] = format;
#include "ir/errors.def"

#endif
