// argument.c -- binding: from the caller's values to types, hints and
// constants.
//
// docs/language.md has the rule: an int that is 1 becomes a constant; an int or
// address that 16 divides gets that hint; an annotation fixes the type, and
// then only divisibility depends on the value.
#include "runtime/compile/argument.h"

#include "runtime/base/base.h"
#include "runtime/compile/constants.h"
#include "runtime/errors.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { HINT = 16 };

typedef struct {
  const Report *report;
  const TileDevice *device;
  const TileKernel *kernel;
  BoundItems *items;
} ArgumentBinding;

static TileStatus wrong(const ArgumentBinding *binding,
                        const KernelParamPlan *param, const char *format) {
  return report_error(binding->report, TILE_INVALID_ARGUMENT, format,
                      param->name, binding->kernel->name);
}

static int hint_of(const KernelParamPlan *param, uint64_t value) {
  return value % HINT || !param->takes_hint ? 0 : HINT;
}

static ArgSpec runtime_type(const char *text, int divisibility) {
  return (ArgSpec){
      .kind = ARG_RUNTIME, .text = text, .divisibility = divisibility};
}

// Heuristics may read the value; the variant does not depend on it.
static ArgSpec runtime_int(TileDtype dtype, int divisibility, int64_t value) {
  ArgSpec spec = runtime_type(tile_dtype_name(dtype), divisibility);
  spec.known = true;
  spec.i = value;
  return spec;
}

// An argument that was never set may hold any bytes.
static TileStatus check_arg(const ArgumentBinding *binding,
                            const KernelParamPlan *param, const TileArg *arg) {
  if ((unsigned)arg->kind > TILE_ARG_UINT)
    return wrong(binding, param, ERROR_argument_kind);
  if (arg->dtype && !tile_dtype_size(arg->dtype))
    return wrong(binding, param, ERROR_argument_dtype);
  return TILE_OK;
}

// NULL: a run-time value, or None, which may be passed for any parameter.
static const char *constant_kind(TileArgKind kind) {
  static const char *const texts[TILE_ARG_UINT + 1] = {
#define CONSTANT(kind, text) [TILE_ARG_##kind] = text,
#include "runtime/compile/constant_kinds.def"
  };
  return texts[kind];
}

// Reports an argument that does not fit the annotated type, before anything is
// compiled.
static TileStatus check_annotation(const ArgumentBinding *binding,
                                   const KernelParamPlan *param,
                                   const TileArg *arg) {
  const Annotation *fixed = &param->annotation;
  const char *found = constant_kind(arg->kind);
  if (!found || !fixed->dtype || param->is_constexpr) return TILE_OK;
  return report_error(binding->report, TILE_INVALID_ARGUMENT,
                      ERROR_argument_annotated, param->name,
                      binding->kernel->name,
                      fixed->is_pointer ? element_pointer_name(fixed->dtype)
                                        : tile_dtype_name(fixed->dtype),
                      found);
}

// -- One value ---------------------------------------------------------------

static TileStatus bind_address(const ArgumentBinding *binding,
                               const KernelParamPlan *param, TileDtype dtype,
                               uint64_t address, BoundArg *out) {
  const Annotation *fixed = &param->annotation;
  if (fixed->dtype && !fixed->is_pointer)
    return wrong(binding, param, ERROR_argument_not_a_pointer);
  if (!dtype) dtype = fixed->dtype;
  if (!dtype) return wrong(binding, param, ERROR_argument_without_dtype);
  if (fixed->dtype && fixed->dtype != dtype)
    return report_error(
        binding->report, TILE_INVALID_ARGUMENT, ERROR_argument_pointer_differs,
        param->name, binding->kernel->name, element_pointer_name(fixed->dtype),
        element_pointer_name(dtype));
  const size_t size = tile_dtype_size(dtype);
  if (address % size)
    return report_error(binding->report, TILE_INVALID_ARGUMENT,
                        ERROR_argument_misaligned, param->name,
                        binding->kernel->name, (unsigned long long)address,
                        size, tile_dtype_name(dtype));
  out->spec =
      runtime_type(element_pointer_name(dtype), hint_of(param, address));
  out->value = address;
  return TILE_OK;
}

