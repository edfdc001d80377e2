// messages.h -- the messages of a compilation, as bytes: code from the disk
// comes with the same messages.
#ifndef TILE_RUNTIME_MESSAGES_H
#define TILE_RUNTIME_MESSAGES_H

#include "ir/base/diag.h"
#include "runtime/disk/bytes.h"

// With the texts of the sources that they are about.
void messages_write(const DiagList *diags, Str *out);
// Texts lie in what is read, the rest in the arena of the list.
void messages_read(ByteReader *from, DiagList *out);

#endif
