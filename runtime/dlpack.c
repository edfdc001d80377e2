// dlpack.c -- tensors of other libraries as buffers, and buffers as tensors.
//
// The structs are those of DLPack's first ABI, which all libraries support;
// their fields have our own names.
#include "runtime/dlpack.h"

#include "runtime/context.h"
#include "runtime/errors.h"

#include <assert.h>
#include <string.h>

enum { ON_CPU = 1, ON_CUDA = 2, ON_CUDA_HOST = 3, MAX_TENSOR_RANK = 64 };

typedef struct {
  int32_t kind, index;
} DlDevice;

typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} DlType;

typedef struct {
  void *data;
  DlDevice place;
  int32_t rank;
  DlType type;
  int64_t *shape;
  int64_t *strides; // in elements; NULL: side by side
  uint64_t offset;  // in bytes
} DlTensor;

struct DLManagedTensor {
  DlTensor tensor;
  void *ctx;
  void (*deleter)(struct DLManagedTensor *self); // may be NULL
};

// DLPack's codes of the types of elements.
typedef struct {
  TileDtype dtype;
  uint8_t code, bits;
} TypeRow;

static const TypeRow types[] = {
    {TILE_BOOL, 6, 8},    {TILE_INT8, 0, 8},     {TILE_INT16, 0, 16},
    {TILE_INT32, 0, 32},  {TILE_INT64, 0, 64},   {TILE_UINT8, 1, 8},
    {TILE_UINT16, 1, 16}, {TILE_UINT32, 1, 32},  {TILE_UINT64, 1, 64},
    {TILE_FP16, 2, 16},   {TILE_FP32, 2, 32},    {TILE_FP64, 2, 64},
    {TILE_BF16, 4, 16},   {TILE_FP8E4NV, 10, 8}, {TILE_FP8E5, 12, 8},
};
enum { NUM_TYPES = sizeof types / sizeof *types };

static const TypeRow *find_type(TileDtype dtype) {
  for (int i = 0; i < NUM_TYPES; i++) {
    if (types[i].dtype == dtype) return &types[i];
  }
  return NULL;
}

static const TypeRow *read_type(DlType type) {
  for (int i = 0; i < NUM_TYPES; i++) {
    if (types[i].code == type.code && types[i].bits == type.bits &&
        type.lanes == 1)
      return &types[i];
  }
  return NULL;
}

// False: no other library can use the memory of such a device.
static bool find_place(const TileDevice *device, DlDevice *out) {
  const bool is_cuda = device->ops == &device_ops_cuda;
  const bool is_host = device->target && !device->target->is_gpu &&
                       device->ops != &device_ops_target;
  *out = (DlDevice){is_cuda ? ON_CUDA : ON_CPU, is_cuda ? device->index : 0};
  return is_cuda || is_host;
}

// -- In ----------------------------------------------------------------------

// The bytes from the first element to the end of the last; false if they
// overflow, or the first element is not at the lowest address.
static bool find_size(const DlTensor *tensor, size_t each, size_t *out) {
  uint64_t last = 0, side_by_side = 1; // in elements
  if (tensor->rank < 0 || tensor->rank > MAX_TENSOR_RANK ||
      (tensor->rank && !tensor->shape))
    return false;
  *out = 0;
  for (int i = tensor->rank; i-- > 0;) {
    const int64_t size = tensor->shape[i];
    uint64_t step = side_by_side;
    if (tensor->strides && tensor->strides[i] < 0 && size > 1) return false;
    if (tensor->strides) step = (uint64_t)tensor->strides[i];
    if (size < 0) return false;
    if (!size) return true;
    uint64_t way;
    if (__builtin_mul_overflow((uint64_t)size - 1, size > 1 ? step : 0, &way) ||
        __builtin_add_overflow(last, way, &last) ||
        __builtin_mul_overflow(side_by_side, (uint64_t)size, &side_by_side))
      return false;
  }
  if (last > SIZE_MAX / each - 1) return false;
  *out = (last + 1) * each;
  return true;
}

// Pinned memory of a GPU's driver is memory of the host, too.
static bool is_there(const DlTensor *tensor, const TileDevice *device) {
  DlDevice place;
  if (!find_place(device, &place)) return false;
  if (place.kind == ON_CPU && tensor->place.kind == ON_CUDA_HOST) return true;
  return tensor->place.kind == place.kind &&
         (place.kind == ON_CPU || tensor->place.index == place.index);
}

// Refuses sizes that no tensor has.
static TileStatus check_sizes(const Report *report, const DlTensor *tensor) {
  if (tensor->rank < 0)
    return report_error(report, TILE_INVALID_ARGUMENT, ERROR_dlpack_rank,
                        (int)MAX_TENSOR_RANK, tensor->rank);
  const bool is_read = tensor->shape && tensor->rank <= MAX_TENSOR_RANK;
  for (int i = 0; i < tensor->rank && is_read; i++) {
    if (tensor->shape[i] < 0)
      return report_error(report, TILE_INVALID_ARGUMENT, ERROR_dlpack_size, i,
                          (long long)tensor->shape[i]);
  }
  return TILE_OK;
}

