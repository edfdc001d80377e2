// fake_nccl.c -- as much of NCCL as the example calls, for tests without a GPU.
//
// Bytes go by MPI, from and to the memory of the driver that $TILE_LIBCUDA
// names: the simulator.  A group is done when it ends.
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char internal[128];
} UniqueId;
typedef struct Comm {
  MPI_Comm mpi;
} Comm;

static int (*to_host)(void *, unsigned long long, size_t);
static int (*to_device)(unsigned long long, const void *, size_t);
static int (*finish)(void *stream);

static struct {
  const void *from;
  void *to;
  size_t send_count, receive_count;
  int to_rank, from_rank;
  Comm *comm;
  void *stream;
} group;

int ncclGetUniqueId(UniqueId *id);
int ncclCommInitRank(Comm **out, int size, UniqueId id, int rank);
int ncclCommDestroy(Comm *comm);
int ncclSend(const void *from, size_t count, int type, int peer, Comm *comm,
             void *stream);
int ncclRecv(void *to, size_t count, int type, int peer, Comm *comm,
             void *stream);
int ncclGroupStart(void);
int ncclGroupEnd(void);
const char *ncclGetErrorString(int result);

int ncclGetUniqueId(UniqueId *id) {
  memset(id, 7, sizeof *id);
  return 0;
}

static int find(void *library, const char *name, void *out) {
  void *symbol = library ? dlsym(library, name) : NULL;
  memcpy(out, &symbol, sizeof symbol);
  return symbol ? 0 : 2;
}

// `id` must be that of rank 0.
int ncclCommInitRank(Comm **out, int size, UniqueId id, int rank) {
  const char *path = getenv("TILE_LIBCUDA");
  void *driver = path ? dlopen(path, RTLD_NOW) : NULL;
  int real_size, real_rank;
  if (find(driver, "cuMemcpyDtoH_v2", &to_host) ||
      find(driver, "cuMemcpyHtoD_v2", &to_device) ||
      find(driver, "cuStreamSynchronize", &finish))
    return 2;
  *out = malloc(sizeof **out);
  if (!*out) return 2;
  MPI_Comm_dup(MPI_COMM_WORLD, &(*out)->mpi);
  MPI_Comm_size((*out)->mpi, &real_size);
  MPI_Comm_rank((*out)->mpi, &real_rank);
  return size != real_size || rank != real_rank || id.internal[127] != 7 ? 4
                                                                         : 0;
}

int ncclCommDestroy(Comm *comm) {
  MPI_Comm_free(&comm->mpi);
  free(comm);
  return 0;
}

int ncclGroupStart(void) {
  memset(&group, 0, sizeof group);
  return 0;
}

int ncclSend(const void *from, size_t count, int type, int peer, Comm *comm,
             void *stream) {
  group.from = from;
  group.send_count = count;
  group.to_rank = peer;
  group.comm = comm;
  group.stream = stream;
  return type ? 4 : 0;
}

int ncclRecv(void *to, size_t count, int type, int peer, Comm *comm,
             void *stream) {
  group.to = to;
  group.receive_count = count;
  group.from_rank = peer;
  return type || comm != group.comm || stream != group.stream ? 4 : 0;
}

int ncclGroupEnd(void) {
  char *out = malloc(group.send_count + 1);
  char *in = malloc(group.receive_count + 1);
  int result = !out || !in || finish(group.stream) ? 1 : 0;
  if (!result && group.send_count)
    result = to_host(out, (unsigned long long)group.from, group.send_count);
  if (!result)
    MPI_Sendrecv(out, (int)group.send_count, MPI_BYTE, group.to_rank, 0, in,
                 (int)group.receive_count, MPI_BYTE, group.from_rank, 0,
                 group.comm->mpi, MPI_STATUS_IGNORE);
  if (!result && group.receive_count)
    result = to_device((unsigned long long)group.to, in, group.receive_count);
  free(out);
  free(in);
  return result ? 1 : 0;
}

const char *ncclGetErrorString(int result) {
  return result == 4   ? "invalid argument"
         : result == 2 ? "unhandled system error"
                       : "unhandled cuda error";
}
