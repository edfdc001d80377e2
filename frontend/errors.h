// errors.h -- the frontend's messages, as formats: ERROR_unknown_name.
//
// The formats are arrays, so that the compiler checks the arguments of each
// use.
#ifndef TILE_FRONTEND_ERRORS_H
#define TILE_FRONTEND_ERRORS_H

#define SECTION(title)
#define ERROR(id, format)   static const char ERROR_##id[] = format;
#define WARNING(id, format) static const char WARNING_##id[] = format;
#define NOTE(id, format)    static const char NOTE_##id[] = format;
#include "frontend/errors.def"

#endif