static TileStatus bind_buffer(const ArgumentBinding *binding,
                              const KernelParamPlan *param, const TileArg *arg,
                              BoundArg *out) {
  const TileBuffer *buffer = arg->as.buffer.buffer;
  if (!buffer) return wrong(binding, param, ERROR_argument_null_buffer);
  if (buffer->device != binding->device)
    return wrong(binding, param, ERROR_argument_other_device);
  if (arg->as.buffer.offset > buffer->size)
    return wrong(binding, param, ERROR_argument_past_end);
  const uint64_t address =
      (uint64_t)(uintptr_t)buffer->address + arg->as.buffer.offset;
  return bind_address(binding, param, arg->dtype, address, out);
}

static TileStatus bind_float(const ArgumentBinding *binding,
                             const KernelParamPlan *param, double value,
                             BoundArg *out) {
  const Annotation *fixed = &param->annotation;
  const TileDtype dtype = fixed->dtype ? fixed->dtype : TILE_FP32;
  if (fixed->is_pointer)
    return wrong(binding, param, ERROR_argument_wants_pointer);
  if (!element_is_float(dtype))
    return wrong(binding, param, ERROR_argument_wants_integer);
  out->spec = runtime_type(tile_dtype_name(dtype), 0);
  out->spec.known = true;
  out->spec.f = value;
  out->value = element_encode(dtype, value);
  return TILE_OK;
}

static TileStatus does_not_fit(const ArgumentBinding *binding,
                               const KernelParamPlan *param,
                               const char *value) {
  return report_error(binding->report, TILE_INVALID_ARGUMENT,
                      ERROR_argument_does_not_fit, param->name,
                      binding->kernel->name,
                      tile_dtype_name(param->annotation.dtype), value);
}

static TileStatus bind_typed_int(const ArgumentBinding *binding,
                                 const KernelParamPlan *param, int64_t value,
                                 BoundArg *out) {
  const TileDtype dtype = param->annotation.dtype;
  char text[24];
  snprintf(text, sizeof text, "%lld", (long long)value);
  if (!element_holds(dtype, value)) return does_not_fit(binding, param, text);
  const int hint = dtype == TILE_BOOL ? 0 : hint_of(param, (uint64_t)value);
  out->spec = runtime_int(dtype, hint, value);
  out->value = (uint64_t)value;
  return TILE_OK;
}

static TileStatus bind_int(const ArgumentBinding *binding,
                           const KernelParamPlan *param, int64_t value,
                           BoundArg *out) {
  const Annotation *fixed = &param->annotation;
  if (fixed->is_pointer)
    return wrong(binding, param, ERROR_argument_wants_pointer);
  if (element_is_float(fixed->dtype))
    return bind_float(binding, param, (double)value, out);
  if (fixed->dtype) return bind_typed_int(binding, param, value, out);
  if (value == 1 && param->folds_one) {
    out->spec = (ArgSpec){.kind = ARG_INT, .i = 1};
    return TILE_OK;
  }
  const TileDtype dtype =
      element_holds(TILE_INT32, value) ? TILE_INT32 : TILE_INT64;
  out->spec = runtime_int(dtype, hint_of(param, (uint64_t)value), value);
  out->value = (uint64_t)value;
  return TILE_OK;
}

// An integer that only u64 holds.  Heuristics cannot read it: their integers
// are i64.
static TileStatus bind_uint(const ArgumentBinding *binding,
                            const KernelParamPlan *param, uint64_t value,
                            BoundArg *out) {
  const Annotation *fixed = &param->annotation;
  char text[24];
  if (value <= INT64_MAX) return bind_int(binding, param, (int64_t)value, out);
  if (fixed->is_pointer)
    return wrong(binding, param, ERROR_argument_wants_pointer);
  if (element_is_float(fixed->dtype))
    return bind_float(binding, param, (double)value, out);
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  if (fixed->dtype && fixed->dtype != TILE_UINT64)
    return does_not_fit(binding, param, text);
  out->spec = runtime_type(tile_dtype_name(TILE_UINT64), hint_of(param, value));
  out->value = value;
  return TILE_OK;
}

