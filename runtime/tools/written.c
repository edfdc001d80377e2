// written.c -- finds elements of `empty:` that a launch never wrote.
//
// Integer results may equal poison.  So a second launch starts from another
// poison, and else from the same arguments: an element that keeps both was
// never written.  The output of the second launch is dropped.
#define _DEFAULT_SOURCE // setenv
#include "runtime/tools/errors.h"
#include "runtime/tools/run.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// -- Silence -----------------------------------------------------------------

typedef struct {
  int fd, saved;
} Muted;

static Muted mute(int fd) {
  fflush(NULL);
  Muted muted = {fd, dup(fd)};
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return muted;
  dup2(nowhere, fd);
  close(nowhere);
  return muted;
}

static void unmute(Muted muted) {
  fflush(NULL);
  if (muted.saved < 0) return;
  dup2(muted.saved, muted.fd);
  close(muted.saved);
}

// Launches without output: the first launch has shown it.
static TileStatus launch_in_silence(const KernelRun *run,
                                    TileDiagnostics **diagnostics) {
  const bool on_cpu = !strcmp(tile_device_name(run->device), "cpu");
  setenv("TILE_SIM_CHECKS", "none", 1);
  setenv("TILE_SIM_REPORT", "/dev/null", 1);
  unsetenv("TILE_SIM_STATS");
  const Muted out = mute(STDOUT_FILENO);
  const Muted err = on_cpu ? (Muted){-1, -1} : mute(STDERR_FILENO);
  TileStatus status = tile_launch(run->device, &run->launch, diagnostics);
  if (!status) status = tile_device_sync(run->device, diagnostics);
  unmute(err);
  unmute(out);
  return status;
}

// -- The second launch -------------------------------------------------------

static bool is_suspect(const Tensor *tensor) {
  return tensor->is_empty && !tensor->is_told &&
         !poison_is_certain(tensor->array.dtype) &&
         poison_find(&tensor->array, NULL).count;
}

static bool has_suspects(const KernelRun *run) {
  for (size_t i = 0; i < run->tensors.count; i++)
    if (is_suspect(&run->tensors.items[i])) return true;
  return false;
}

static TileStatus give_again(Tool *tool, const Tensor *tensor) {
  const size_t size = npy_size(&tensor->array);
  const void *given = tensor->given;
  if (tensor->is_empty) {
    NpyArray other = tensor->array;
    other.data = given = arena_alloc(&tool->arena, size + 1, 1, 16);
    const uint64_t bits = poison_bits(other.dtype, OTHER_POISON);
    for (uint64_t i = 0; i < other.count; i++) array_store(&other, i, bits);
  }
  return tile_buffer_write(tensor->buffer, 0, given, size);
}

// The reason of a failure; NULL: none.
static const char *failure(Tool *tool, TileStatus status,
                           const TileDiagnostics *diagnostics) {
  if (!status) return NULL;
  if (!tile_diagnostics_count(diagnostics)) return tile_status_text(status);
  return arena_printf(&tool->arena, "%s",
                      tile_diagnostics_get(diagnostics, 0).text);
}

static const char *launch_again(Tool *tool, const KernelRun *run) {
  TileDiagnostics *diagnostics = NULL;
  TileStatus status = TILE_OK;
  for (size_t i = 0; !status && i < run->tensors.count; i++)
    status = give_again(tool, &run->tensors.items[i]);
  if (!status) status = launch_in_silence(run, &diagnostics);
  const char *why = failure(tool, status, diagnostics);
  tile_diagnostics_destroy(diagnostics);
  return why;
}

// -- Telling -----------------------------------------------------------------

static TileStatus read_again(Tool *tool, const Tensor *tensor, NpyArray *out) {
  const size_t size = npy_size(&tensor->array);
  void *copy = arena_alloc(&tool->arena, size + 1, 1, 16);
  *out = tensor->array;
  out->data = copy;
  return tile_buffer_read(tensor->buffer, 0, copy, size);
}

static int tell(Tool *tool, const Tensor *tensor, Poisoned left) {
  const NpyArray *array = &tensor->array;
  const char *first = array_index_text(&tool->arena, array, left.first);
  const unsigned long long count = left.count, all = array->count;
  assert(!count || left.first <= all - count); // I4
  if (!left.count) return EXIT_FINE;
  if (tool->options.require_written)
    return tool_fail(tool, EXIT_MISMATCH, ERROR_must_be_written, tensor->name,
                     count, all, first);
  tool_warn(tool, WARNING_never_written, tensor->name, count, all, first);
  return EXIT_FINE;
}

// Warns that a value which is poison after one launch may be a result, since
// the second launch was not possible.
static int tell_unknown(Tool *tool, const Tensor *tensor, const char *why) {
  const NpyArray *array = &tensor->array;
  const Poisoned left = poison_find(array, NULL);
  const char *first = array_index_text(&tool->arena, array, left.first);
  const unsigned long long count = left.count, all = array->count;
  if (tool->options.require_written)
    return tool_fail(tool, EXIT_MISMATCH, ERROR_must_be_known, tensor->name,
                     count, all, first, why);
  tool_warn(tool, WARNING_written_unknown, tensor->name, count, all, first,
            why);
  return EXIT_FINE;
}

// `why`: the reason if the second launch failed.
static int check(Tool *tool, const Tensor *tensor, const char *why) {
  NpyArray again;
  if (!tensor->is_empty || tensor->is_told) return EXIT_FINE;
  if (poison_is_certain(tensor->array.dtype))
    return tell(tool, tensor, poison_find(&tensor->array, NULL));
  if (!is_suspect(tensor)) return EXIT_FINE;
  if (!why) why = failure(tool, read_again(tool, tensor, &again), NULL);
  if (why) return tell_unknown(tool, tensor, why);
  return tell(tool, tensor, poison_find(&tensor->array, &again));
}

int run_check_written(Tool *tool, KernelRun *run) {
  if (!strcmp(tile_device_name(run->device), "null")) return EXIT_FINE;
  const char *why = has_suspects(run) ? launch_again(tool, run) : NULL;
  int code = EXIT_FINE;
  for (size_t i = 0; i < run->tensors.count; i++) {
    const int result = check(tool, &run->tensors.items[i], why);
    if (result) code = result;
  }
  return code;
}
