// layout_picture.h -- layouts as tables: thread and register of each element.
#ifndef TILE_RUNTIME_LAYOUT_PICTURE_H
#define TILE_RUNTIME_LAYOUT_PICTURE_H

#include "ir/layout.h"

// Writes the meaning of the layout's bits, and its first rows and columns as a
// table.
void picture_text(Arena *arena, const char *name, const Layout *layout,
                  Str *out);
// Writes the same table as an SVG file, up to 32 x 32 elements, a colour for
// each lane.
void picture_svg(Arena *arena, const char *name, const Layout *layout,
                 Str *out);

// The layouts that the lines `#0 = layout<...>` of some textual IR define,
// as text, and below them the IR itself.
const char *pictures_of_ir(Arena *arena, const char *ir);

#endif
