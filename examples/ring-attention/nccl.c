// nccl.c -- sends parts by NCCL, from the memory of one GPU to that of another.
//
// The library is opened by name: $TILE_LIBNCCL, else libnccl.so.2.  MPI only
// brings the processes together.  Copies have a stream of their own, so that
// they and the kernel do not wait for each other.
#include "ring.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

// These declarations are what the example uses of nccl.h.
enum { NCCL_INT8 = 0 };
typedef struct {
  char internal[128];
} UniqueId;
typedef struct Comm Comm;

static struct {
  int (*ncclGetUniqueId)(UniqueId *id);
  int (*ncclCommInitRank)(Comm **out, int size, UniqueId id, int rank);
  int (*ncclCommDestroy)(Comm *comm);
  int (*ncclSend)(const void *from, size_t count, int type, int peer,
                  Comm *comm, void *stream);
  int (*ncclRecv)(void *to, size_t count, int type, int peer, Comm *comm,
                  void *stream);
  int (*ncclGroupStart)(void);
  int (*ncclGroupEnd)(void);
  const char *(*ncclGetErrorString)(int result);
} nccl;

static TileDevice *device;
static void *stream;
static Comm *comm;

static void check(int result, const char *doing) {
  if (result) fail("NCCL: %s: %s", doing, nccl.ncclGetErrorString(result));
}

static void load(void) {
  static const char *const names[] = {"ncclGetUniqueId", "ncclCommInitRank",
                                      "ncclCommDestroy", "ncclSend",
                                      "ncclRecv",        "ncclGroupStart",
                                      "ncclGroupEnd",    "ncclGetErrorString"};
  const char *path = getenv("TILE_LIBNCCL");
  if (!path || !*path) path = "libnccl.so.2";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fail("NCCL: %s ($TILE_LIBNCCL names the library)", dlerror());
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void *symbol = dlsym(library, names[i]);
    if (!symbol) fail("NCCL: '%s' has no %s", path, names[i]);
    memcpy((char *)&nccl + i * sizeof symbol, &symbol, sizeof symbol);
  }
}

// Makes the context of the stream current in the thread: NCCL uses its device.
static void make_current(void) {
  int (*stream_context)(void *stream, void **context);
  int (*set_current)(void *context);
  const char *path = getenv("TILE_LIBCUDA");
  void *driver = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW);
  void *get = driver ? dlsym(driver, "cuStreamGetCtx") : NULL;
  void *set = driver ? dlsym(driver, "cuCtxSetCurrent") : NULL;
  void *context = NULL;
  if (!get || !set) fail("NCCL: no CUDA driver beside it");
  memcpy(&stream_context, &get, sizeof get);
  memcpy(&set_current, &set, sizeof set);
  if (stream_context(stream, &context) || set_current(context))
    fail("NCCL: the device's context cannot be made current");
}

// Sends and receives in one group, since each process waits until another one
// receives.
static void start(Transport *t, const void *send, size_t send_bytes,
                  void *receive, size_t receive_bytes) {
  const int next = (t->rank + 1) % t->size;
  const int before = (t->rank + t->size - 1) % t->size;
  check(nccl.ncclGroupStart(), "a group");
  check(nccl.ncclSend(send, send_bytes, NCCL_INT8, next, comm, stream),
        "sending");
  check(nccl.ncclRecv(receive, receive_bytes, NCCL_INT8, before, comm, stream),
        "receiving");
  check(nccl.ncclGroupEnd(), "the end of a group");
}

static void wait(Transport *t) {
  (void)t;
  TileDiagnostics *why = NULL;
  must(tile_stream_sync(device, stream, &why), "the exchange", why);
}

static void close(Transport *t) {
  (void)t;
  check(nccl.ncclCommDestroy(comm), "the end");
  tile_stream_destroy(device, stream);
}

void transport_open_nccl(Transport *out, TileDevice *on) {
  UniqueId id;
  TileDiagnostics *why = NULL;
  *out =
      (Transport){.name = "nccl", .start = start, .wait = wait, .close = close};
  MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &out->size);
  load();
  device = on;
  must(tile_stream_create(device, &stream, &why), "a stream", why);
  make_current();
  if (!out->rank) check(nccl.ncclGetUniqueId(&id), "an identity");
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  check(nccl.ncclCommInitRank(&comm, out->size, id, out->rank), "joining");
}
