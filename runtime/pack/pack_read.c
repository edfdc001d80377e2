// pack_read.c -- bytes become a pack, if they are one.
//
// The checksum finds what was changed by chance.  Whoever made the pack may
// still have lied, so each number is compared with what it counts or points
// into before it is used.
#include "runtime/pack/pack.h"

#include "ir/target.h"
#include "runtime/pack/pack_format.h"

#include <string.h>

// Each step is a bijection of the sum, whatever the word, and of the word,
// whatever the sum: two blocks that differ in one word have different sums.
uint64_t pack_checksum(const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  uint64_t sum = size;
  for (size_t done = 0; done < size; done += sizeof(uint64_t)) {
    const size_t left = size - done;
    uint64_t word = 0;
    memcpy(&word, at + done, left < sizeof word ? left : sizeof word);
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    sum ^= sum >> 32;
  }
  return sum;
}

// -- Parts -------------------------------------------------------------------

enum {
  MOST_WARPS = 32,
  MOST_BYTES = 1 << 30, // of scratch or shared memory, or of a workspace
  LEAST_BYTES = sizeof(uint64_t),
};

static uint64_t read_below(ByteReader *from, uint64_t limit) {
  const uint64_t number = bytes_read_number(from);
  if (number < limit) return number;
  from->bad = true;
  return 0;
}

// A text that is there, and has no NUL within.
static const char *read_name(ByteReader *from) {
  if (read_below(from, 2) != 1) from->bad = true;
  const Bytes block = bytes_read_block(from);
  if (strlen(block.data) != block.size) from->bad = true;
  return block.data;
}

static void read_param(ByteReader *from, PackParam *out) {
  out->name = read_name(from);
  out->dtype = (TileDtype)read_below(from, TILE_FP8E4B15 + 1);
  const uint64_t flags = read_below(from, PACK_PARAM_FLAGS + 1);
  out->is_constexpr = flags & PACK_PARAM_CONSTEXPR;
  out->has_default = flags & PACK_PARAM_DEFAULT;
  out->is_pointer = flags & PACK_PARAM_POINTER;
}

static void read_spec(ByteReader *from, PackSpec *out) {
  out->kind = (PackKind)read_below(from, NUM_PACK_KINDS);
  out->dtype = (TileDtype)read_below(from, TILE_FP8E4B15 + 1);
  out->divisibility = (int)read_below(from, 1 << 30);
  const uint64_t bits = bytes_read_number(from);
  out->i = (int64_t)bits;
  if (out->kind == PACK_FLOAT) memcpy(&out->f, &bits, sizeof out->f);
  out->text = bytes_read_text(from);
  const bool has_type = out->kind == PACK_POINTER || out->kind == PACK_NUMBER;
  if (has_type != (out->dtype != TILE_DTYPE_NONE) ||
      (out->kind == PACK_TEXT) != (out->text != NULL))
    from->bad = true;
}

// -- Code --------------------------------------------------------------------

static bool is_sound_image(const Image *image) {
  const size_t words = (size_t)image->num_imports * sizeof(uint64_t);
  return image->size && image->size % IMAGE_PAGE == 0 &&
         image->text_size % IMAGE_PAGE == 0 &&
         image->text_size <= image->size && image->entry < image->text_size &&
         image->table >= image->text_size && image->table <= image->size &&
         words <= image->size - image->table;
}

static void read_image(ByteReader *from, Arena *arena, Image *out) {
  out->text_size = (size_t)bytes_read_number(from);
  out->entry = (size_t)bytes_read_number(from);
  out->table = (size_t)bytes_read_number(from);
  const size_t count = bytes_read_count(from, LEAST_BYTES);
  const char **imports = arena_array(arena, const char *, count + 1);
  for (size_t i = 0; i < count; i++) {
    imports[i] = read_name(from);
    if (!from->bad && !image_import(imports[i])) from->bad = true;
  }
  const Bytes bytes = bytes_read_block(from);
  out->imports = imports;
  out->num_imports = (int)count;
  out->bytes = bytes.data;
  out->size = bytes.size;
  if (!from->bad && !is_sound_image(out)) from->bad = true;
}

