// read.c -- reads a pack from bytes, and checks it.
//
// The checksum finds accidental changes.  A pack may still be forged, so each
// number is compared with the array that it counts or points into before it is
// used.
#include "runtime/pack/pack.h"

#include "ir/target.h"
#include "runtime/pack/format.h"

#include <assert.h>
#include <string.h>

// Each step is a bijection of the sum, for any word, and of the word, for any
// sum: two blocks that differ in one word have different sums.
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
  MOST_CTAS = 16,
  MOST_BYTES = 1 << 30, // of scratch, shared memory or a workspace
  LEAST_BYTES = sizeof(uint64_t),
  LEAST_SPEC = 7 * sizeof(uint64_t),
};

// Packs contain these numbers: a change of one is a change of PACK_VERSION.
_Static_assert(ELEM_i1 == 0 && ELEM_f8e5 == 5 && ELEM_f64 == 10, "elements");
_Static_assert(ELEM_COUNT == 11 && PREDICATE_uge == 9, "elements, predicates");
_Static_assert(NUM_LAUNCH_OPS == 27 && LAUNCH_trunci == 26, "operations");
_Static_assert(STEP_OPERATION == 2 && PARAM_PROGRAMS == 5, "steps, parameters");

static uint64_t read_below(ByteReader *from, uint64_t limit) {
  const uint64_t number = bytes_read_number(from);
  if (number < limit) return number;
  from->bad = true;
  return 0;
}

// A text that is not NULL, and has no NUL within.
static const char *read_name(ByteReader *from) {
  if (read_below(from, 2) != 1) from->bad = true;
  const Bytes block = bytes_read_block(from);
  if (strlen(block.data) != block.size) from->bad = true;
  return block.data;
}

// Whether the argument was known when the kernel was compiled, or is ABSENT.
static bool is_constant(const PackSpec *spec) {
  if (spec->kind == PACK_ABSENT) return !spec->num_items;
  bool is = spec->kind >= PACK_NONE && spec->kind <= PACK_TUPLE;
  for (int i = 0; i < spec->num_items && is; i++)
    is = spec->items[i].kind && is_constant(&spec->items[i]);
  return is;
}

static bool is_sound_spec(const PackSpec *spec) {
  const bool has_items = spec->kind == PACK_TUPLE || spec->kind == PACK_ABSENT;
  const bool is_descriptor = spec->kind == PACK_DESCRIPTOR;
  const bool has_type =
      spec->kind == PACK_POINTER || spec->kind == PACK_NUMBER || is_descriptor;
  if (has_type != (spec->dtype != TILE_DTYPE_NONE) ||
      pack_is_text(spec) != (spec->text != NULL) ||
      (spec->num_items && !has_items && !is_descriptor) ||
      (spec->names && spec->kind != PACK_TUPLE))
    return false;
  if (spec->kind == PACK_ABSENT)
    return !spec->num_items ||
           (spec->num_items == 1 && is_constant(&spec->items[0]));
  for (int i = 0; i < spec->num_items && is_descriptor; i++) {
    if (spec->items[i].kind != PACK_INT || spec->items[i].i < 1) return false;
  }
  return !is_descriptor ||
         (spec->num_items >= 1 && spec->num_items <= TILE_MAX_DESCRIPTOR_RANK);
}

static void read_spec(ByteReader *from, Arena *arena, int depth, PackSpec *out);

static void read_items(ByteReader *from, Arena *arena, int depth,
                       PackSpec *out) {
  const size_t count = bytes_read_count(from, LEAST_SPEC);
  const bool has_names = read_below(from, 2);
  if (depth > PACK_MAX_DEPTH && count) from->bad = true;
  if (from->bad) return;
  PackSpec *items = arena_array(arena, PackSpec, count + 1);
  const char **names = arena_array(arena, const char *, count + 1);
  for (size_t i = 0; i < count && !from->bad; i++) {
    if (has_names) names[i] = read_name(from);
    read_spec(from, arena, depth + 1, &items[i]);
  }
  out->items = items;
  out->num_items = (int)count;
  out->names = has_names ? names : NULL;
}