static TileStatus bind_bool(const ArgumentBinding *binding,
                            const KernelParamPlan *param, bool value,
                            BoundArg *out) {
  if (param->annotation.dtype) return bind_int(binding, param, value, out);
  out->spec = runtime_int(TILE_BOOL, 0, value);
  out->value = value;
  return TILE_OK;
}

typedef TileStatus Bind(const ArgumentBinding *binding,
                        const KernelParamPlan *param, const TileArg *arg,
                        BoundArg *out);

static BoundArg *take_items(const ArgumentBinding *binding, size_t count,
                            ArgSpec **specs) {
  BoundItems *all = binding->items;
  BoundArg *bound = all->bound + all->used;
  *specs = all->specs + all->used;
  all->used += count;
  return bound;
}

static TileStatus bind_items(const ArgumentBinding *binding,
                             const KernelParamPlan *param, const TileArg *arg,
                             Bind *bind, BoundArg *bound, ArgSpec *specs) {
  const size_t count = arg->as.tuple.count;
  TileStatus status = TILE_OK;
  for (size_t i = 0; !status && i < count; i++) {
    bound[i] = (BoundArg){0};
    status = check_arg(binding, param, &arg->as.tuple.items[i]);
    if (!status && arg->as.tuple.names && !arg->as.tuple.names[i])
      status = wrong(binding, param, ERROR_argument_null_name);
    if (!status)
      status = bind(binding, param, &arg->as.tuple.items[i], &bound[i]);
    specs[i] = bound[i].spec;
  }
  return status;
}

// Binds each item like an argument; the annotation is of the whole tuple.
static TileStatus bind_tuple(const ArgumentBinding *binding,
                             const KernelParamPlan *param, const TileArg *arg,
                             Bind *bind, BoundArg *out) {
  BoundItems *all = binding->items;
  const size_t count = arg->as.tuple.count;
  if (count && !arg->as.tuple.items)
    return wrong(binding, param, ERROR_argument_null_items);
  if (all->depth >= MAX_TUPLE_DEPTH)
    return wrong(binding, param, ERROR_argument_too_deep);
  KernelParamPlan item = *param;
  item.annotation = (Annotation){0};
  ArgSpec *specs;
  BoundArg *bound = take_items(binding, count, &specs);
  all->depth++;
  const TileStatus status = bind_items(binding, &item, arg, bind, bound, specs);
  all->depth--;
  assert(all->depth >= 0 && all->depth < MAX_TUPLE_DEPTH); // I7
  out->spec = (ArgSpec){.kind = ARG_TUPLE,
                        .items = specs,
                        .num_items = (int)count,
                        .names = arg->as.tuple.names};
  out->items = bound;
  return status;
}

static TileStatus bind_name(const ArgumentBinding *binding,
                            const KernelParamPlan *param, const TileArg *arg,
                            ArgKind kind, BoundArg *out) {
  if (!arg->as.string) return wrong(binding, param, ERROR_argument_null_string);
  out->spec = (ArgSpec){.kind = kind, .text = arg->as.string};
  return TILE_OK;
}

static TileStatus bind_dtype(const char *name, BoundArg *out) {
  out->spec = (ArgSpec){.kind = ARG_DTYPE, .text = name};
  return TILE_OK;
}

static TileStatus bind_constant(const ArgumentBinding *binding,
                                const KernelParamPlan *param,
                                const TileArg *arg, BoundArg *out);

static TileStatus bind_marked(const ArgumentBinding *binding,
                              const KernelParamPlan *param, const TileArg *arg,
                              BoundArg *out) {
  if (!arg) return wrong(binding, param, ERROR_argument_null_constant);
  const TileStatus status = check_arg(binding, param, arg);
  if (status) return status;
  return arg->kind == TILE_ARG_CONSTANT
             ? wrong(binding, param, ERROR_argument_wants_constant)
             : bind_constant(binding, param, arg, out);
}