static bool is_sound_param(const KernelParam *param, size_t num_params) {
  switch (param->rule) {
  case PARAM_ARGUMENT:
    return param->index >= 0 && (size_t)param->index < num_params;
  case PARAM_WORKSPACE: return param->size <= MOST_BYTES;
  case PARAM_HOOKS: return true;
  default: return false; // a pack has no tensor maps
  }
}

static bool is_sound_info(const KernelInfo *info, size_t num_params) {
  if (info->num_params > PACK_MAX_PARAMS || info->num_maps || info->num_steps ||
      info->num_warps < 1 || info->num_warps > MOST_WARPS ||
      info->shared_bytes > MOST_BYTES || info->scratch_bytes > MOST_BYTES)
    return false;
  for (int i = 0; i < info->num_params; i++) {
    if (!is_sound_param(&info->params[i], num_params)) return false;
  }
  return true;
}

static void read_variant(ByteReader *from, Arena *arena, size_t num_params,
                         PackVariant *out) {
  PackSpec *specs = arena_array(arena, PackSpec, num_params + 1);
  out->target = read_name(from);
  out->level = (int)read_below(from, 5);
  out->config = (int)read_below(from, 1 << 30);
  out->num_warps = (int)read_below(from, MOST_WARPS + 1);
  out->num_stages = (int)read_below(from, 1 << 10);
  for (size_t i = 0; i < num_params; i++) read_spec(from, &specs[i]);
  out->specs = specs;
  kernel_info_read(from, arena, &out->info);
  const Target *target = target_find(out->target);
  if (!target || target->is_gpu != !out->level ||
      !is_sound_info(&out->info, num_params))
    from->bad = true;
  if (from->bad) return;
  if (out->level)
    read_image(from, arena, &out->image);
  else
    out->code = bytes_read_block(from);
}

// -- The whole ---------------------------------------------------------------

static void read_kernel(ByteReader *from, Arena *arena, PackKernel *out,
                        int *num_variants) {
  out->name = read_name(from);
  out->num_params = bytes_read_count(from, LEAST_BYTES);
  PackParam *params = arena_array(arena, PackParam, out->num_params + 1);
  for (size_t i = 0; i < out->num_params; i++) read_param(from, &params[i]);
  out->params = params;
  out->num_variants = bytes_read_count(from, LEAST_BYTES);
  PackVariant *variants =
      arena_array(arena, PackVariant, out->num_variants + 1);
  for (size_t i = 0; i < out->num_variants && !from->bad; i++) {
    variants[i].number = (*num_variants)++;
    read_variant(from, arena, out->num_params, &variants[i]);
  }
  out->variants = variants;
}

static PackState check_head(Bytes bytes) {
  PackHead head;
  if (bytes.size < sizeof head || memcmp(bytes.data, PACK_MAGIC, 8))
    return PACK_NO_PACK;
  memcpy(&head, bytes.data, sizeof head);
  if (head.version != PACK_VERSION) return PACK_OTHER_VERSION;
  const char *rest = (const char *)bytes.data + sizeof head;
  if (head.zero || head.size != bytes.size ||
      head.checksum != pack_checksum(rest, bytes.size - sizeof head))
    return PACK_BROKEN;
  return PACK_FINE;
}

PackState pack_read(Bytes bytes, Arena *arena, Pack *out) {
  const PackState state = check_head(bytes);
  if (state) return state;
  const char *data = bytes.data;
  ByteReader from = {data + sizeof(PackHead), data + bytes.size, false};
  *out = (Pack){.made_by = read_name(&from)};
  out->num_kernels = bytes_read_count(&from, LEAST_BYTES);
  PackKernel *kernels = arena_array(arena, PackKernel, out->num_kernels + 1);
  for (size_t i = 0; i < out->num_kernels && !from.bad; i++)
    read_kernel(&from, arena, &kernels[i], &out->num_variants);
  out->kernels = kernels;
  return from.bad || from.at != from.end ? PACK_BROKEN : PACK_FINE;
}