static void read_spec(ByteReader *from, Arena *arena, int depth,
                      PackSpec *out) {
  *out = (PackSpec){.kind = PACK_ABSENT};
  out->kind = (PackKind)read_below(from, NUM_PACK_KINDS);
  out->dtype = (TileDtype)read_below(from, TILE_FP8E4B15 + 1);
  out->divisibility = (int)read_below(from, 1 << 30);
  const uint64_t bits = bytes_read_number(from);
  out->i = (int64_t)bits;
  if (out->kind == PACK_FLOAT) memcpy(&out->f, &bits, sizeof out->f);
  out->text = bytes_read_text(from);
  read_items(from, arena, depth, out);
  if (!from->bad && !is_sound_spec(out)) from->bad = true;
}

static void read_param(ByteReader *from, Arena *arena, PackParam *out) {
  out->name = read_name(from);
  out->dtype = (TileDtype)read_below(from, TILE_FP8E4B15 + 1);
  const uint64_t flags = read_below(from, PACK_PARAM_FLAGS + 1);
  out->is_constexpr = flags & PACK_PARAM_CONSTEXPR;
  out->has_default = flags & PACK_PARAM_DEFAULT;
  out->is_pointer = flags & PACK_PARAM_POINTER;
  out->is_fixed = flags & PACK_PARAM_FIXED;
  read_spec(from, arena, 1, &out->value);
  if (from->bad || !is_constant(&out->value) ||
      (out->is_fixed && out->value.kind == PACK_ABSENT))
    from->bad = true;
}

// Tuples nest at most PACK_MAX_DEPTH deep.
int pack_num_values(const PackSpec *spec) {
  assert(!spec->num_items || spec->kind >= PACK_TUPLE ||
         spec->kind == PACK_ABSENT); // I3
  int count = 0;
  if (spec->kind == PACK_POINTER || spec->kind == PACK_NUMBER) return 1;
  if (spec->kind == PACK_DESCRIPTOR) return 2 * spec->num_items;
  for (int i = 0; i < spec->num_items; i++)
    count += pack_num_values(&spec->items[i]);
  return count;
}

static bool same_text(const char *a, const char *b) {
  return !strcmp(a ? a : "", b ? b : "");
}

bool pack_same_float(double a, double b) {
  return a != a ? b != b : !memcmp(&a, &b, sizeof a);
}

