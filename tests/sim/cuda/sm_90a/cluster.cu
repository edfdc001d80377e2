// cluster.cu -- CTAs of a cluster that work together.
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

// The special registers of each thread that tell its place in the cluster.
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

// A kernel with a cluster size of its own, launched without an attribute.
extern "C" __global__ void __cluster_dims__(2, 1, 1) pair(int *out) {
  __shared__ int word;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) word = 10 + blockIdx.x;
  cluster.sync();
  if (threadIdx.x == 0)
    out[blockIdx.x] = *cluster.map_shared_rank(&word, cluster.block_rank() ^ 1);
  cluster.sync();
}

static __device__ unsigned to_shared(const void *p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

static __device__ unsigned of_rank(unsigned address, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(there)
      : "r"(address), "r"(rank));
  return there;
}

static __device__ void init(unsigned barrier, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n"
               "fence.mbarrier_init.release.cluster;" ::"r"(barrier),
               "r"(count)
               : "memory");
}

static __device__ void expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   barrier),
               "r"(bytes)
               : "memory");
}

static __device__ void wait(unsigned barrier, unsigned parity) {
  asm volatile("{ .reg .pred p;\n"
               "L: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, "
               "[%0], %1;\n"
               "@!p bra L; }" ::"r"(barrier),
               "r"(parity)
               : "memory");
}

// Values go around the cluster, each round to the next CTA.
extern "C" __global__ void ring(const int *in, int *out, int rounds) {
  __shared__ alignas(16) int tiles[2][4 * 32];
  __shared__ alignas(8) unsigned long long full[2];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  const int i = threadIdx.x;
  if (i == 0) {
    init(to_shared(&full[0]), 1);
    init(to_shared(&full[1]), 1);
  }
  cluster.sync();
  int4 value = reinterpret_cast<const int4 *>(in)[blockIdx.x * 32 + i];
  for (int round = 0; round < rounds; round++) {
    const int stage = round % 2;
    const unsigned bar = to_shared(&full[stage]);
    if (i == 0) expect(bar, sizeof tiles[0]);
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.s32 "
        "[%0], {%1, %2, %3, %4}, [%5];" ::"r"(
            of_rank(to_shared(&tiles[stage][4 * i]), next)),
        "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w),
        "r"(of_rank(bar, next))
        : "memory");
    wait(bar, round / 2 % 2);
    value = *reinterpret_cast<int4 *>(&tiles[stage][4 * i]);
    value.x++;
    cluster.sync();
  }
  reinterpret_cast<int4 *>(out)[blockIdx.x * 32 + i] = value;
}

#define REDUCE(op, type, constraint, index, value)                             \
  asm volatile("red.async.relaxed.cluster.shared::cluster"                     \
               ".mbarrier::complete_tx::bytes." op "." type                    \
               " [%0], %1, [%2];" ::"r"(of_rank(to_shared(&sums[index]), 0)),  \
               constraint(value), "r"(of_rank(bar, 0))                         \
               : "memory")

// All threads of the cluster tally in rank 0.
extern "C" __global__ void tally(unsigned long long *out) {
  __shared__ alignas(16) unsigned long long sums[8];
  __shared__ alignas(8) unsigned long long full;
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned bar = to_shared(&full), n = cluster.thread_rank();
  if (threadIdx.x == 0) {
    for (int i = 0; i < 8; i++) sums[i] = i == 3 || i == 5 ? 0xffffffffu : 0;
    init(bar, 1);
    expect(bar, cluster.num_threads() * (8 + 7 * 4));
  }
  cluster.sync();
  REDUCE("add", "u64", "l", 0, (unsigned long long)n << 30);
  REDUCE("add", "s32", "r", 1, (int)n - 5);
  REDUCE("max", "s32", "r", 2, 3 - (int)n);
  REDUCE("min", "u32", "r", 3, n + 9);
  REDUCE("inc", "u32", "r", 4, 9u);
  REDUCE("and", "b32", "r", 5, ~(1u << n % 32));
  REDUCE("or", "b32", "r", 6, 1u << n % 31);
  REDUCE("xor", "b32", "r", 7, n);
  if (cluster.block_rank() == 0) {
    wait(bar, 0);
    if (threadIdx.x < 8) out[threadIdx.x] = sums[threadIdx.x];
  }
  cluster.sync();
}

// Each rank loads its share of a tile for all, and sends the results of its own
// part to the next rank.
extern "C" __global__ void spread(const int *in, int *out, unsigned share) {
  __shared__ alignas(128) int tile[256], mine[32], got[32];
  __shared__ alignas(8) unsigned long long loaded, sent;
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), count = cluster.num_blocks();
  const unsigned next = (rank + 1) % count;
  const int i = threadIdx.x;
  if (i == 0) {
    init(to_shared(&loaded), 1);
    init(to_shared(&sent), 1);
    expect(to_shared(&loaded), 4 * share * count);
    expect(to_shared(&sent), sizeof got);
  }
  cluster.sync();
  if (i == 0)
    asm volatile("cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1], %2, [%3], %4;" ::"r"(
                     to_shared(tile + rank * share)),
                 "l"(in + (blockIdx.x / count * count + rank) * share),
                 "r"(4 * share), "r"(to_shared(&loaded)),
                 "h"(static_cast<unsigned short>((1u << count) - 1))
                 : "memory");
  wait(to_shared(&loaded), 0);
  int sum = 0;
  for (unsigned j = i; j < share * count; j += 32) sum += tile[j];
  mine[i] = sum + 1000 * rank;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (i == 0)
    asm volatile("cp.async.bulk.shared::cluster.shared::cta"
                 ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     of_rank(to_shared(got), next)),
                 "r"(to_shared(mine)), "r"(128),
                 "r"(of_rank(to_shared(&sent), next))
                 : "memory");
  wait(to_shared(&sent), 0);
  out[blockIdx.x * 32 + i] = got[i];
  cluster.sync();
}
