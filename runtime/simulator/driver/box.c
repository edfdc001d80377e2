// box.c -- copies and fills of two and three dimensions.
#include <limits.h>

#include "runtime/simulator/driver/driver.h"

enum { TYPE_HOST = 1, TYPE_DEVICE = 2, TYPE_ARRAY = 3, TYPE_UNIFIED = 4 };

// One end of a copy: its start, and the pitches of rows and planes in bytes.
typedef struct {
  CUdeviceptr start;
  size_t pitch, plane;
  bool is_device;
} End;

typedef struct {
  End to, from;
  size_t width, height, depth;
} DriverBox;

// A pitch of 0 means rows without a gap.
static CUresult find_end(const BoxEnd *end, const DriverBox *box, End *out) {
  if (end->type == TYPE_ARRAY) return CUDA_ERROR_NOT_SUPPORTED;
  if (end->type < TYPE_HOST || end->type > TYPE_UNIFIED || end->detail)
    return CUDA_ERROR_INVALID_VALUE;
  const size_t least = end->x + box->width;
  const size_t pitch = end->pitch ? end->pitch : least;
  const size_t rows = end->rows ? end->rows : box->height;
  if (least < box->width || pitch < least || pitch > INT_MAX ||
      (box->depth > 1 && rows < box->height))
    return CUDA_ERROR_INVALID_VALUE;
  out->pitch = pitch;
  out->plane = pitch * rows;
  out->is_device = end->type == TYPE_DEVICE;
  out->start = end->type == TYPE_HOST ? (uintptr_t)end->host : end->device;
  out->start += end->z * out->plane + end->y * pitch + end->x;
  return CUDA_SUCCESS;
}

static CUdeviceptr row_of(const End *end, size_t y, size_t z) {
  return end->start + z * end->plane + y * end->pitch;
}

// Checks the rows of the box, and copies them unless `only_look`.
static CUresult copy_rows(const DriverBox *box, bool only_look) {
  const int ends = (box->to.is_device ? TO_DEVICE : 0) |
                   (box->from.is_device ? FROM_DEVICE : 0);
  for (size_t z = 0; z < box->depth; z++) {
    for (size_t y = 0; y < box->height; y++) {
      const CUdeviceptr to = row_of(&box->to, y, z);
      const CUdeviceptr from = row_of(&box->from, y, z);
      if (!copy_is_possible(to, from, box->width, ends))
        return CUDA_ERROR_INVALID_VALUE;
      if (!only_look) copy_bytes(to, from, box->width);
    }
  }
  return CUDA_SUCCESS;
}

static CUresult copy_box(const BoxEnd *to, const BoxEnd *from, size_t width,
                         size_t height, size_t depth) {
  DriverBox box = {.width = width, .height = height, .depth = depth};
  CUresult error = find_end(to, &box, &box.to);
  if (!error) error = find_end(from, &box, &box.from);
  if (error || !width || !height || !depth) return error;
  error = copy_rows(&box, true);
  return error ? error : copy_rows(&box, false);
}

static CUresult copy_2d(const Copy2D *c) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  const BoxEnd from = {.x = c->from_x,
                       .y = c->from_y,
                       .type = c->from_type,
                       .host = c->from_host,
                       .device = c->from_device,
                       .pitch = c->from_pitch};
  const BoxEnd to = {.x = c->to_x,
                     .y = c->to_y,
                     .type = c->to_type,
                     .host = c->to_host,
                     .device = c->to_device,
                     .pitch = c->to_pitch};
  return copy_box(&to, &from, c->width, c->height, 1);
}

CUresult locked_cuMemcpy2D_v2(const Copy2D *copy) {
  Context *context;
  const CUresult error = context_check(&context);
  return error ? error : copy_2d(copy);
}

CUresult locked_cuMemcpy2DUnaligned_v2(const Copy2D *copy) {
  return locked_cuMemcpy2D_v2(copy);
}

CUresult locked_cuMemcpy2DAsync_v2(const Copy2D *copy, CUstream stream) {
  Context *context;
  const CUresult error = stream_check(stream, &context);
  return error ? error : copy_2d(copy);
}

static CUresult copy_3d(const Copy3D *c) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  return copy_box(&c->to, &c->from, c->width, c->height, c->depth);
}

CUresult locked_cuMemcpy3D_v2(const Copy3D *copy) {
  Context *context;
  const CUresult error = context_check(&context);
  return error ? error : copy_3d(copy);
}

CUresult locked_cuMemcpy3DAsync_v2(const Copy3D *copy, CUstream stream) {
  Context *context;
  const CUresult error = stream_check(stream, &context);
  return error ? error : copy_3d(copy);
}

// -- Fills -------------------------------------------------------------------

typedef struct {
  CUdeviceptr start;
  size_t pitch, each, width, height;
  const void *value;
} Fill;

static CUresult fill_box(const Fill *f) {
  if (!f->width || !f->height) return CUDA_SUCCESS;
  if (f->width > SIZE_MAX / f->each || f->pitch % f->each ||
      (f->height > 1 && f->pitch < f->width * f->each))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t y = 0; y < f->height; y++) {
    if (!fill_is_possible(f->start + y * f->pitch, f->each, f->width))
      return CUDA_ERROR_INVALID_VALUE;
  }
  for (size_t y = 0; y < f->height; y++)
    fill_bytes(f->start + y * f->pitch, f->value, f->each, f->width);
  return CUDA_SUCCESS;
}

static CUresult fill_now(const Fill *f) {
  Context *context;
  const CUresult error = context_check(&context);
  return error ? error : fill_box(f);
}

static CUresult fill_later(const Fill *f, CUstream stream) {
  Context *context;
  const CUresult error = stream_check(stream, &context);
  return error ? error : fill_box(f);
}

CUresult locked_cuMemsetD2D8_v2(CUdeviceptr address, size_t pitch,
                                unsigned char value, size_t width,
                                size_t height) {
  return fill_now(&(Fill){address, pitch, 1, width, height, &value});
}

CUresult locked_cuMemsetD2D16_v2(CUdeviceptr address, size_t pitch,
                                 unsigned short value, size_t width,
                                 size_t height) {
  return fill_now(&(Fill){address, pitch, 2, width, height, &value});
}

CUresult locked_cuMemsetD2D32_v2(CUdeviceptr address, size_t pitch,
                                 unsigned value, size_t width, size_t height) {
  return fill_now(&(Fill){address, pitch, 4, width, height, &value});
}

CUresult locked_cuMemsetD2D8Async(CUdeviceptr address, size_t pitch,
                                  unsigned char value, size_t width,
                                  size_t height, CUstream stream) {
  return fill_later(&(Fill){address, pitch, 1, width, height, &value}, stream);
}

CUresult locked_cuMemsetD2D16Async(CUdeviceptr address, size_t pitch,
                                   unsigned short value, size_t width,
                                   size_t height, CUstream stream) {
  return fill_later(&(Fill){address, pitch, 2, width, height, &value}, stream);
}

CUresult locked_cuMemsetD2D32Async(CUdeviceptr address, size_t pitch,
                                   unsigned value, size_t width, size_t height,
                                   CUstream stream) {
  return fill_later(&(Fill){address, pitch, 4, width, height, &value}, stream);
}