static TileStatus bind_constant(const ArgumentBinding *binding,
                                const KernelParamPlan *param,
                                const TileArg *arg, BoundArg *out) {
  switch (arg->kind) {
  case TILE_ARG_NONE: out->spec.kind = ARG_NONE; return TILE_OK;
  case TILE_ARG_INT:
    out->spec = (ArgSpec){.kind = ARG_INT, .i = arg->as.i};
    return TILE_OK;
  case TILE_ARG_BOOL:
    out->spec = (ArgSpec){.kind = ARG_BOOL, .i = arg->as.i != 0};
    return TILE_OK;
  case TILE_ARG_FLOAT:
    out->spec = (ArgSpec){.kind = ARG_FLOAT, .f = arg->as.f};
    return TILE_OK;
  case TILE_ARG_STRING: return bind_name(binding, param, arg, ARG_STRING, out);
  case TILE_ARG_FUNCTION:
    return bind_name(binding, param, arg, ARG_FUNCTION, out);
  case TILE_ARG_DTYPE: return bind_dtype(tile_dtype_name(arg->dtype), out);
  case TILE_ARG_POINTER_DTYPE:
    return bind_dtype(element_pointer_name(arg->dtype), out);
  case TILE_ARG_TUPLE:
    return bind_tuple(binding, param, arg, bind_constant, out);
  case TILE_ARG_CONSTANT:
    return bind_marked(binding, param, arg->as.constant, out);
  default: return wrong(binding, param, ERROR_argument_wants_constant);
  }
}

// The parameter with the type that the caller asks for, if the kernel annotates
// none.
static KernelParamPlan typed_param(const KernelParamPlan *param,
                                   const TileArg *arg) {
  KernelParamPlan typed = *param;
  if (!typed.annotation.dtype) typed.annotation.dtype = arg->dtype;
  return typed;
}

static TileStatus bind_scalar(const ArgumentBinding *binding,
                              const KernelParamPlan *param, const TileArg *arg,
                              BoundArg *out) {
  const KernelParamPlan typed = typed_param(param, arg);
  switch (arg->kind) {
  case TILE_ARG_INT: return bind_int(binding, &typed, arg->as.i, out);
  case TILE_ARG_UINT: return bind_uint(binding, &typed, arg->as.u, out);
  case TILE_ARG_BOOL: return bind_bool(binding, &typed, arg->as.i != 0, out);
  default: return bind_float(binding, &typed, arg->as.f, out);
  }
}

// -- Tensor descriptors ------------------------------------------------------

static TileStatus bind_descriptor_address(const ArgumentBinding *binding,
                                          const KernelParamPlan *param,
                                          const TileTensorDescriptor *d,
                                          BoundArg *out) {
  const KernelParamPlan plain = {.name = param->name};
  TileArg arg = tile_buffer_arg(d->buffer, d->dtype);
  arg.as.buffer.offset = d->offset;
  const TileStatus status =
      d->buffer
          ? bind_buffer(binding, &plain, &arg, out)
          : bind_address(binding, &plain, d->dtype,
                         (uint64_t)(uintptr_t)d->address + d->offset, out);
  if (status || out->value % HINT == 0) return status;
  return wrong(binding, param, ERROR_descriptor_address);
}

static BoundArg part_of(int64_t value) {
  return (BoundArg){.spec.kind = ARG_RUNTIME, .value = (uint64_t)value};
}

static TileStatus read_descriptor(const ArgumentBinding *binding,
                                  const KernelParamPlan *param,
                                  const TileTensorDescriptor *from,
                                  TileTensorDescriptor *d) {
  if (!from) return wrong(binding, param, ERROR_descriptor_null);
  const TileStatus status =
      sized_read(binding->report, &sized_descriptor, from, d);
  const char *problem = status ? NULL : descriptor_problem(d);
  return problem ? wrong(binding, param, problem) : status;
}

