// diagnostics.h -- the diagnostics of a call of the C API.
#ifndef TILE_RUNTIME_DIAGNOSTICS_H
#define TILE_RUNTIME_DIAGNOSTICS_H

#include "ir/base/diag.h"
#include "tile/tile.h"

struct TileDiagnostics {
  Allocator from;
  Arena arena;
  DiagList list;
  const char *text; // rendered; NULL: not yet
};

// The destination of a call's diagnostics: an allocator, and the caller's list,
// which may be NULL.
typedef struct {
  const Allocator *from;
  TileDiagnostics **out;
  int error_limit; // of a compilation; 0: the default
} Report;

// Adds an error and returns `status`; TILE_OUT_OF_MEMORY if memory runs out.
__attribute__((format(printf, 3, 4))) TileStatus
report_error(const Report *report, TileStatus status, const char *format, ...);
// The same with a text that was rendered from `format`, which may be NULL.
TileStatus report_text(const Report *report, TileStatus status,
                       const char *text, const char *format);
// Adds a warning without a place in a source.
__attribute__((format(printf, 2, 3))) TileStatus
report_warning(const Report *report, const char *format, ...);
// Reports that a required argument is NULL; without a context there is no
// allocator.
TileStatus report_null(TileDiagnostics **out, const char *what);
// Copies the diagnostics of a compilation, with the sources that they refer to.
// False if memory runs out.
bool report_list(const Report *report, const DiagList *list);

#endif
