// heap.cu -- malloc() and free() in kernels.
struct Node {
  int value;
  Node *next;
};

// Each thread makes a list of n nodes, sums it and frees it.
extern "C" __global__ void lists(int *out, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  Node *head = nullptr;
  for (int i = 0; i < n; i++) head = new Node{thread + i, head};
  int sum = 0;
  while (head) {
    Node *next = head->next;
    sum += head->value;
    delete head;
    head = next;
  }
  out[thread] = sum;
}

// One thread allocates for its block, as the programming guide shows.
extern "C" __global__ void together(int *out) {
  __shared__ int *data;
  if (threadIdx.x == 0) data = (int *)malloc(blockDim.x * sizeof(int));
  __syncthreads();
  if (!data) return;
  data[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] =
      data[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) free(data);
}

// One launch allocates memory, the next uses it and the last frees it.
extern "C" __global__ void keep(void **kept, size_t size) {
  kept[threadIdx.x] = malloc(size);
}

extern "C" __global__ void fill(int **kept, int value) {
  *kept[threadIdx.x] = value + threadIdx.x;
}

extern "C" __global__ void drop(int **kept, int *out) {
  out[threadIdx.x] = *kept[threadIdx.x];
  free(kept[threadIdx.x]);
}
