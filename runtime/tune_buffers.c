// tune_buffers.c -- the buffers of a launch that is tuned: saved, restored and
// compared.
#include "runtime/tune.h"

#include "runtime/device/device.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// -- Which they are ----------------------------------------------------------

typedef struct {
  Arena *arena;
  const Tuning *tuning;
  const TileKernel *kernel;
  size_t param;
  TuneBuffers *out;
} Finder;

TuneBuffer *tune_buffers_find(const TuneBuffers *buffers,
                              const TileBuffer *buffer) {
  for (size_t i = 0; i < buffers->count; i++) {
    if (buffers->items[i].buffer == buffer) return &buffers->items[i];
  }
  return NULL;
}

static void add_buffer(const Finder *f, TileBuffer *buffer, TileDtype dtype,
                       size_t offset) {
  const KernelParamPlan *param = &f->kernel->params[f->param];
  const bool reset = f->tuning->reset[f->param];
  const bool restore = f->tuning->restore[f->param];
  if (!buffer) return;
  TuneBuffer *known = tune_buffers_find(f->out, buffer);
  if (known) { // of another parameter
    if (reset && !known->reset) known->offset = offset;
    known->reset |= reset;
    known->restore |= restore;
    return;
  }
  const TuneBuffer found = {
      .buffer = buffer,
      .dtype = dtype ? dtype : param->annotation.dtype,
      .offset = offset,
      .param = param->name,
      .reset = reset,
      .restore = restore,
  };
  vec_push(f->arena, f->out, found);
}

static void find_in(const Finder *f, const TileArg *arg) {
  switch (arg->kind) {
  case TILE_ARG_BUFFER:
    add_buffer(f, arg->as.buffer.buffer, arg->dtype, arg->as.buffer.offset);
    return;
  case TILE_ARG_DESCRIPTOR:
    if (arg->as.descriptor)
      add_buffer(f, arg->as.descriptor->buffer, arg->as.descriptor->dtype,
                 arg->as.descriptor->offset);
    return;
  case TILE_ARG_TUPLE:
    for (size_t i = 0; i < arg->as.tuple.count; i++)
      find_in(f, &arg->as.tuple.items[i]);
    return;
  default: return;
  }
}

bool tune_is_constant(const TileLaunch *launch, const char *name) {
  for (size_t i = 0; i < launch->num_constants; i++) {
    if (!strcmp(launch->constants[i].name, name)) return true;
  }
  return false;
}

// Arguments go in order to the parameters that are given no constant by name.
static void find_all(Finder *f, const TileLaunch *launch) {
  size_t next = 0;
  for (; f->param < f->kernel->num_params; f->param++) {
    if (tune_is_constant(launch, f->kernel->params[f->param].name)) continue;
    if (next == launch->num_args) return;
    find_in(f, &launch->args[next++]);
  }
}

TileStatus tune_buffers_read(const TileLaunch *launch, const Tuning *tuning,
                             Arena *arena, TuneBuffers *out) {
  Finder finder = {arena, tuning, launch->kernel, 0, out};
  find_all(&finder, launch);
  for (size_t i = 0; i < out->count; i++) {
    TuneBuffer *b = &out->items[i];
    const size_t size = tile_buffer_size(b->buffer);
    b->before = arena_alloc(arena, size + 1, 1, 16);
    b->first = arena_alloc(arena, size + 1, 1, 16);
    b->now = arena_alloc(arena, size + 1, 1, 16);
    const TileStatus status = tile_buffer_read(b->buffer, 0, b->before, size);
    if (status) return status;
    b->is_read = true;
  }
  return TILE_OK;
}

// -- Writing -----------------------------------------------------------------

static TileStatus write_one(const TuneBuffer *b) {
  return tile_buffer_write(b->buffer, 0, b->before,
                           tile_buffer_size(b->buffer));
}

static TileStatus zero_one(const TuneBuffer *b, TileDiagnostics **diagnostics) {
  assert(b->offset <= tile_buffer_size(b->buffer)); // I12
  const unsigned char zero = 0;
  return tile_buffer_fill(b->buffer, b->offset,
                          tile_buffer_size(b->buffer) - b->offset, &zero,
                          sizeof zero, NULL, diagnostics);
}

TileStatus tune_buffers_prepare(const TuneBuffers *buffers,
                                TileDiagnostics **diagnostics) {
  TileStatus status = TILE_OK;
  for (size_t i = 0; !status && i < buffers->count; i++) {
    const TuneBuffer *b = &buffers->items[i];
    if (b->restore) status = write_one(b);
    if (!status && b->reset) status = zero_one(b, diagnostics);
  }
  return status;
}

TileStatus tune_buffers_restore(const TuneBuffers *buffers) {
  TileStatus status = TILE_OK;
  for (size_t i = 0; i < buffers->count; i++) {
    const TuneBuffer *b = &buffers->items[i];
    const TileStatus one = b->is_read ? write_one(b) : TILE_OK;
    if (!status) status = one;
  }
  return status;
}

// -- Comparing ---------------------------------------------------------------

static TileStatus read_into(const TuneBuffer *b, void *to) {
  return tile_buffer_read(b->buffer, 0, to, tile_buffer_size(b->buffer));
}

TileStatus tune_buffers_keep(const TuneBuffers *buffers) {
  TileStatus status = TILE_OK;
  for (size_t i = 0; !status && i < buffers->count; i++)
    status = read_into(&buffers->items[i], buffers->items[i].first);
  return status;
}

// The allowed error, for sums in another order.
static double usual_tolerance(TileDtype dtype) {
  switch (dtype) {
  case TILE_FP64: return 1e-9;
  case TILE_FP32: return 1e-3;
  case TILE_FP16: return 1e-2;
  case TILE_BF16: return 5e-2;
  default: return 0.3;
  }
}

static double element_at(const TuneBuffer *b, const void *bytes, size_t at) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)bytes + at, tile_dtype_size(b->dtype));
  return element_decode(b->dtype, bits);
}

static double error_at(const TuneBuffer *b, size_t at) {
  const double expected = element_at(b, b->first, at);
  const double found = element_at(b, b->now, at);
  if (isnan(expected) && isnan(found)) return 0;
  if (expected == found) return 0; // infinities are equal, too
  const double error = fabs(found - expected) / (1 + fabs(expected));
  return isnan(error) ? INFINITY : error;
}

// The largest error of the buffer; INFINITY if elements that are no floats
// differ.
static double largest_error(const TuneBuffer *b) {
  const size_t size = tile_buffer_size(b->buffer);
  const size_t unit = tile_dtype_size(b->dtype);
  assert(unit <= sizeof(uint64_t) && "no element of 64 bits"); // I12
  if (!memcmp(b->first, b->now, size)) return 0;
  if (!element_is_float(b->dtype)) return INFINITY;
  double worst = 0;
  for (size_t at = b->offset % unit; at + unit <= size; at += unit)
    worst = fmax(worst, error_at(b, at));
  return worst;
}

TileStatus tune_buffers_compare(const TuneBuffers *buffers, double tolerance,
                                const TuneBuffer **wrong, double *error) {
  *wrong = NULL;
  for (size_t i = 0; i < buffers->count; i++) {
    const TuneBuffer *b = &buffers->items[i];
    const TileStatus status = read_into(b, b->now);
    if (status) return status;
    *error = largest_error(b);
    if (*error <= (tolerance > 0 ? tolerance : usual_tolerance(b->dtype)))
      continue;
    *wrong = b;
    return TILE_OK;
  }
  return TILE_OK;
}
