// groups.cu -- cooperative groups: tiles of two warps, which keep barriers in
// the system's shared memory, groups of those that took a branch, and lanes
// that return before others shuffle.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// The sum of each 64 threads, and the number of thread 40 among them.
extern "C" __global__ void tiles(const int *in, int *out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<64>(block);
  const int i = block.thread_rank();
  const int sum = cg::reduce(tile, in[i], cg::plus<int>());
  out[i] = sum * 1000 + tile.shfl(in[i], 40);
}

// The rank among the odd ones of a warp, and how many there are.
extern "C" __global__ void odd(const int *in, int *out) {
  const int i = threadIdx.x;
  out[i] = -1;
  if (in[i] & 1) {
    const auto group = cg::coalesced_threads();
    out[i] = group.thread_rank() * 100 + group.size();
  }
}

// Sums of halves of warps; those beyond n have returned.
extern "C" __global__ void halves(const int *in, int *out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  int sum = in[i];
  if (i & 16) {
    for (int d = 8; d; d >>= 1) sum += __shfl_xor_sync(0xffff0000, sum, d);
  } else {
    for (int d = 8; d; d >>= 1) sum += __shfl_xor_sync(0x0000ffff, sum, d);
  }
  out[i] = sum + __shfl_sync(0xffffffff, sum, 0);
}
