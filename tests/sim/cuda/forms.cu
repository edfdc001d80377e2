// forms.cu -- many forms of many instructions; it is loaded, not run.
#include <cassert>
#include <cuda/std/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
extern "C" __global__ void halfs(__half2 *x, __half *h, float *f) {
  int i = threadIdx.x;
  __half2 a = x[i], b = x[i + 32];
  x[i] = __hfma2(a, b, __hadd2(a, __hmul2_sat(b, a)));
  x[i + 64] = h2exp2(a);
  x[i + 128] = __hmin2(a, b);
  x[i + 160] = h2sqrt(a);
  x[i + 192] = h2tanh(a);
  h[i] = __hlt(h[i + 1], h[i + 2]) ? hexp(h[i]) : hlog(h[i]);
  h[i + 5] = __hgt2(a, b).x;
  if (__hbgt2(a, b)) h[7] = h[8];
  f[i] = __half2float(h[i]) + __low2float(a) + __half2int_rn(h[i + 3]) +
         __half2ull_rz(h[i + 4]);
  h[i + 64] = __float2half_rz(f[i + 1]);
  h[i + 65] = __int2half_ru(i);
  h[i + 66] = __habs(__hneg(h[3]));
  h[i + 67] = __hmax_nan(h[1], h[2]);
  h[i + 68] = __hfma_relu(h[1], h[2], h[3]);
  atomicAdd(&x[i + 256], a);
  atomicAdd(&h[i + 300], h[0]);
}
extern "C" __global__ void bfs(__nv_bfloat162 *x, __nv_bfloat16 *h, float *f) {
  int i = threadIdx.x;
  __nv_bfloat162 a = x[i], b = x[i + 32];
  x[i] = __hfma2(a, b, __hadd2(a, __hmul2(b, a)));
  x[i + 64] = h2exp2(a);
  x[i + 128] = __hmin2(a, b);
  x[i + 192] = h2tanh(a);
  h[i] = __hlt(h[i + 1], h[i + 2]) ? hexp(h[i]) : hlog(h[i]);
  f[i] = __bfloat162float(h[i]) + __low2float(a) + __bfloat162int_rn(h[i + 3]);
  h[i + 64] = __float2bfloat16_rz(f[i + 1]);
  h[i + 65] = __int2bfloat16_ru(i);
  x[i + 1] = __floats2bfloat162_rn(f[1], f[2]);
  atomicAdd(&x[i + 256], a);
}
extern "C" __global__ void fp8(__nv_fp8_e4m3 *p, __nv_fp8x2_e5m2 *q, float *f,
                               __half2 *h) {
  int i = threadIdx.x;
  p[i] = __nv_fp8_e4m3(f[i]);
  f[i + 32] = (float)p[i + 1];
  q[i] = __nv_fp8x2_e5m2(*(float2 *)&f[2 * i]);
  h[i] = (__half2)q[i + 1];
}
extern "C" __global__ void mathf(float *f, double *d) {
  int i = threadIdx.x;
  float x = f[i];
  f[i] = sinf(x) + cosf(x) + tanf(x) + expf(x) + logf(x) + powf(x, 2.5f) +
         tanhf(x) + erff(x) + fmodf(x, 3.f) + atan2f(x, 2) + cbrtf(x) +
         rsqrtf(x) + lgammaf(x) + __sinf(x) + __expf(x) + __logf(x) +
         __fdividef(x, 3.f) + __frsqrt_rn(x) + __fsqrt_rz(x) + rintf(x) +
         floorf(x) + truncf(x) + roundf(x) + ldexpf(x, 3) + frexpf(x, &i);
  double y = d[i];
  d[i] = sin(y) + exp(y) + log(y) + pow(y, 1.5) + sqrt(y) + 1 / y +
         fmod(y, 3.) + __ddiv_rd(y, 3.0) + __dsqrt_ru(y) + rint(y) + tanh(y) +
         rsqrt(y);
}
extern "C" __global__ void atom(int *p, unsigned long long *q, float *f,
                                double *d, unsigned short *s) {
  int i = threadIdx.x;
  atomicAdd(p, i);
  atomicSub(p + 1, i);
  atomicMin(p + 2, i);
  atomicMax((unsigned *)p + 3, i);
  atomicAnd(p + 4, i);
  atomicOr(p + 5, i);
  atomicXor(p + 6, i);
  atomicInc((unsigned *)p + 7, 9);
  atomicDec((unsigned *)p + 8, 9);
  p[10] = atomicExch(p + 9, i);
  p[11] = atomicCAS(p + 9, i, 3);
  atomicAdd(q, 1ull);
  atomicMin((long long *)q + 1, (long long)i);
  q[3] = atomicCAS(q + 2, 1ull, 2ull);
  atomicExch(q + 4, 5ull);
  atomicOr(q + 5, 5ull);
  atomicAdd(f, 1.f);
  atomicAdd(d, 1.0);
  atomicCAS(s, (unsigned short)1, (unsigned short)2);
  atomicExch(f, 3.f);
  atomicAdd_system(p, 1);
  atomicAdd_block(p, 2);
  cuda::std::atomic_ref<int> r(*p);
  r.fetch_add(1, cuda::std::memory_order_acq_rel);
  r.store(2, cuda::std::memory_order_release);
  p[20] = r.load(cuda::std::memory_order_acquire);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  __nanosleep(10);
  p[21] = __ldg(p + 30);
  p[22] = __ldcg(p + 30);
  p[23] = __ldcs(p + 30);
  __stcg(p + 24, 3);
  __stwt(p + 25, 1);
  p[26] = __ldlu(p + 30);
  p[27] = __ldcv(p + 30);
  p[28] = clock() + clock64();
  p[29] =
      __syncthreads_count(i & 1) + __syncthreads_and(i) + __syncthreads_or(i);
  p[31] = __activemask() + __match_all_sync(~0u, i, p + 32) +
          __reduce_max_sync(~0u, i) + __reduce_or_sync(~0u, (unsigned)i);
}
struct S {
  int a[10];
  double b;
};
__constant__ float table[16] = {1, 2, 3};
__device__ double gd[4] = {1.5, 2.5};
__device__ void *ptr = (void *)&gd[1];
extern "C" __global__ void params(S s, float *f, int n) {
  switch (n) {
  case 0: f[0] = 1; break;
  case 1: f[1] = 3; break;
  case 2: f[2] = 7; break;
  case 3: f[5] = table[n]; break;
  case 4: f[3] = s.a[threadIdx.x % 10]; break;
  case 5: f[9] = *(double *)ptr; break;
  case 6: f[2] = 9; break;
  default: __trap();
  }
  f[8] = s.b;
  f[10] = table[threadIdx.x & 15];
  asm volatile("prefetch.global.L2 [%0];" ::"l"(f));
  if (n > 100) assert(n < 200);
  long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  f[11] = t;
}
