// wmma.cu -- nvcuda::wmma in every type, shape and layout: D = 2 A B + C.
//
// The factor 2 tests that programs may scale the elements of a fragment.
#include <mma.h>

using namespace nvcuda::wmma;

// A type of whole elements in memory, and of the fragment.
template <int M, int N, int K, typename T, typename Memory, typename C,
          typename LayoutA, typename LayoutB>
__device__ void multiply(const Memory *a, const Memory *b, const C *c, C *d) {
  fragment<matrix_a, M, N, K, T, LayoutA> fa;
  fragment<matrix_b, M, N, K, T, LayoutB> fb;
  fragment<accumulator, M, N, K, C> fc;
  load_matrix_sync(fa, a, std::is_same<LayoutA, row_major>::value ? K : M);
  load_matrix_sync(fb, b, std::is_same<LayoutB, row_major>::value ? N : K);
  load_matrix_sync(fc, c, N, mem_row_major);
  for (int i = 0; i < fa.num_elements; i++) fa.x[i] = fa.x[i] + fa.x[i];
  mma_sync(fc, fa, fb, fc);
  store_matrix_sync(d, fc, N, mem_row_major);
}

#define KERNEL(name, M, N, K, T, Memory, C, LayoutA, LayoutB)                  \
  extern "C" __global__ void name##_##M##x##N##x##K##_##LayoutA##_##LayoutB(   \
      const Memory *a, const Memory *b, const C *c, C *d) {                    \
    multiply<M, N, K, T, Memory, C, LayoutA, LayoutB>(a, b, c, d);             \
  }
#define LAYOUTS(name, M, N, K, T, Memory, C)                                   \
  KERNEL(name, M, N, K, T, Memory, C, row_major, row_major)                    \
  KERNEL(name, M, N, K, T, Memory, C, row_major, col_major)                    \
  KERNEL(name, M, N, K, T, Memory, C, col_major, row_major)                    \
  KERNEL(name, M, N, K, T, Memory, C, col_major, col_major)
#define SHAPES(name, T, C)                                                     \
  LAYOUTS(name, 16, 16, 16, T, T, C)                                           \
  LAYOUTS(name, 8, 32, 16, T, T, C)                                            \
  LAYOUTS(name, 32, 8, 16, T, T, C)

SHAPES(f16_f32, __half, float)
SHAPES(f16_f16, __half, __half)
SHAPES(bf16_f32, __nv_bfloat16, float)
SHAPES(s8_s32, signed char, int)
SHAPES(u8_s32, unsigned char, int)
LAYOUTS(tf32_f32, 16, 16, 8, precision::tf32, float, float)
LAYOUTS(f64_f64, 8, 8, 4, double, double, double)

// Elements of less than a byte have one layout, and are not scaled.
template <typename T>
__device__ void multiply_nibbles(const void *a, const void *b, const int *c,
                                 int *d) {
  fragment<matrix_a, 8, 8, 32, T, row_major> fa;
  fragment<matrix_b, 8, 8, 32, T, col_major> fb;
  fragment<accumulator, 8, 8, 32, int> fc;
  load_matrix_sync(fa, a, 32);
  load_matrix_sync(fb, b, 32);
  load_matrix_sync(fc, c, 8, mem_row_major);
  mma_sync(fc, fa, fb, fc);
  store_matrix_sync(d, fc, 8, mem_row_major);
}

extern "C" __global__ void s4_s32(const void *a, const void *b, const int *c,
                                  int *d) {
  multiply_nibbles<experimental::precision::s4>(a, b, c, d);
}

extern "C" __global__ void u4_s32(const void *a, const void *b, const int *c,
                                  int *d) {
  multiply_nibbles<experimental::precision::u4>(a, b, c, d);
}

__device__ void multiply_bits(const void *a, const void *b, const int *c,
                              int *d, experimental::bmmaBitOp op) {
  fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> fa;
  fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> fb;
  fragment<accumulator, 8, 8, 128, int> fc, fd;
  load_matrix_sync(fa, a, 128);
  load_matrix_sync(fb, b, 128);
  load_matrix_sync(fc, c, 8, mem_row_major);
  bmma_sync(fd, fa, fb, fc, op);
  store_matrix_sync(d, fd, 8, mem_row_major);
}

extern "C" __global__ void b1_xor(const void *a, const void *b, const int *c,
                                  int *d) {
  multiply_bits(a, b, c, d, experimental::bmmaBitOpXOR);
}

extern "C" __global__ void b1_and(const void *a, const void *b, const int *c,
                                  int *d) {
  multiply_bits(a, b, c, d, experimental::bmmaBitOpAND);
}

// C by columns, D by columns, through shared memory, with padding.
extern "C" __global__ void padded(const __half *a, const __half *b,
                                  const float *c, float *d) {
  __shared__ __align__(32) __half sa[16][24], sb[16][24];
  __shared__ __align__(32) float sc[16][20];
  fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
  fragment<accumulator, 16, 16, 16, float> fc;
  for (int i = threadIdx.x; i < 256; i += 32) {
    sa[i / 16][i % 16] = a[i];
    sb[i / 16][i % 16] = b[i];
    sc[i / 16][i % 16] = c[i];
  }
  __syncwarp();
  load_matrix_sync(fa, &sa[0][0], 24);
  load_matrix_sync(fb, &sb[0][0], 24);
  load_matrix_sync(fc, &sc[0][0], 20, mem_col_major);
  mma_sync(fc, fa, fb, fc);
  store_matrix_sync(&sc[0][0], fc, 20, mem_col_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) d[i] = sc[i / 16][i % 16];
}
