// overlap.c -- does a launch pass overlapping memory for two tensors that its
// kernel takes for separate?
//
// The sizes and strides of the kernel's tensor maps are known; other memory is
// known by its address alone, and a size that the kernel does not check is
// taken for a block's.
#include "runtime/compile/tensor_map.h"

#include <assert.h>

#define MOST_BYTES (INT64_C(1) << 62)

// A tensor in memory: dimensions by their strides, the longest first.
typedef struct {
  int64_t base;
  int count;
  int64_t strides[TENSOR_MAX_RANK];  // bytes
  int64_t lengths[TENSOR_MAX_RANK];  // from the first element to the last one
  int64_t ends[TENSOR_MAX_RANK + 1]; // bytes of the dimensions from i on
} Extent;

static int64_t product(int64_t x, int64_t y) {
  int64_t result;
  return __builtin_mul_overflow(x, y, &result) || result > MOST_BYTES
             ? MOST_BYTES
             : result;
}

static int64_t sum(int64_t x, int64_t y) {
  return x > MOST_BYTES - y ? MOST_BYTES : x + y;
}

static void add_dimension(Extent *x, int64_t size, int64_t stride) {
  int at = x->count;
  if (size == 1 || !stride) return;
  const int64_t length = product(size - 1, stride);
  for (; at > 0 && x->strides[at - 1] < stride; at--) {
    x->strides[at] = x->strides[at - 1];
    x->lengths[at] = x->lengths[at - 1];
  }
  x->strides[at] = stride;
  x->lengths[at] = length;
  x->count++;
}

static void find_ends(Extent *x, int64_t line) {
  x->ends[x->count] = line;
  for (int i = x->count - 1; i >= 0; i--)
    x->ends[i] = sum(x->ends[i + 1], x->lengths[i]);
}

// False: the tensor is empty, or no map can describe it.
static bool find_extent(const KernelInfo *info, const TensorMapInfo *map,
                        const uint64_t *args, Extent *x) {
  const int last = map->rank - 1, bytes = elem_info[map->elem].bits / 8;
  int64_t size = 0;
  *x = (Extent){.base = maps_value(info, map->base, args)};
  for (int i = 0; i <= last; i++) {
    size = maps_value(info, map->shape[i], args);
    if (size < 1) return false;
    if (size >= TENSOR_NO_END) size = map->box[i];
    if (i == last) break;
    const int64_t stride = maps_value(info, map->strides[i], args);
    if (stride < 0) return false;
    add_dimension(x, size, product(stride, bytes));
  }
  find_ends(x, product(size, bytes));
  return true;
}

static int64_t stride_at(const Extent *x, int i) {
  return i < x->count ? x->strides[i] : 0;
}

// Do they share no byte, by their dimensions from i and k on, if y begins `far`
// bytes behind x?  Rows are compared as if all rows of both tensors had the
// longest stride.
static bool are_apart(const Extent *x, int i, const Extent *y, int k,
                      int64_t far) {
  assert(i <= x->count && k <= y->count); // I9
  if (far >= x->ends[i] || far <= -y->ends[k]) return true;
  const int64_t of_x = stride_at(x, i), of_y = stride_at(y, k);
  const int64_t stride = of_x > of_y ? of_x : of_y;
  if (!stride) return false;
  i += of_x == stride;
  k += of_y == stride;
  if (x->ends[i] > stride || y->ends[k] > stride) return false;
  far = (far % stride + stride) % stride;
  return are_apart(x, i, y, k, far) && are_apart(x, i, y, k, far - stride);
}

static bool overlap(const Extent *x, const Extent *y) {
  const uint64_t far = (uint64_t)y->base - (uint64_t)x->base;
  return !are_apart(x, 0, y, 0, (int64_t)far);
}

// The parameter from which the address of a map is computed; -1: none.
static int address_of(const KernelInfo *info, const TensorMapInfo *map) {
  for (int i = 0; i < map->base.count; i++) {
    const LaunchStep *step = &info->steps[map->base.first + i];
    if (step->kind == STEP_ARGUMENT && info->params[step->value].is_pointer)
      return (int)step->value;
  }
  return -1;
}

// Does it share memory with the tensors of a parameter?
static bool meets(const KernelInfo *info, const Extent *x, int param,
                  const uint64_t *args) {
  bool is_mapped = false;
  Extent y = {.base = (int64_t)args[param]};
  find_ends(&y, 1);
  for (int i = 0; i < info->num_maps; i++) {
    const TensorMapInfo *map = &info->maps[i];
    if (address_of(info, map) != param) continue;
    is_mapped = true;
    if (find_extent(info, map, args, &y) && overlap(x, &y)) return true;
  }
  return !is_mapped && overlap(x, &y);
}

bool maps_overlap(const KernelInfo *info, const uint64_t *args) {
  for (int i = 0; i < info->num_maps; i++) {
    const TensorMapInfo *map = &info->maps[i];
    Extent x;
    if (!map->apart || !find_extent(info, map, args, &x)) continue;
    for (int param = 0; param < info->num_params; param++) {
      const bool asked = param < 64 && map->apart >> param & 1;
      if (asked && meets(info, &x, param, args)) return true;
    }
  }
  return false;
}

bool maps_ask_apart(const KernelInfo *info) {
  bool ask = false;
  for (int i = 0; i < info->num_maps; i++) ask |= info->maps[i].apart != 0;
  return ask;
}