// The kernel gets the parts of the descriptor; the variant is compiled for the
// sizes of a block.
static TileStatus bind_parts(const ArgumentBinding *binding,
                             const KernelParamPlan *param,
                             const TileTensorDescriptor *d, BoundArg *out) {
  const int rank = d->rank;
  ArgSpec *specs;
  assert(rank >= 1 && rank <= TILE_MAX_DESCRIPTOR_RANK); // I7
  BoundArg *parts = take_items(binding, 2 * (size_t)rank, &specs);
  parts[0] = (BoundArg){0};
  for (int i = 0; i < rank; i++) {
    specs[i] = (ArgSpec){.kind = ARG_INT, .i = d->block[i]};
    parts[1 + i] = part_of(d->shape[i]);
    if (i < rank - 1) parts[1 + rank + i] = part_of(d->strides[i]);
  }
  const uint64_t last = (uint64_t)d->shape[rank - 1];
  out->items = parts;
  out->spec = (ArgSpec){.kind = ARG_DESCRIPTOR,
                        .text = tile_dtype_name(d->dtype),
                        .divisibility = hint_of(param, last),
                        .i = d->pads_with_nan,
                        .items = specs,
                        .num_items = rank};
  return bind_descriptor_address(binding, param, d, &parts[0]);
}

static TileStatus bind_descriptor(const ArgumentBinding *binding,
                                  const KernelParamPlan *param,
                                  const TileTensorDescriptor *from,
                                  BoundArg *out) {
  TileTensorDescriptor d;
  const TileStatus status = read_descriptor(binding, param, from, &d);
  return status ? status : bind_parts(binding, param, &d, out);
}

static TileStatus bind_runtime(const ArgumentBinding *binding,
                               const KernelParamPlan *param, const TileArg *arg,
                               BoundArg *out) {
  switch (arg->kind) {
  case TILE_ARG_BUFFER: return bind_buffer(binding, param, arg, out);
  case TILE_ARG_POINTER:
    return bind_address(binding, param, arg->dtype,
                        (uint64_t)(uintptr_t)arg->as.pointer, out);
  case TILE_ARG_INT:
  case TILE_ARG_UINT:
  case TILE_ARG_BOOL:
  case TILE_ARG_FLOAT: return bind_scalar(binding, param, arg, out);
  case TILE_ARG_TUPLE:
    return bind_tuple(binding, param, arg, bind_runtime, out);
  case TILE_ARG_DESCRIPTOR:
    return bind_descriptor(binding, param, arg->as.descriptor, out);
  default: return bind_constant(binding, param, arg, out);
  }
}

// -- All of them -------------------------------------------------------------

// A constexpr may come from @autotune, so it is the compiler that reports a
// missing one.
static TileStatus bind_absent(const ArgumentBinding *binding,
                              const KernelParamPlan *param, BoundArg *out) {
  out->spec.kind = ARG_ABSENT;
  if (param->has_default || param->is_constexpr) return TILE_OK;
  return report_error(binding->report, TILE_INVALID_ARGUMENT,
                      ERROR_argument_missing, binding->kernel->name,
                      param->name);
}

static TileStatus bind_param(const ArgumentBinding *binding,
                             const TileLaunch *launch,
                             const KernelParamPlan *param, size_t *next,
                             BoundArg *out) {
  const TileConstant *constant = constants_find(launch, param->name);
  *out = (BoundArg){0};
  if (!constant && *next >= launch->num_args)
    return bind_absent(binding, param, out);
  const TileArg *arg = constant ? &constant->value : &launch->args[(*next)++];
  TileStatus status = check_arg(binding, param, arg);
  if (!status) status = check_annotation(binding, param, arg);
  if (status) return status;
  if (constant) return bind_constant(binding, param, arg, out);
  if (arg->kind == TILE_ARG_DEFAULT) return bind_absent(binding, param, out);
  return param->is_constexpr ? bind_constant(binding, param, arg, out)
                             : bind_runtime(binding, param, arg, out);
}

TileStatus bind_arguments(const Report *report, const TileDevice *device,
                          const TileLaunch *launch, BoundItems *items,
                          BoundArg *bound) {
  const TileKernel *kernel = launch->kernel;
  const ArgumentBinding binding = {report, device, kernel, items};
  TileStatus status = constants_check(report, launch);
  size_t next = 0;
  for (size_t i = 0; !status && i < kernel->num_params; i++) {
    status = bind_param(&binding, launch, &kernel->params[i], &next, &bound[i]);
  }
  if (status || next == launch->num_args) return status;
  return report_error(report, TILE_INVALID_ARGUMENT, ERROR_argument_count,
                      kernel->name, next, launch->num_args);
}
