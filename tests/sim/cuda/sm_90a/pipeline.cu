// pipeline.cu -- products and attention by warps with roles: one loads tiles by
// tensor maps, two groups of warps multiply them, 64 rows each.
#include <cstdint>
#include <cuda.h>
#include <cuda_fp16.h>

constexpr int ROWS = 64, TILE = 128, ACROSS = 64, STAGES = 4, THREADS = 384;

__device__ uint32_t place_of(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// -- mbarriers and copies ----------------------------------------------------

__device__ void init(uint64_t *barrier, uint32_t count) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place_of(barrier)),
      "r"(count));
}

__device__ void expect(uint64_t *barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   place_of(barrier)),
               "r"(bytes)
               : "memory");
}

__device__ void arrive(uint64_t *barrier) {
  asm volatile(
      "mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place_of(barrier))
      : "memory");
}

__device__ void wait_for(uint64_t *barrier, uint32_t parity) {
  asm volatile("{ .reg .pred p;\n"
               "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
               "@p bra done;\nbra again;\ndone: }" ::"r"(place_of(barrier)),
               "r"(parity)
               : "memory");
}

__device__ void load(void *to, const CUtensorMap *map, int x, int y,
                     uint64_t *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"
      "::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(place_of(to)),
      "l"(map), "r"(x), "r"(y), "r"(place_of(barrier))
      : "memory");
}

// The stage that a role is at, and the parity of its phase.
struct Turn {
  int stage = 0, parity = 0;
  __device__ void next(int stages) {
    parity ^= ++stage == stages;
    stage %= stages;
  }
};

// -- Products ----------------------------------------------------------------

// 128 bytes swizzled, eight rows every 1,024 bytes.
__device__ uint64_t descriptor(const void *p) {
  return uint64_t(place_of(p) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ void begin() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ void commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

__device__ void finish() {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#define EIGHT(d, i)                                                            \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]),  \
      "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define THIRTY_TWO                                                             \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "    \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "     \
  "%30, %31"
#define SUMS(d) EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24)

__device__ void multiply(float (&d)[64], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " THIRTY_TWO
      ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "
      "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "
      "%58, %59, %60, %61, %62, %63}, %64, %65, 1, 1, 1, 0, 0;"
      : SUMS(d), EIGHT(d, 32), EIGHT(d, 40), EIGHT(d, 48), EIGHT(d, 56)
      : "l"(a), "l"(b));
}

// Multiplies 64 columns; `adds`: adds the product to d.
__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b, int adds) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " THIRTY_TWO
               "}, %32, %33, p, 1, 1, 0, 0; }"
               : SUMS(d)
               : "l"(a), "l"(b), "r"(adds));
}