bool pack_same_spec(const PackSpec *a, const PackSpec *b) {
  if (a->kind == PACK_ABSENT && b->kind == PACK_ABSENT) return true;
  bool same = a->kind == b->kind && a->dtype == b->dtype &&
              a->divisibility == b->divisibility && a->i == b->i &&
              pack_same_float(a->f, b->f) && same_text(a->text, b->text) &&
              a->num_items == b->num_items && !a->names == !b->names;
  for (int i = 0; same && i < a->num_items; i++)
    same = pack_same_spec(&a->items[i], &b->items[i]) &&
           (!a->names || same_text(a->names[i], b->names[i]));
  return same;
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

// -- Facts for a launch ------------------------------------------------------

static bool is_sound_value(const KernelInfo *info, LaunchValue value) {
  return launch_value_is_sound(info->steps + value.first, value.count,
                               info->num_params);
}

static bool is_sound_map(const KernelInfo *info, const TensorMapInfo *map) {
  enum { MOST_BOX = 256 };
  if ((unsigned)map->elem >= ELEM_COUNT || elem_info[map->elem].bits < 8 ||
      map->rank < 1 || map->rank > TENSOR_MAX_RANK ||
      !is_sound_value(info, map->base))
    return false;
  for (int i = 0; i < map->rank; i++) {
    if (map->box[i] < 1 || map->box[i] > MOST_BOX ||
        !is_sound_value(info, map->shape[i]) ||
        (i < map->rank - 1 && !is_sound_value(info, map->strides[i])))
      return false;
  }
  return true;
}

// `value`: the index among its argument's values of the parameter's value.
static bool is_sound_param(const PackVariant *variant, const KernelParam *param,
                           size_t num_params, int value) {
  switch (param->rule) {
  case PARAM_ARGUMENT:
    return param->index >= 0 && (size_t)param->index < num_params &&
           value < pack_num_values(&variant->specs[param->index]);
  case PARAM_WORKSPACE:
  case PARAM_BLOCK_MEMORY: return param->size <= MOST_BYTES;
  case PARAM_TENSOR_MAP:
    return param->index >= 0 && param->index < variant->info.num_maps;
  case PARAM_PROGRAMS: return param->index >= 0 && param->index < 3;
  case PARAM_HOOKS: return true;
  }
  return false;
}

static bool are_sound_params(const PackVariant *variant, size_t num_params) {
  assert(variant->info.num_params <= PACK_MAX_PARAMS); // I2
  const KernelInfo *info = &variant->info;
  int value = 0;
  for (int i = 0; i < info->num_params; i++) {
    value = kernel_param_value(info, i, value);
    if (!is_sound_param(variant, &info->params[i], num_params, value))
      return false;
  }
  return true;
}

static bool is_sound_info(const PackVariant *variant, size_t num_params) {
  const KernelInfo *info = &variant->info;
  if (info->num_params > PACK_MAX_PARAMS || info->num_warps < 1 ||
      info->num_warps > MOST_WARPS || info->shared_bytes > MOST_BYTES ||
      info->scratch_bytes > MOST_BYTES || info->num_maps > LAUNCH_MAX_MAPS ||
      (info->num_maps && variant->level))
    return false;
  for (int i = 0; i < info->num_maps; i++) {
    if (!is_sound_map(info, &info->maps[i])) return false;
  }
  return are_sound_params(variant, num_params);
}

static void read_gpu_code(ByteReader *from, PackVariant *out) {
  out->code = bytes_read_block(from);
  out->cubin = bytes_read_block(from);
}

static void read_variant(ByteReader *from, Arena *arena, size_t num_params,
                         PackVariant *out) {
  PackSpec *specs = arena_array(arena, PackSpec, num_params + 1);
  bool *are_set = arena_array(arena, bool, num_params + 1);
  out->target = read_name(from);
  out->level = (int)read_below(from, 5);
  out->config = (int)read_below(from, 1 << 30);
  out->num_warps = (int)read_below(from, MOST_WARPS + 1);
  out->num_stages = (int)read_below(from, 1 << 10);
  out->num_ctas = (int)read_below(from, MOST_CTAS + 1);
  out->persist = (int)read_below(from, 3) - 1;
  for (size_t i = 0; i < num_params; i++) {
    are_set[i] = read_below(from, 2);
    read_spec(from, arena, 1, &specs[i]);
  }
  out->specs = specs;
  out->are_set = are_set;
  kernel_info_read(from, arena, &out->info);
  const Target *target = target_find(out->target);
  if (from->bad || !target || target->is_gpu != !out->level ||
      !is_sound_info(out, num_params))
    from->bad = true;
  if (from->bad) return;
  if (out->level)
    read_image(from, arena, &out->image);
  else
    read_gpu_code(from, out);
}

// -- The whole ---------------------------------------------------------------

static void read_kernel(ByteReader *from, Arena *arena, PackKernel *out,
                        int *num_variants) {
  out->name = read_name(from);
  out->num_params = bytes_read_count(from, LEAST_BYTES);
  PackParam *params = arena_array(arena, PackParam, out->num_params + 1);
  for (size_t i = 0; i < out->num_params; i++)
    read_param(from, arena, &params[i]);
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
