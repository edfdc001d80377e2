// ring.h -- shared by the parts of the example.
//
// Process r of R has the rows first[r] to first[r + 1] of queries, keys and
// values.  In R steps the parts of keys and values go around: each process
// sends the part it has to the next one and receives that of the one before,
// while its kernel works on the part that it has.
#ifndef RING_H
#define RING_H

#include "tile/engine.h"
#include "tile/tile.h"

#include <stdbool.h>
#include <stddef.h>

enum { HEAD_DIM = 32, BLOCK = 32, MAX_RANKS = 64 };

typedef struct {
  int heads, length;
  bool causal;
  int num_ranks;
  int first[MAX_RANKS + 1]; // rows of each rank
} Problem;

// Moves a part.  `start` returns before the bytes have arrived; `wait` does
// not.  Addresses are of the device's memory.
typedef struct Transport {
  const char *name;
  int rank, size;
  void (*start)(struct Transport *, const void *send, size_t send_bytes,
                void *receive, size_t receive_bytes);
  void (*wait)(struct Transport *);
  void (*close)(struct Transport *);
  void *state;
} Transport;

// By MPI, for memory of the host; by NCCL, for that of a GPU.
void transport_open_mpi(Transport *out);
void transport_open_nccl(Transport *out, TileDevice *device);

// Ends all processes.
_Noreturn __attribute__((format(printf, 1, 2))) void fail(const char *format,
                                                          ...);
void must(TileStatus status, const char *doing, TileDiagnostics *why);

typedef struct {
  TileDevice *device;
  TileKernel *kernel;
  const char *log; // the file's name, or NULL
  int dies_at;     // the step at which this process kills itself; -1: none
} Engine;

// Attention of this rank's rows of q over all keys: [heads, rows, HEAD_DIM] of
// q, k, v and out.  Returns the bytes sent.
size_t ring_attention(const Engine *engine, const Problem *problem,
                      Transport *transport, const float *q, const float *k,
                      const float *v, float *out);

#endif
