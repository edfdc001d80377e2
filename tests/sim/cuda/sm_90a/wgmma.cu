// wgmma.cu -- c = a b^T by wgmma, both from shared memory that cp.async fills.
#include <cuda_fp16.h>

enum { M = 128, N = 128, K = 64, STAGES = 3, GROUPS = 2 };

__device__ unsigned shared_address(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

// One stage: rows of 128 bytes, whose 16-byte parts are swizzled.
struct Stage {
  __half a[M][K], b[N][K];
};

__device__ void fetch_rows(__half (*to)[K], const __half *from, int rows,
                           int k0, int k) {
  for (int i = threadIdx.x; i < rows * K / 8; i += blockDim.x) {
    int row = i / (K / 8), part = i % (K / 8);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     shared_address(&to[row][(part ^ row % 8) * 8])),
                 "l"(from + row * k + k0 + part * 8));
  }
}

__device__ void fetch(Stage &stage, const __half *a, const __half *b, int k0,
                      int k) {
  fetch_rows(stage.a, a + blockIdx.y * M * k, M, k0, k);
  fetch_rows(stage.b, b + blockIdx.x * N * k, N, k0, k);
}

// 128 bytes swizzled, eight rows every 1,024 bytes.
__device__ unsigned long long descriptor(const void *p) {
  return (unsigned long long)(shared_address(p) >> 4) | 1ull << 16 |
         64ull << 32 | 1ull << 62;
}

#define EIGHT(i)                                                               \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]),  \
      "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])

__device__ void multiply(float (&d)[64], unsigned long long a,
                         unsigned long long b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
      "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "
      "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "
      "%58, %59, %60, %61, %62, %63}, %64, %65, 1, 1, 1, 0, 0;"
      : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40),
        EIGHT(48), EIGHT(56)
      : "l"(a), "l"(b));
}

// Two groups of warps, each 64 rows of the tile.
extern "C" __global__ void __launch_bounds__(GROUPS * 128)
    matmul(const __half *a, const __half *b, float *c, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Stage *stages = (Stage *)memory;
  int group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4;
  float d[64] = {};
  for (int s = 0; s < STAGES - 1; s++) {
    if (s * K < k) fetch(stages[s], a, b, s * K, k);
    asm volatile("cp.async.commit_group;");
  }
  for (int k0 = 0, s = 0; k0 < k; k0 += K, s = (s + 1) % STAGES) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    unsigned long long x = descriptor(stages[s].a[64 * group]);
    unsigned long long y = descriptor(stages[s].b[0]);
    for (int i = 0; i < K / 16; i++) multiply(d, x + 2 * i, y + 2 * i);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    // The products of the trip before are over: their stage is free.
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
    int next = k0 + (STAGES - 1) * K;
    if (next < k) fetch(stages[(s + STAGES - 1) % STAGES], a, b, next, k);
    asm volatile("cp.async.commit_group;");
  }
  int lane = threadIdx.x % 32;
  for (int i = 0; i < 64; i++) {
    int row = blockIdx.y * M + 64 * group + 16 * warp + lane / 4 + i / 2 % 2 * 8;
    int column = blockIdx.x * N + i / 4 * 8 + lane % 4 * 2 + i % 2;
    c[row * n + column] = d[i];
  }
}
