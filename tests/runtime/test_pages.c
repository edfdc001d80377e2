// test_pages -- no page is writable and executable at once, in libtile, whose
// code comes from images or from LLVM's linker, and in libtilert.
//
// The calls that map and protect pages come here first, from all libraries.
// After each, and while a kernel prints, the system's list of pages is read.
//
// Backs I8 of runtime/rt.
#define _GNU_SOURCE // MAP_ANONYMOUS, syscall
#include "tile/tile.h"
#include "tile/tilert.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WRAPPER __attribute__((visibility("default")))

static _Atomic int num_wrong, num_executable, num_prints;
static _Atomic bool refuses; // the next pages that shall be executable

// -- Pages -------------------------------------------------------------------

typedef struct {
  char text[4096];
  size_t length, next;
  int file;
} Maps;

static int read_char(Maps *maps) {
  if (maps->next == maps->length) {
    const ssize_t got = read(maps->file, maps->text, sizeof maps->text);
    if (got <= 0) return EOF;
    maps->length = (size_t)got;
    maps->next = 0;
  }
  return maps->text[maps->next++];
}

// A line is "7f00-7f10 rw-p 0000 ...".
static void look_at_pages(void) {
  Maps maps = {.file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
  char flags[4] = "";
  size_t place = 0; // behind the line's first space
  num_wrong += maps.file < 0;
  for (int c; (c = read_char(&maps)) != EOF;) {
    if (place && place <= sizeof flags) flags[place - 1] = (char)c;
    place = c == '\n' ? 0 : place || c == ' ' ? place + 1 : 0;
    if (c == '\n') num_wrong += flags[1] == 'w' && flags[2] == 'x';
  }
  close(maps.file);
}

static void look_at(int protection) {
  const int error = errno;
  num_wrong += (protection & PROT_WRITE) && (protection & PROT_EXEC);
  num_executable += (protection & PROT_EXEC) != 0;
  look_at_pages();
  errno = error;
}

WRAPPER int mprotect(void *at, size_t size, int protection) {
  if ((protection & PROT_EXEC) && refuses) {
    refuses = false;
    errno = EACCES;
    return -1;
  }
  const long result = syscall(SYS_mprotect, at, size, protection);
  look_at(protection);
  return (int)result;
}

WRAPPER void *mmap(void *at, size_t size, int protection, int flags, int file,
                   off_t offset) {
  const long result =
      syscall(SYS_mmap, at, size, protection, flags, file, offset);
  // The same memory may be mapped twice, here to be executed.
  num_wrong += (protection & PROT_EXEC) && (flags & MAP_SHARED);
  look_at(protection);
  return (void *)result; // MAP_FAILED is -1
}

WRAPPER void *mmap64(void *at, size_t size, int protection, int flags, int file,
                     off64_t offset) {
  return mmap(at, size, protection, flags, file, offset);
}

// -- Kernels -----------------------------------------------------------------

static _Alignas(64) int32_t x[4];
static TileArg args[2];

static void while_it_runs(void *ctx, const char *line) {
  (void)ctx, (void)line;
  look_at_pages();
  num_prints++;
}

static TileStatus run_source(void) {
  const TileContextOptions options = {.size = sizeof options,
                                      .print = while_it_runs};
  const TileConstant block = {"BLOCK", tile_int_arg(4)};
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileLaunch launch = {.grid = {1},
                       .args = args,
                       .num_args = 2,
                       .constants = &block,
                       .num_constants = 1};
  TileStatus status = tile_context_create(&options, &context);
  if (!status) status = tile_device_open(context, "cpu", &device, NULL);
  if (!status) status = tile_program_load(context, TALK_FILE, &program, NULL);
  if (!status)
    status = tile_program_kernel(program, "talk", &launch.kernel, NULL);
  if (!status) status = tile_launch(device, &launch, NULL);
  if (status) return status;
  tile_program_destroy(program);
  tile_device_destroy(device);
  tile_context_destroy(context);
  return TILE_OK;
}

static TileStatus run_pack(void) {
  const TilertOptions options = {.size = sizeof options,
                                 .print = while_it_runs};
  TilertPack *pack;
  TilertDevice *device;
  TilertLaunch launch = {
      .kernel = "talk", .grid = {1}, .args = args, .num_args = 2};
  TileStatus status = tilert_pack_open(TALK_PACK, &options, &pack, NULL);
  if (!status) status = tilert_device_open("cpu", &options, &device, NULL);
  if (status) return status;
  launch.pack = pack;
  status = tilert_launch(device, &launch, NULL);
  tilert_device_close(device);
  tilert_pack_close(pack);
  return status;
}

// The kernel adds 1, and its code was made executable here.
static bool expect(const char *name, TileStatus (*run)(void)) {
  const int32_t before = x[3];
  num_wrong = num_executable = num_prints = 0;
  const TileStatus status = run();
  look_at_pages();
  const bool ok = !status && x[3] == before + 1 && !num_wrong &&
                  num_executable && num_prints && !refuses;
  printf("%s: %s, %d pages made executable, %d writable ones, %d lines: %s\n",
         name, tile_status_text(status), num_executable, num_wrong, num_prints,
         ok ? "ok" : "WRONG");
  return ok;
}

// The test sees pages that are writable and executable.
static bool expect_to_see(void) {
  num_wrong = 0;
  char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return true; // the system allows none
  const bool ok = num_wrong == 2;      // asked for, and listed
  munmap(page, 4096);
  return ok;
}

int main(void) {
  args[0] = tile_pointer_arg(x, TILE_INT32);
  args[1] = tile_int_arg(100);
  bool ok = expect_to_see();
  ok = expect("libtile, an image", run_source) && ok;
  refuses = true; // so that LLVM links the code
  ok = expect("libtile, LLVM", run_source) && ok;
  ok = expect("libtilert", run_pack) && ok;
  return !ok;
}
