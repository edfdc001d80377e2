// kept.h -- compilations that an earlier process has left on the disk.
#ifndef TILE_RUNTIME_KEPT_H
#define TILE_RUNTIME_KEPT_H

#include "runtime/compile/compile.h"
#include "runtime/disk/disk.h"

typedef struct {
  DiskCache *disk;               // NULL: none
  const CompileRequest *request; // to code
  const char *kernel;    // the name by which the caller has asked for it, or ""
  const char *assembler; // that makes machine code of the code; NULL: none
} Keeping;

// What compile() would give, if it is there: then `*found`.  In any case `out`
// may be given to compilation_free().
TileStatus kept_find(const Report *report, const Keeping *keeping,
                     Compilation *out, bool *found);
// Leaves a compilation that works to other processes; false: errno says why
// not.
bool kept_put(const Keeping *keeping, Compilation *compiled);

#endif
