// write.c -- writes a pack as bytes.
#include "runtime/pack/pack.h"

#include "ir/number.h"
#include "runtime/pack/format.h"

#include <assert.h>
#include <string.h>

static void write_spec(const PackSpec *spec, Str *out) {
  assert(pack_is_text(spec) == (spec->text != NULL)); // I3
  assert(!spec->num_items || spec->kind >= PACK_TUPLE ||
         spec->kind == PACK_ABSENT); // I3
  bytes_add_number(out, spec->kind);
  bytes_add_number(out, spec->dtype);
  bytes_add_number(out, (uint64_t)spec->divisibility);
  bytes_add_number(out, spec->kind == PACK_FLOAT ? double_bits(spec->f)
                                                 : (uint64_t)spec->i);
  bytes_add_text(out, spec->text);
  bytes_add_number(out, (uint64_t)spec->num_items);
  bytes_add_number(out, spec->names != NULL);
  for (int i = 0; i < spec->num_items; i++) {
    if (spec->names) bytes_add_text(out, spec->names[i]);
    write_spec(&spec->items[i], out);
  }
}

static void write_param(const PackParam *param, Str *out) {
  bytes_add_text(out, param->name);
  bytes_add_number(out, param->dtype);
  bytes_add_number(out, (param->is_constexpr ? PACK_PARAM_CONSTEXPR : 0u) |
                            (param->has_default ? PACK_PARAM_DEFAULT : 0u) |
                            (param->is_pointer ? PACK_PARAM_POINTER : 0u) |
                            (param->is_fixed ? PACK_PARAM_FIXED : 0u));
  write_spec(&param->value, out);
}

static void write_image(const Image *image, Str *out) {
  assert(image->text_size <= image->size); // I3
  assert(image->entry < image->text_size); // I3
  bytes_add_number(out, image->text_size);
  bytes_add_number(out, image->entry);
  bytes_add_number(out, image->table);
  bytes_add_number(out, (uint64_t)image->num_imports);
  for (int i = 0; i < image->num_imports; i++)
    bytes_add_text(out, image->imports[i]);
  bytes_add_block(out, (Bytes){image->bytes, image->size});
}

static void write_gpu_code(const PackVariant *variant, Str *out) {
  bytes_add_block(out, variant->code);
  bytes_add_block(out, variant->cubin);
}

static void write_variant(const PackKernel *kernel, const PackVariant *variant,
                          Str *out) {
  bytes_add_text(out, variant->target);
  bytes_add_number(out, (uint64_t)variant->level);
  bytes_add_number(out, (uint64_t)variant->config);
  bytes_add_number(out, (uint64_t)variant->num_warps);
  bytes_add_number(out, (uint64_t)variant->num_stages);
  bytes_add_number(out, (uint64_t)variant->num_ctas);
  bytes_add_number(out, (uint64_t)(variant->persist + 1));
  for (size_t i = 0; i < kernel->num_params; i++) {
    bytes_add_number(out, variant->are_set[i]);
    write_spec(&variant->specs[i], out);
  }
  kernel_info_write(&variant->info, out);
  if (variant->level)
    write_image(&variant->image, out);
  else
    write_gpu_code(variant, out);
}

static void write_kernel(const PackKernel *kernel, Str *out) {
  bytes_add_text(out, kernel->name);
  bytes_add_number(out, kernel->num_params);
  for (size_t i = 0; i < kernel->num_params; i++)
    write_param(&kernel->params[i], out);
  bytes_add_number(out, kernel->num_variants);
  for (size_t i = 0; i < kernel->num_variants; i++)
    write_variant(kernel, &kernel->variants[i], out);
}

Bytes pack_write(const Pack *pack, Arena *arena) {
  PackHead head = {.version = PACK_VERSION};
  Str out = str_in(arena);
  memcpy(head.magic, PACK_MAGIC, sizeof head.magic);
  str_add_bytes(&out, &head, sizeof head);
  bytes_add_text(&out, pack->made_by);
  bytes_add_number(&out, pack->num_kernels);
  for (size_t i = 0; i < pack->num_kernels; i++)
    write_kernel(&pack->kernels[i], &out);
  assert(out.length > sizeof head && "it ends with its head"); // I3
  head.size = out.length;
  head.checksum =
      pack_checksum(out.data + sizeof head, out.length - sizeof head);
  memcpy(out.data, &head, sizeof head);
  return (Bytes){out.data, out.length};
}
