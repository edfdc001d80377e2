// messages.h -- the messages of a compilation, as bytes: code from the disk has
// the same messages as code that is compiled.
#ifndef TILE_RUNTIME_MESSAGES_H
#define TILE_RUNTIME_MESSAGES_H

#include "ir/base/diag.h"
#include "runtime/disk/bytes.h"

// Writes the messages with the texts of the sources that they are about.
void messages_write(const DiagList *diags, Str *out);
// Texts point into the input, the rest lies in the arena of the list.
void messages_read(ByteReader *from, DiagList *out);

#endif