// Multiplies with A in registers; the rows of B run along k.
__device__ void multiply(float (&d)[32], const uint32_t (&a)[4], uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " THIRTY_TWO
               "}, {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
               : SUMS(d)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// -- c = a b^T ---------------------------------------------------------------

struct Stage {
  __half a[TILE][ACROSS], b[TILE][ACROSS];
};

struct Pipe {
  uint64_t full[STAGES], empty[STAGES];
};

__device__ void load_tiles(const CUtensorMap *a, const CUtensorMap *b,
                           Stage *stages, Pipe *pipe, int k) {
  Turn turn;
  for (int x = 0; x < k; x += ACROSS, turn.next(STAGES)) {
    const int s = turn.stage;
    wait_for(&pipe->empty[s], turn.parity ^ 1);
    expect(&pipe->full[s], sizeof(Stage));
    load(stages[s].a, a, x, blockIdx.y * TILE, &pipe->full[s]);
    load(stages[s].b, b, x, blockIdx.x * TILE, &pipe->full[s]);
  }
}

__device__ void multiply_tiles(float (&d)[64], Stage *stages, Pipe *pipe,
                               int group, int k) {
  Turn turn;
  for (int x = 0; x < k; x += ACROSS, turn.next(STAGES)) {
    const int s = turn.stage;
    wait_for(&pipe->full[s], turn.parity);
    begin();
    const uint64_t a = descriptor(stages[s].a[group * ROWS]);
    const uint64_t b = descriptor(stages[s].b);
    for (int i = 0; i < ACROSS / 16; i++) multiply(d, a + 2 * i, b + 2 * i);
    commit();
    finish();
    if (threadIdx.x % 128 == 0) arrive(&pipe->empty[s]);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    product(const __grid_constant__ CUtensorMap a,
            const __grid_constant__ CUtensorMap b, float *c, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ Pipe pipe;
  Stage *stages = reinterpret_cast<Stage *>(memory);
  const int group = threadIdx.x / 128;
  for (int i = threadIdx.x; i < STAGES; i += THREADS) {
    init(&pipe.full[i], 1);
    init(&pipe.empty[i], 2);
  }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 256) load_tiles(&a, &b, stages, &pipe, k);
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float d[64] = {};
  multiply_tiles(d, stages, &pipe, group, k);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = blockIdx.y * TILE + 16 * warp + lane / 4;
  const int column = blockIdx.x * TILE + lane % 4 * 2;
  for (int i = 0; i < 64; i += 2)
    *reinterpret_cast<float2 *>(
        &c[(row + i / 2 % 2 * 8) * n + column + i / 4 * 8]) =
        make_float2(d[i], d[i + 1]);
}

// -- Attention ---------------------------------------------------------------

constexpr int WIDTH = 128, KEYS = 64, PAIRS = 2;

// Rows of 64 elements, in two parts: before and behind the middle.
struct Keys {
  __half k[2][KEYS][64], v[2][KEYS][64];
};

struct Attention {
  __half q[2][TILE][64];
  Keys keys[PAIRS];
};

struct AttentionPipe {
  uint64_t q, full[PAIRS], empty[PAIRS];
};

__device__ void load_keys(const CUtensorMap *q, const CUtensorMap *k,
                          const CUtensorMap *v, Attention *at,
                          AttentionPipe *pipe, int length) {
  expect(&pipe->q, sizeof at->q);
  load(at->q[0], q, 0, blockIdx.x * TILE, &pipe->q);
  load(at->q[1], q, 64, blockIdx.x * TILE, &pipe->q);
  Turn turn;
  for (int y = 0; y < length; y += KEYS, turn.next(PAIRS)) {
    uint64_t *full = &pipe->full[turn.stage];
    Keys *keys = &at->keys[turn.stage];
    wait_for(&pipe->empty[turn.stage], turn.parity ^ 1);
    expect(full, sizeof *keys);
    for (int half = 0; half < 2; half++) {
      load(keys->k[half], k, 64 * half, y, full);
      load(keys->v[half], v, 64 * half, y, full);
    }
  }
}

// The softmax of the two rows that a thread holds a part of.
struct Softmax {
  float top[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
};

__device__ float over_row(float x, bool adds) {
  for (int i = 1; i < 4; i *= 2) {
    const float y = __shfl_xor_sync(~0u, x, i);
    x = adds ? x + y : fmaxf(x, y);
  }
  return x;
}

// Turns scores into weights, and scales the sums so far.
__device__ void weigh(float (&s)[32], Softmax &softmax, float (&left)[32],
                      float (&right)[32], float scale) {
  for (int row = 0; row < 2; row++) {
    float top = softmax.top[row], sum = 0;
    for (int i = 0; i < 32; i += 4)
      top = fmaxf(top, fmaxf(s[i + 2 * row], s[i + 2 * row + 1]) * scale);
    top = over_row(top, false);
    const float less = exp2f(softmax.top[row] - top);
    for (int i = 0; i < 32; i += 4) {
      for (int j = i + 2 * row; j < i + 2 * row + 2; j++) {
        s[j] = exp2f(s[j] * scale - top);
        sum += s[j];
        left[j] *= less;
        right[j] *= less;
      }
    }
    softmax.sum[row] = softmax.sum[row] * less + over_row(sum, true);
    softmax.top[row] = top;
  }
}

__device__ uint32_t pack(float x, float y) {
  const __half2 both = __floats2half2_rn(x, y);
  return *reinterpret_cast<const uint32_t *>(&both);
}

__device__ void attend_keys(Attention *at, AttentionPipe *pipe, int group,
                            int length, float scale, float (&left)[32],
                            float (&right)[32], Softmax &softmax) {
  Turn turn;
  wait_for(&pipe->q, 0);
  for (int y = 0; y < length; y += KEYS, turn.next(PAIRS)) {
    Keys *keys = &at->keys[turn.stage];
    float s[32];
    uint32_t p[4][4];
    wait_for(&pipe->full[turn.stage], turn.parity);
    begin();
    for (int i = 0; i < WIDTH / 16; i++)
      multiply(s, descriptor(at->q[i / 4][group * ROWS]) + i % 4 * 2,
               descriptor(keys->k[i / 4]) + i % 4 * 2, i);
    commit();
    finish();
    weigh(s, softmax, left, right, scale);
    for (int i = 0; i < 16; i++) p[i / 4][i % 4] = pack(s[2 * i], s[2 * i + 1]);
    begin();
    for (int i = 0; i < KEYS / 16; i++) {
      multiply(left, p[i], descriptor(keys->v[0][16 * i]));
      multiply(right, p[i], descriptor(keys->v[1][16 * i]));
    }
    commit();
    finish();
    if (threadIdx.x % 128 == 0) arrive(&pipe->empty[turn.stage]);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    attention(const __grid_constant__ CUtensorMap q,
              const __grid_constant__ CUtensorMap k,
              const __grid_constant__ CUtensorMap v, __half *out, int length,
              float scale) {
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ AttentionPipe pipe;
  Attention *at = reinterpret_cast<Attention *>(memory);
  const int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    init(&pipe.q, 1);
    for (int i = 0; i < PAIRS; i++) init(&pipe.full[i], 1);
    for (int i = 0; i < PAIRS; i++) init(&pipe.empty[i], 2);
  }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  if (group == 2) {
    if (threadIdx.x == 256) load_keys(&q, &k, &v, at, &pipe, length);
    return;
  }
  float left[32] = {}, right[32] = {};
  Softmax softmax;
  attend_keys(at, &pipe, group, length, scale, left, right, softmax);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = blockIdx.x * TILE + 16 * warp + lane / 4;
  for (int i = 0; i < 32; i += 2) {
    const int which = i / 2 % 2, column = i / 4 * 8 + lane % 4 * 2;
    __half *to = &out[(row + which * 8) * WIDTH + column];
    const float less = 1 / softmax.sum[which];
    *reinterpret_cast<uint32_t *>(to) =
        pack(left[i] * less, left[i + 1] * less);
    *reinterpret_cast<uint32_t *>(to + 64) =
        pack(right[i] * less, right[i + 1] * less);
  }
}
