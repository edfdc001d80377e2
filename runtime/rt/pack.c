// pack.c -- opening packs.
#include "runtime/rt/rt.h"

#include "runtime/errors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// -- Helpers of all calls ----------------------------------------------------

TileStatus rt_fail(TilertError *error, TileStatus status, const char *format,
                   ...) {
  va_list args;
  va_start(args, format);
  if (error) vsnprintf(error->text, sizeof error->text, format, args);
  va_end(args);
  return status;
}

TileStatus rt_fault(TilertError *error, const Fault *fault) {
  const char *text =
      fault->text[0] ? fault->text : tilert_status_text(fault->status);
  return rt_fail(error, fault->status, "%s", text);
}

Allocator rt_allocator(const TilertOptions *options) {
  if (!options || !options->allocator.alloc) return system_allocator;
  const TileAllocator *given = &options->allocator;
  return (Allocator){given->alloc, given->free, given->ctx};
}

#define SIZED(name, type, last)                                                \
  const SizedStruct rt_sized_##name = {                                        \
      #name, #type, offsetof(type, last) + sizeof(((type *)0)->last),          \
      sizeof(type)};
SIZED(options, TilertOptions, num_threads)
SIZED(launch, TilertLaunch, launch_pdl)

TileStatus rt_read(TilertError *error, const SizedStruct *sized,
                   const void *from, void *to) {
  if (!from) {
    memset(to, 0, sized->size);
    return TILE_OK;
  }
  switch (sized_copy(sized, from, to)) {
  case SIZED_TOO_SMALL:
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_struct_too_small,
                   sized->name, sized->type, sized->least,
                   sized_size(sized, from));
  case SIZED_TOO_NEW:
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_struct_too_new,
                   sized->name, sized->type, tilert_version());
  case SIZED_FINE: break;
  }
  return TILE_OK;
}

const char *tilert_version(void) {
#define TEXT_OF(x)  #x
#define EXPANDED(x) TEXT_OF(x)
  return EXPANDED(TILE_VERSION_MAJOR) "." EXPANDED(
      TILE_VERSION_MINOR) "." EXPANDED(TILE_VERSION_PATCH);
}

const char *tilert_status_text(TileStatus status) {
  static const char *const texts[] = {
#define STATUS(name, text) text,
#include "tile/status.def"
  };
  return (size_t)status < sizeof texts / sizeof *texts ? texts[status]
                                                       : "unknown status";
}

// -- Reading -----------------------------------------------------------------

typedef struct {
  TilertPack *pack;
  Bytes bytes;
  PackState state;
} PackReading;

static void read_body(void *data) {
  PackReading *r = data;
  r->state = pack_read(r->bytes, &r->pack->arena, &r->pack->pack);
}

static TileStatus refuse(TilertError *error, PackState state,
                         const char *name) {
  return rt_fail(error, TILE_FILE_ERROR,
                 state == PACK_NO_PACK         ? ERROR_pack_is_none
                 : state == PACK_OTHER_VERSION ? ERROR_pack_version
                                               : ERROR_pack_broken,
                 name);
}

// Takes ownership of `file`; NULL: the bytes are the caller's.
static TileStatus make_pack(const Allocator *from, Bytes bytes, char *file,
                            const char *name, TilertPack **out,
                            TilertError *error) {
  TilertPack *pack = from->alloc(from->ctx, sizeof *pack);
  if (!pack) {
    if (file) from->free(from->ctx, file);
    return rt_fail(error, TILE_OUT_OF_MEMORY, ERROR_pack_no_memory, name);
  }
  *pack = (TilertPack){.from = *from, .file = file};
  arena_init(&pack->arena, &pack->from);
  PackReading reading = {.pack = pack, .bytes = bytes};
  const bool has_memory = arena_protect(&pack->arena, read_body, &reading);
  if (has_memory && reading.state == PACK_FINE) {
    *out = pack;
    return TILE_OK;
  }
  tilert_pack_close(pack);
  if (has_memory) return refuse(error, reading.state, name);
  return rt_fail(error, TILE_OUT_OF_MEMORY, ERROR_pack_no_memory, name);
}

TileStatus tilert_pack_read(const void *bytes, size_t size,
                            const TilertOptions *options, TilertPack **out,
                            TilertError *error) {
  TilertOptions known;
  if (!bytes || !out)
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_is_null,
                   bytes ? "out" : "bytes");
  const TileStatus status = rt_read(error, &rt_sized_options, options, &known);
  if (status) return status;
  const Allocator from = rt_allocator(&known);
  return make_pack(&from, (Bytes){bytes, size}, NULL, "memory", out, error);
}

// -- Files -------------------------------------------------------------------

static bool read_fully(int file, char *to, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t count = read(file, to + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = EIO; // the file became shorter
    if (count <= 0) return false;
    done += (size_t)count;
  }
  return true;
}

static TileStatus read_open(const Allocator *from, int file, const char *path,
                            TilertPack **out, TilertError *error) {
  struct stat about;
  if (fstat(file, &about) || !S_ISREG(about.st_mode))
    return rt_fail(error, TILE_FILE_ERROR, ERROR_pack_no_file, path);
  const size_t size = (size_t)about.st_size;
  char *bytes = from->alloc(from->ctx, size + 1);
  if (!bytes)
    return rt_fail(error, TILE_OUT_OF_MEMORY, ERROR_pack_no_memory, path);
  if (read_fully(file, bytes, size))
    return make_pack(from, (Bytes){bytes, size}, bytes, path, out, error);
  from->free(from->ctx, bytes);
  return rt_fail(error, TILE_FILE_ERROR, ERROR_pack_not_read, path,
                 strerror(errno));
}

TileStatus tilert_pack_open(const char *path, const TilertOptions *options,
                            TilertPack **out, TilertError *error) {
  TilertOptions known;
  if (!path || !out)
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_is_null,
                   path ? "out" : "path");
  TileStatus status = rt_read(error, &rt_sized_options, options, &known);
  if (status) return status;
  const Allocator from = rt_allocator(&known);
  // A pipe is refused without waiting for it.
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return rt_fail(error, TILE_FILE_ERROR, ERROR_pack_not_read, path,
                   strerror(errno));
  status = read_open(&from, file, path, out, error);
  close(file);
  return status;
}

void tilert_pack_close(TilertPack *pack) {
  if (!pack) return;
  const Allocator from = pack->from;
  arena_free(&pack->arena);
  if (pack->file) from.free(from.ctx, pack->file);
  from.free(from.ctx, pack);
}

size_t tilert_pack_num_kernels(const TilertPack *pack) {
  return pack ? pack->pack.num_kernels : 0;
}

const char *tilert_pack_kernel_name(const TilertPack *pack, size_t index) {
  return index < tilert_pack_num_kernels(pack) ? pack->pack.kernels[index].name
                                               : "";
}
