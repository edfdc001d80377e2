// pointers.cu -- calls through pointers to functions.
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int negate(int x) { return -x; }

typedef int (*Function)(int);
__device__ Function table[4] = {twice, square, negate, nullptr};

// Each lane calls another function.
extern "C" __global__ void apply(const int *which, int *x) {
  int i = threadIdx.x;
  x[i] = table[which[i]](x[i]);
}
