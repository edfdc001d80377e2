// matmul.cu -- c = a b by mma.sync with ldmatrix and a ring of cp.async.
#include <cuda_fp16.h>

enum { M = 64, N = 64, K = 32, STAGES = 3, PAD = 8 };

__device__ unsigned shared_address(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

// One stage: a [M][K] and b [K][N], rows padded against bank conflicts.
struct Stage {
  __half a[M][K + PAD], b[K][N + PAD];
};

__device__ void copy16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   shared_address(to)),
               "l"(from));
}

__device__ void fetch(Stage &stage, const __half *a, const __half *b, int k0,
                      int n, int k) {
  for (int i = threadIdx.x; i < M * K / 8; i += blockDim.x) {
    int row = i / (K / 8), col = i % (K / 8) * 8;
    copy16(&stage.a[row][col], a + (blockIdx.y * M + row) * k + k0 + col);
  }
  for (int i = threadIdx.x; i < K * N / 8; i += blockDim.x) {
    int row = i / (N / 8), col = i % (N / 8) * 8;
    copy16(&stage.b[row][col], b + (k0 + row) * n + blockIdx.x * N + col);
  }
}

// Four warps, each 32 x 32 of the tile.
extern "C" __global__ void matmul(const __half *a, const __half *b, float *c,
                                  int n, int k) {
  extern __shared__ __align__(16) unsigned char memory[];
  Stage *stages = (Stage *)memory;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int m0 = warp / 2 * 32, n0 = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int s = 0; s < STAGES - 1; s++) {
    if (s * K < k) fetch(stages[s], a, b, s * K, n, k);
    asm volatile("cp.async.commit_group;");
  }
  for (int k0 = 0, s = 0; k0 < k; k0 += K, s = (s + 1) % STAGES) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
    __syncthreads();
    int next = k0 + (STAGES - 1) * K;
    if (next < k) fetch(stages[(s + STAGES - 1) % STAGES], a, b, next, n, k);
    asm volatile("cp.async.commit_group;");
    for (int kk = 0; kk < K; kk += 16) {
      unsigned x[2][4], y[4][2];
      for (int i = 0; i < 2; i++)
        asm volatile(
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
            : "=r"(x[i][0]), "=r"(x[i][1]), "=r"(x[i][2]), "=r"(x[i][3])
            : "r"(shared_address(
                &stages[s].a[m0 + i * 16 + lane % 16][kk + lane / 16 * 8])));
      for (int j = 0; j < 4; j++)
        asm volatile(
            "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
            : "=r"(y[j][0]), "=r"(y[j][1])
            : "r"(shared_address(&stages[s].b[kk + lane % 16][n0 + j * 8])));
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
              "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
              : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]),
                "+f"(acc[i][j][3])
              : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]),
                "r"(y[j][0]), "r"(y[j][1]));
    }
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++) {
      int row = blockIdx.y * M + m0 + i * 16 + lane / 4;
      int col = blockIdx.x * N + n0 + j * 8 + lane % 4 * 2;
      *(float2 *)&c[row * n + col] = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2 *)&c[(row + 8) * n + col] =
          make_float2(acc[i][j][2], acc[i][j][3]);
    }
}
