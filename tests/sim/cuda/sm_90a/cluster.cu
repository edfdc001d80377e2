// cluster.cu -- what CTAs of a cluster do together.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each CTA fills a tile; each then adds up all tiles of its cluster.
extern "C" __global__ void sums(const int *in, int *out) {
  __shared__ int tile[64];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned i = threadIdx.x;
  tile[i] = in[blockIdx.x * 64 + i];
  cluster.sync();
  int sum = 0;
  for (unsigned rank = 0; rank < cluster.num_blocks(); rank++)
    sum += cluster.map_shared_rank(tile, rank)[i];
  out[blockIdx.x * 64 + i] = sum;
  cluster.sync();
}

// A histogram whose bins lie in all CTAs.
extern "C" __global__ void histogram(const int *in, int *out, int count,
                                     int bins_per_block) {
  extern __shared__ int bins[];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) bins[i] = 0;
  cluster.sync();
  for (unsigned i = cluster.thread_rank(); i < count;
       i += cluster.num_threads()) {
    const int bin = in[i];
    int *there = cluster.map_shared_rank(bins, bin / bins_per_block);
    atomicAdd(there + bin % bins_per_block, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
    out[rank * bins_per_block + i] = bins[i];
}

// What each thread knows of its place.
extern "C" __global__ void places(int *out) {
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned block =
      blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const dim3 in_cluster = cluster.block_index(), size = cluster.dim_blocks();
  int *mine = out + block * 8;
  mine[0] = cluster.block_rank();
  mine[1] = cluster.num_blocks();
  mine[2] = in_cluster.x + 100 * in_cluster.y + 10000 * in_cluster.z;
  mine[3] = size.x + 100 * size.y + 10000 * size.z;
  unsigned x, y, z, n;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
  asm("mov.u32 %0, %%clusterid.y;" : "=r"(y));
  asm("mov.u32 %0, %%clusterid.z;" : "=r"(z));
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(n));
  mine[4] = x + 100 * y + 10000 * z;
  mine[5] = n;
  __shared__ int here;
  mine[6] = cluster.query_shared_rank(cluster.map_shared_rank(&here, 1));
  mine[7] = 1;
}

// Without an attribute.
extern "C" __global__ void __cluster_dims__(2, 1, 1) pair(int *out) {
  __shared__ int word;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) word = 10 + blockIdx.x;
  cluster.sync();
  if (threadIdx.x == 0)
    out[blockIdx.x] = *cluster.map_shared_rank(&word, cluster.block_rank() ^ 1);
  cluster.sync();
}
