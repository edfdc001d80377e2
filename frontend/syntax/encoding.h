// encoding.h -- the bytes of a file as UTF-8, in lines that a line feed ends.
#ifndef TILE_FRONTEND_ENCODING_H
#define TILE_FRONTEND_ENCODING_H

#include "ir/base/diag.h"

// The source itself, or a copy in `arena` of one that says on its first two
// lines, as Python reads them, that it is in another encoding, or that has
// carriage returns alone between its lines.
Source source_as_utf8(Arena *arena, const Source *source);

#endif
