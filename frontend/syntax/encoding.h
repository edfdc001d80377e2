// encoding.h -- the bytes of a file as UTF-8, with line feeds as line ends.
#ifndef TILE_FRONTEND_ENCODING_H
#define TILE_FRONTEND_ENCODING_H

#include "ir/base/diag.h"

// The source itself.  If a comment in its first two lines names another
// encoding, or if carriage returns alone end lines: a converted copy in
// `arena`.
Source source_as_utf8(Arena *arena, const Source *source);

#endif