static TileStatus check_tensor(const Report *report, const TileDevice *device,
                               const DlTensor *tensor, size_t *size) {
  const TypeRow *type = read_type(tensor->type);
  if (!is_there(tensor, device))
    return report_error(report, TILE_UNSUPPORTED, ERROR_dlpack_place,
                        device->name, tensor->place.kind, tensor->place.index);
  if (!type)
    return report_error(report, TILE_UNSUPPORTED, ERROR_dlpack_type,
                        tensor->type.code, tensor->type.bits,
                        tensor->type.lanes);
  const TileStatus status = check_sizes(report, tensor);
  if (status) return status;
  if (!find_size(tensor, type->bits / 8, size))
    return report_error(report, TILE_UNSUPPORTED, ERROR_dlpack_shape);
  if (tensor->offset > UINTPTR_MAX - (uintptr_t)tensor->data)
    return report_error(report, TILE_INVALID_ARGUMENT, ERROR_dlpack_offset,
                        (unsigned long long)tensor->offset);
  if (tensor->data || !*size) return TILE_OK;
  return report_error(report, TILE_INVALID_ARGUMENT, ERROR_dlpack_no_data,
                      *size);
}

TileStatus tile_buffer_from_dlpack(TileDevice *device,
                                   struct DLManagedTensor *managed,
                                   TileBuffer **out, TileDtype *dtype,
                                   TileDiagnostics **diagnostics) {
  if (!device) return report_null(diagnostics, "device");
  const Report report = report_to(device->context, diagnostics);
  if (!managed || !out)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null,
                        out ? "tensor" : "out");
  const DlTensor *tensor = &managed->tensor;
  size_t size = 0;
  const TileStatus status = check_tensor(&report, device, tensor, &size);
  if (status) return status;
  TileBuffer *buffer = device->from->alloc(device->from->ctx, sizeof *buffer);
  if (!buffer) return TILE_OUT_OF_MEMORY;
  char *data = tensor->data;
  *buffer = (TileBuffer){.device = device,
                         .size = size,
                         .address = data ? data + tensor->offset : NULL,
                         .owner = managed};
  if (dtype) *dtype = read_type(tensor->type)->dtype;
  *out = buffer;
  return TILE_OK;
}

void dlpack_release(const TileBuffer *buffer) {
  Fault ignored;
  assert(buffer->owner && "the device's own memory");
  fault_clear(&ignored);
  buffer->device->ops->sync(buffer->device, &ignored);
  if (buffer->owner->deleter) buffer->owner->deleter(buffer->owner);
}

// -- Out ---------------------------------------------------------------------

// A tensor and its arrays, in one block.
typedef struct {
  struct DLManagedTensor managed;
  TileBuffer *buffer;
  int64_t sizes[]; // the shape, then the strides
} Export;

static void destroy_export(struct DLManagedTensor *managed) {
  Export *export = managed->ctx;
  const Allocator *from = export->buffer->device->from;
  tile_buffer_destroy(export->buffer);
  from->free(from->ctx, export);
}

static TileStatus check_shape(const Report *report, const TileBuffer *buffer,
                              TileDtype dtype, int rank, const int64_t *shape) {
  uint64_t bytes = tile_dtype_size(dtype);
  if (rank < 0 || rank > MAX_TENSOR_RANK)
    return report_error(report, TILE_INVALID_ARGUMENT, ERROR_dlpack_rank,
                        MAX_TENSOR_RANK, rank);
  for (int i = 0; i < rank; i++) {
    if (shape[i] < 0 ||
        __builtin_mul_overflow(bytes, (uint64_t)shape[i], &bytes))
      return report_error(report, TILE_INVALID_ARGUMENT, ERROR_dlpack_size, i,
                          (long long)shape[i]);
  }
  if (bytes <= buffer->size) return TILE_OK;
  return report_error(report, TILE_INVALID_ARGUMENT, ERROR_transfer_range,
                      (size_t)bytes, (size_t)0, buffer->size);
}

static void set_sizes(Export *export, int rank, const int64_t *shape) {
  int64_t *strides = export->sizes + rank, step = 1;
  for (int i = rank; i-- > 0;) {
    export->sizes[i] = shape[i];
    strides[i] = step;
    step *= shape[i] ? shape[i] : 1;
  }
}

static TileStatus make_export(const Report *report, TileBuffer *buffer,
                              DlTensor tensor, const int64_t *shape,
                              struct DLManagedTensor **out) {
  const Allocator *from = report->from;
  const size_t count = 2 * (size_t)tensor.rank;
  Export *export =
      from->alloc(from->ctx, sizeof *export + count * sizeof *export->sizes);
  if (!export) return TILE_OUT_OF_MEMORY;
  set_sizes(export, tensor.rank, shape);
  tensor.shape = export->sizes;
  tensor.strides = export->sizes + tensor.rank;
  export->managed = (struct DLManagedTensor){tensor, export, destroy_export};
  export->buffer = buffer;
  *out = &export->managed;
  return TILE_OK;
}

TileStatus tile_buffer_to_dlpack(TileBuffer *buffer, TileDtype dtype, int rank,
                                 const int64_t *shape,
                                 struct DLManagedTensor **out,
                                 TileDiagnostics **diagnostics) {
  if (!buffer) return report_null(diagnostics, "buffer");
  const Report report = report_to(buffer->device->context, diagnostics);
  DlTensor tensor = {.data = buffer->address, .rank = rank};
  if (!out || (rank > 0 && !shape))
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null,
                        out ? "shape" : "out");
  if (!find_place(buffer->device, &tensor.place))
    return report_error(&report, TILE_UNSUPPORTED, ERROR_dlpack_device,
                        buffer->device->name);
  const TypeRow *type = find_type(dtype);
  if (!type)
    return report_error(&report, TILE_UNSUPPORTED, ERROR_dlpack_dtype,
                        tile_dtype_name(dtype));
  tensor.type = (DlType){type->code, type->bits, 1};
  const TileStatus status = check_shape(&report, buffer, dtype, rank, shape);
  return status ? status : make_export(&report, buffer, tensor, shape, out);
}
