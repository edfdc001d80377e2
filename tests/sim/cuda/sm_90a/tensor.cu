// tensor.cu -- tensor maps and copies by them, in inline PTX.
#include <cstdint>
#include <cuda.h>

__device__ uint32_t place_of(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void init(uint64_t *barrier, uint32_t count) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place_of(barrier)),
      "r"(count));
}

__device__ void make_inits_known() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ void expect(uint64_t *barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], "
               "%1;" ::"r"(place_of(barrier)),
               "r"(bytes)
               : "memory");
}

__device__ void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(
                   place_of(barrier))
               : "memory");
}

__device__ void wait_for(uint64_t *barrier, uint32_t parity) {
  asm volatile(
      "{ .reg .pred p;\n"
      "again: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%0], "
      "%1;\n@p bra done;\nbra again;\ndone: }" ::"r"(place_of(barrier)),
      "r"(parity)
      : "memory");
}

__device__ void load_2d(void *to, const CUtensorMap *map, int x, int y,
                        uint64_t *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier"
      "::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(place_of(to)),
      "l"(map), "r"(x), "r"(y), "r"(place_of(barrier))
      : "memory");
}

__device__ void store_2d(const CUtensorMap *map, int x, int y,
                         const void *from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
               "[%0, {%1, %2}], [%3];" ::"l"(map),
               "r"(x), "r"(y), "r"(place_of(from))
               : "memory");
}

__device__ void add_2d(const CUtensorMap *map, int x, int y, const void *from) {
  asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile"
               ".bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
               "r"(x), "r"(y), "r"(place_of(from))
               : "memory");
}

__device__ void fence_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ void finish_stores() {
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::
                   : "memory");
}

// Tiles of 32 by 32 words, in rows of 128 bytes that are swizzled on the way in
// and on the way out.
constexpr int TILE = 32;
__device__ uint32_t &at(uint32_t *tile, int row, int column) {
  const int chunk = (column / 4) ^ (row % 8);
  return tile[row * TILE + chunk * 4 + column % 4];
}

extern "C" __global__ void transpose(const __grid_constant__ CUtensorMap from,
                                     const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(1024) uint32_t in[TILE * TILE], out[TILE * TILE];
  __shared__ uint64_t full;
  const int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&from) : "memory");
    init(&full, 1);
    make_inits_known();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&full, sizeof in);
    load_2d(in, &from, x, y, &full);
  }
  wait_for(&full, 0);
  for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x)
    at(out, i % TILE, i / TILE) = at(in, i / TILE, i % TILE);
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    store_2d(&to, y, x, out);
    finish_stores();
  }
}

// Sums over the rows of a matrix: warp 0 loads, the others add, through three
// stages.  `frees`: the others signal when they have read a stage.
constexpr int STAGES = 3, ROWS = 8, COLUMNS = 64;
extern "C" __global__ void __launch_bounds__(96, 1)
    sum_rows(const __grid_constant__ CUtensorMap map, float *sums, int rows,
             int frees) {
  __shared__ alignas(1024) float stage[STAGES][ROWS][COLUMNS];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) {
      init(&full[i], 1);
      init(&empty[i], 64);
    }
    make_inits_known();
  }
  __syncthreads();
  const int blocks = (rows + ROWS - 1) / ROWS;
  if (threadIdx.x < 32) {
    for (int i = 0; threadIdx.x == 0 && i < blocks; i++) {
      const int s = i % STAGES;
      if (frees) wait_for(&empty[s], i / STAGES % 2 ^ 1);
      expect(&full[s], sizeof stage[s]);
      load_2d(stage[s], &map, blockIdx.x * COLUMNS, i * ROWS, &full[s]);
    }
    return;
  }
  const int me = threadIdx.x - 32;
  float sum = 0;
  for (int i = 0; i < blocks; i++) {
    const int s = i % STAGES;
    wait_for(&full[s], i / STAGES % 2);
    for (int j = 0; j < ROWS; j++) sum += stage[s][j][me];
    arrive(&empty[s]);
  }
  sums[blockIdx.x * COLUMNS + me] = sum;
}

// Each block adds its number to a tile that all share.
extern "C" __global__ void add_all(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[8][16];
  for (int i = threadIdx.x; i < 128; i += blockDim.x)
    tile[i / 16][i % 16] = static_cast<float>(blockIdx.x + i);
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    add_2d(&map, 0, 0, tile);
    finish_stores();
  }
}

// Copies matrices of many sizes, each by maps that differ from the usual map
// only in addresses and sizes.
struct Matrix {
  void *from, *to;
  uint32_t columns, rows;
  uint64_t stride;
};

