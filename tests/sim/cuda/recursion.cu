// recursion.cu -- functions that call themselves, or each other.
__device__ __noinline__ int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__device__ __noinline__ int ackermann(int m, int n) {
  if (!m) return n + 1;
  return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

__device__ bool is_odd(int n);
__device__ __noinline__ bool is_even(int n) { return n ? is_odd(n - 1) : true; }
__device__ __noinline__ bool is_odd(int n) { return n ? is_even(n - 1) : false; }

extern "C" __global__ void numbers(int *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[3 * t] = fib(t % 12);
  out[3 * t + 1] = ackermann(t % 3, t % 5);
  out[3 * t + 2] = is_even(t % 20);
}

// Each call hands a variable of its own to the next, which writes there.
__device__ __noinline__ void collect(int n, int *above) {
  int own[2] = {n, 0};
  if (n) collect(n - 1, own + 1);
  *above += own[0] + own[1];
}

extern "C" __global__ void pointers(int *out) {
  int sum = 0;
  collect(threadIdx.x % 10, &sum);
  out[threadIdx.x] = sum;
}

// Quicksort of a part of shared memory; each of a warp's first lanes sorts one.
__device__ void sort(int *data, int first, int last) {
  if (first >= last) return;
  const int pivot = data[(first + last) / 2];
  int i = first, j = last;
  while (i <= j) {
    while (data[i] < pivot) i++;
    while (data[j] > pivot) j--;
    if (i > j) break;
    const int kept = data[i];
    data[i++] = data[j];
    data[j--] = kept;
  }
  sort(data, first, j);
  sort(data, i, last);
}

extern "C" __global__ void sorts(int *data, int each) {
  sort(data + (blockIdx.x * blockDim.x + threadIdx.x) * each, 0, each - 1);
}

// Large arguments and results, and a call through a pointer.
struct Wide {
  double x[3];
  int count;
};

__device__ __noinline__ Wide add_up(Wide w, int n) {
  if (!n) return w;
  Wide next = w;
  next.x[n % 3] += n;
  next.count++;
  next = add_up(next, n - 1);
  next.x[0] += w.count;
  return next;
}

typedef int (*Step)(int, void *);
__device__ __noinline__ int by_pointer(int n, void *next) {
  return n < 1 ? 0 : n + ((Step)next)(n - 1, next);
}
__device__ __noinline__ int twice(int n, void *next) {
  return n < 1 ? 0 : 2 * n + ((Step)next)(n - 2, next);
}
__device__ Step steps[2] = {by_pointer, twice};

extern "C" __global__ void wide(double *out) {
  const int t = threadIdx.x;
  Wide w = {{1.5 * t, 2, 3}, 0};
  w = add_up(w, t % 7);
  out[4 * t] = w.x[0] + w.x[1] + w.x[2];
  out[4 * t + 1] = w.count;
  out[4 * t + 2] = steps[t % 2](t % 9, (void *)steps[t % 2]);
  out[4 * t + 3] = 0;
}

__device__ __noinline__ int deep(int n) { return n ? 1 + deep(n - 1) * 2 : 0; }
extern "C" __global__ void depth(int *out, int n) {
  out[threadIdx.x] = deep(threadIdx.x == 7 ? n : 1);
}