__device__ void change(CUtensorMap *map, const Matrix &m, void *address) {
  const uint32_t place = place_of(map);
  asm volatile(
      "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;\n"
      "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %2;\n"
      "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %3;\n"
      "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, "
      "%4;" ::"r"(place),
      "l"(address), "r"(m.columns), "r"(m.rows), "l"(m.stride)
      : "memory");
}

__device__ void publish(CUtensorMap *to, const CUtensorMap *from) {
  asm volatile(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release"
      ".gpu.sync.aligned [%0], [%1], 128;" ::"l"(to),
      "r"(place_of(from))
      : "memory");
}

__device__ void acquire(const CUtensorMap *map) {
  asm volatile(
      "fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map)
      : "memory");
}

extern "C" __global__ void copy_many(const __grid_constant__ CUtensorMap usual,
                                     const Matrix *matrices,
                                     CUtensorMap *maps) {
  __shared__ alignas(1024) uint32_t tile[TILE * TILE];
  __shared__ alignas(128) CUtensorMap made[2];
  __shared__ uint64_t full;
  const Matrix m = matrices[blockIdx.x];
  CUtensorMap *mine = maps + 2 * blockIdx.x;
  if (threadIdx.x < 32) {
    for (int i = 0; i < 2; i++) {
      if (threadIdx.x == 0) {
        made[i] = usual;
        change(&made[i], m, i ? m.to : m.from);
      }
      __syncwarp();
      publish(&mine[i], &made[i]);
    }
  }
  if (threadIdx.x == 0) {
    init(&full, 1);
    make_inits_known();
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  acquire(&mine[0]);
  acquire(&mine[1]);
  uint32_t parity = 0;
  for (uint32_t y = 0; y < m.rows; y += TILE)
    for (uint32_t x = 0; x < m.columns; x += TILE) {
      expect(&full, sizeof tile);
      load_2d(tile, &mine[0], x, y, &full);
      wait_for(&full, parity);
      parity ^= 1;
      store_2d(&mine[1], x, y, tile);
      finish_stores();
    }
}

// A 3 by 3 filter of ones over images of 16 channels: nine loads of 32 pixels.
extern "C" __global__ void box_filter(const __grid_constant__ CUtensorMap map,
                                      float *out, int width, int height) {
  __shared__ alignas(128) float pixels[32][16];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    init(&full, 1);
    make_inits_known();
  }
  __syncthreads();
  const int first = blockIdx.x * 32;
  const int w = first % width - 1, h = first / width % height - 1;
  const int n = first / width / height;
  float sum = 0;
  for (int i = 0; i < 9; i++) {
    if (threadIdx.x == 0) {
      expect(&full, sizeof pixels);
      const uint16_t dx = i % 3, dy = i / 3;
      asm volatile(
          "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier"
          "::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, "
          "%8};" ::"r"(place_of(pixels)),
          "l"(&map), "r"(0), "r"(w), "r"(h), "r"(n), "r"(place_of(&full)),
          "h"(dx), "h"(dy)
          : "memory");
    }
    wait_for(&full, i % 2);
    sum += pixels[threadIdx.x / 16][threadIdx.x % 16];
    __syncthreads();
  }
  out[first * 16 + threadIdx.x] = sum;
}

__device__ void meet_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n"
               "barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

__device__ uint32_t rank_in_cluster() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// Two blocks of a cluster load a half of a tile each, for both; then each adds
// up the whole.  `meets`: the blocks synchronise after the mbarriers are
// initialised.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    share(const __grid_constant__ CUtensorMap map, uint32_t *sums, int meets) {
  __shared__ alignas(1024) uint32_t tile[2][16][32];
  __shared__ uint64_t full;
  const uint32_t rank = rank_in_cluster();
  if (threadIdx.x == 0) {
    init(&full, 1);
    make_inits_known();
    expect(&full, sizeof tile);
  }
  if (meets) meet_cluster();
  if (threadIdx.x == 0) {
    const uint16_t both = 3;
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier"
        "::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], "
        "%5;" ::"r"(place_of(tile[rank])),
        "l"(&map), "r"(0), "r"(blockIdx.x * 16), "r"(place_of(&full)), "h"(both)
        : "memory");
  }
  __syncthreads();
  wait_for(&full, 0);
  uint32_t sum = 0;
  for (int i = 0; i < 32; i++)
    sum += tile[i / 16][i % 16][threadIdx.x] * (i + 1);
  sums[blockIdx.x * 32 + threadIdx.x] = sum;
  meet_cluster();
}
