// call_key.c -- one pass over the arguments of a launch, which makes its key.
//
// Each function has a counterpart in argument.c.  Errors that depend only on
// the words are not checked here: no launch with such words has a variant.
// Errors that depend on other values are checked here.
//
// For example, a buffer of i32 at an aligned address, and the integers 16, 1
// and 3 have the words 0x10402, 0x10003, 0x20003 and 3: kind 2 is a buffer, 3
// an integer, 4 in the next byte is i32, bit 16 the hint of 16, bit 17 a
// constant 1.  With 7 in place of 16 the second word is 3, so that it is
// another variant; with 32 it is the same.

#include "ir/number.h"
#include "runtime/base/base.h"
#include "runtime/compile/argument.h"

#include <assert.h>
#include <string.h>

enum { HINT = 16, MAX_TEXT = 256 };

// The bits of a word: the kind is in the lowest byte, the type in the next.
enum {
  HAS_HINT = 1 << 16,
  IS_ONE = 1 << 17,
  IS_WIDE = 1 << 18,
  IS_TRUE = 1 << 19,
  HAS_NAMES = 1 << 20,
  IS_NAMED = 1 << 21, // a constant, for the parameter of that number
  PADS_WITH_NAN = 1 << 22,
};

typedef struct {
  const TileDevice *device;
  const TileKernel *kernel;
  CallKey *key;
  int depth; // of tuples
} KeyMaker;

static bool add_word(const KeyMaker *m, uint64_t word) {
  CallKey *key = m->key;
  if (key->num_words >= MAX_KEY_WORDS) return false;
  key->words[key->num_words++] = word;
  return true;
}

static uint64_t word_of(TileArgKind kind, TileDtype dtype) {
  return (uint64_t)kind | (uint64_t)dtype << 8;
}

static bool add_text(const KeyMaker *m, const char *text) {
  if (!text) return false;
  const size_t length = strnlen(text, MAX_TEXT);
  if (length == MAX_TEXT || !add_word(m, length)) return false;
  for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
    const size_t left = length - i;
    uint64_t word = 0;
    memcpy(&word, text + i, left < sizeof word ? left : sizeof word);
    if (!add_word(m, word)) return false;
  }
  return true;
}

// -- Numbers -----------------------------------------------------------------

// Rounds a double to fp32 by integers, for normal numbers and those that round
// to infinity: the processor may have any rounding mode.
static uint64_t encode_fp32(double value) {
  const uint64_t bits = double_bits(value);
  const uint64_t exponent = bits >> 52 & 0x7ff;
  const uint64_t bias = 1023 - 127;
  if (exponent <= bias || exponent > bias + 254)
    return element_encode(TILE_FP32, value);
  const uint64_t size = bits & ~(UINT64_C(1) << 63);
  const uint64_t half = 0xfffffff + (size >> 29 & 1); // ties to even
  const uint64_t rounded = (size - (bias << 52) + half) >> 29;
  return rounded | (bits >> 63) << 31;
}

static uint64_t encode(TileDtype dtype, double value) {
  if (dtype == TILE_FP32) return encode_fp32(value);
  return dtype == TILE_FP64 && value == value ? double_bits(value)
                                              : element_encode(dtype, value);
}

static uint64_t hint_of(const KernelParamPlan *param, uint64_t value) {
  return value % HINT || !param->takes_hint ? 0 : HAS_HINT;
}

// A run-time argument that is no tuple.
typedef struct {
  uint64_t word;
  uint64_t seen;  // read by heuristics
  uint64_t value; // of the machine parameter
  bool has_value; // false: it became a constant
} Plain;

static inline bool plain(uint64_t word, uint64_t seen, uint64_t value,
                         Plain *out) {
  *out = (Plain){word, seen, value, true};
  return true;
}

static inline bool float_of(const KernelParamPlan *param, const TileArg *arg,
                            double value, Plain *out) {
  TileDtype dtype = param->annotation.dtype;
  if (!dtype) dtype = arg->dtype ? arg->dtype : TILE_FP32;
  if (!element_is_float(dtype)) return false;
  return plain(word_of(arg->kind, arg->dtype), double_bits(value),
               encode(dtype, value), out);
}

static bool typed_int_of(const KernelParamPlan *param, const TileArg *arg,
                         TileDtype dtype, int64_t value, Plain *out) {
  if (element_is_float(dtype)) return float_of(param, arg, (double)value, out);
  if (!element_holds(dtype, value)) return false;
  uint64_t word = word_of(arg->kind, arg->dtype);
  if (dtype != TILE_BOOL) word |= hint_of(param, (uint64_t)value);
  return plain(word, (uint64_t)value, (uint64_t)value, out);
}

static inline bool int_of(const KernelParamPlan *param, const TileArg *arg,
                          int64_t value, Plain *out) {
  const TileDtype fixed =
      param->annotation.dtype ? param->annotation.dtype : arg->dtype;
  if (fixed) return typed_int_of(param, arg, fixed, value, out);
  const uint64_t word = word_of(arg->kind, TILE_DTYPE_NONE);
  if (value == 1 && param->folds_one) {
    *out = (Plain){.word = word | IS_ONE};
    return true;
  }
  const uint64_t wide = value != (int32_t)value ? IS_WIDE : 0;
  return plain(word | wide | hint_of(param, (uint64_t)value), (uint64_t)value,
               (uint64_t)value, out);
}

static bool uint_of(const KernelParamPlan *param, const TileArg *arg,
                    Plain *out) {
  const uint64_t value = arg->as.u;
  const TileDtype fixed =
      param->annotation.dtype ? param->annotation.dtype : arg->dtype;
  if (value <= INT64_MAX) return int_of(param, arg, (int64_t)value, out);
  if (element_is_float(fixed)) return float_of(param, arg, (double)value, out);
  if (fixed && fixed != TILE_UINT64) return false;
  return plain(word_of(arg->kind, arg->dtype) | hint_of(param, value), value,
               value, out);
}

static bool bool_of(const KernelParamPlan *param, const TileArg *arg,
                    Plain *out) {
  const bool value = arg->as.i != 0;
  if (param->annotation.dtype || arg->dtype)
    return int_of(param, arg, value, out);
  return plain(word_of(arg->kind, TILE_DTYPE_NONE), value, value, out);
}

// -- Addresses ---------------------------------------------------------------

static inline bool address_of(const KernelParamPlan *param, const TileArg *arg,
                              uint64_t address, Plain *out) {
  static const uint8_t sizes[] = {
      [TILE_DTYPE_NONE] = 0,
#define DTYPE(dtype, name, size, elem) [TILE_##dtype] = size,
#define DTYPE_ALIAS(name, dtype)
#include "runtime/compile/elements.def"
  };
  const TileDtype dtype = arg->dtype ? arg->dtype : param->annotation.dtype;
  const uint64_t size = sizes[dtype]; // a power of two
  if (!size || address & (size - 1)) return false;
  return plain(word_of(TILE_ARG_POINTER, arg->dtype) | hint_of(param, address),
               0, address, out);
}

static inline bool buffer_of(const TileDevice *device,
                             const KernelParamPlan *param, const TileArg *arg,
                             Plain *out) {
  const TileBuffer *buffer = arg->as.buffer.buffer;
  const size_t offset = arg->as.buffer.offset;
  if (!buffer || buffer->device != device || offset > buffer->size)
    return false;
  return address_of(param, arg, (uint64_t)(uintptr_t)buffer->address + offset,
                    out);
}

static inline bool has_plain_kind(const TileArg *arg) {
  return arg->kind - TILE_ARG_BUFFER <= TILE_ARG_FLOAT - TILE_ARG_BUFFER ||
         arg->kind == TILE_ARG_UINT;
}

static inline bool plain_of(const TileDevice *device,
                            const KernelParamPlan *param, const TileArg *arg,
                            Plain *out) {
  switch (arg->kind) {
  case TILE_ARG_BUFFER: return buffer_of(device, param, arg, out);
  case TILE_ARG_POINTER:
    return address_of(param, arg, (uint64_t)(uintptr_t)arg->as.pointer, out);
  case TILE_ARG_INT: return int_of(param, arg, arg->as.i, out);
  case TILE_ARG_UINT: return uint_of(param, arg, out);
  case TILE_ARG_BOOL: return bool_of(param, arg, out);
  default: return float_of(param, arg, arg->as.f, out);
  }
}

// -- Constants and tuples ----------------------------------------------------

typedef bool Add(KeyMaker *m, const KernelParamPlan *param, const TileArg *arg);

// An argument that was never set may hold any bytes.
static bool is_sound(const TileArg *arg) {
  return (unsigned)arg->kind <= TILE_ARG_UINT &&
         (unsigned)arg->dtype <= TILE_FP8E4B15;
}

static bool add_items(KeyMaker *m, const KernelParamPlan *param,
                      const TileArg *arg, Add *add) {
  const size_t count = arg->as.tuple.count;
  KernelParamPlan item = *param;
  item.annotation = (Annotation){0};
  bool ok = true;
  for (size_t i = 0; ok && i < count; i++) {
    const TileArg *each = &arg->as.tuple.items[i];
    ok = is_sound(each) &&
         (!arg->as.tuple.names || add_text(m, arg->as.tuple.names[i])) &&
         add(m, &item, each);
  }
  return ok;
}

static bool add_tuple(KeyMaker *m, const KernelParamPlan *param,
                      const TileArg *arg, Add *add) {
  const size_t count = arg->as.tuple.count;
  const uint64_t names = arg->as.tuple.names ? HAS_NAMES : 0;
  if ((count && !arg->as.tuple.items) || m->depth >= MAX_TUPLE_DEPTH ||
      !add_word(m, word_of(arg->kind, 0) | names) || !add_word(m, count))
    return false;
  m->depth++;
  const bool ok = add_items(m, param, arg, add);
  m->depth--;
  return ok;
}

static bool add_constant(KeyMaker *m, const KernelParamPlan *param,
                         const TileArg *arg) {
  const uint64_t word = word_of(arg->kind, 0);
  switch (arg->kind) {
  case TILE_ARG_NONE: return add_word(m, word);
  case TILE_ARG_BOOL: return add_word(m, word | (arg->as.i ? IS_TRUE : 0));
  case TILE_ARG_INT: return add_word(m, word) && add_word(m, arg->as.u);
  case TILE_ARG_FLOAT:
    return add_word(m, word) && add_word(m, double_bits(arg->as.f));
  case TILE_ARG_DTYPE:
  case TILE_ARG_POINTER_DTYPE:
    return add_word(m, word_of(arg->kind, arg->dtype));
  case TILE_ARG_STRING:
  case TILE_ARG_FUNCTION:
    return add_word(m, word) && add_text(m, arg->as.string);
  case TILE_ARG_TUPLE: return add_tuple(m, param, arg, add_constant);
  case TILE_ARG_CONSTANT:
    return arg->as.constant && is_sound(arg->as.constant) &&
           arg->as.constant->kind != TILE_ARG_CONSTANT && add_word(m, word) &&
           add_constant(m, param, arg->as.constant);
  default: return false;
  }
}

// Adds the words of an item of a tuple.
static bool add_plain(const KeyMaker *m, const KernelParamPlan *param,
                      const TileArg *arg) {
  CallKey *key = m->key;
  Plain x;
  if (key->num_values >= MAX_KEY_VALUES ||
      !plain_of(m->device, param, arg, &x) || !add_word(m, x.word))
    return false;
  if (x.has_value) key->values[key->num_values++] = x.value;
  return true;
}

// 0: the descriptor is wrong.
static uint64_t address_of_descriptor(const KeyMaker *m,
                                      const TileTensorDescriptor *d) {
  const TileBuffer *buffer = d->buffer;
  if (buffer && (buffer->device != m->device || d->offset > buffer->size))
    return 0;
  const void *start = buffer ? buffer->address : d->address;
  const uint64_t address = (uint64_t)(uintptr_t)start + d->offset;
  return address % HINT ? 0 : address;
}

// Adds the parts, in the order of bind_arguments().
static bool add_parts(const KeyMaker *m, const TileTensorDescriptor *d,
                      uint64_t address) {
  CallKey *key = m->key;
  const uint32_t rank = (uint32_t)d->rank;
  if (key->num_values + 2 * rank > MAX_KEY_VALUES) return false;
  uint64_t *value = key->values + key->num_values;
  key->num_values += 2 * rank;
  *value++ = address;
  for (uint32_t i = 0; i < rank; i++) {
    if (!add_word(m, (uint32_t)d->block[i])) return false;
    *value++ = (uint64_t)d->shape[i];
  }
  for (uint32_t i = 0; i + 1 < rank; i++) *value++ = (uint64_t)d->strides[i];
  return true;
}

static bool add_descriptor(const KeyMaker *m, const KernelParamPlan *param,
                           const TileTensorDescriptor *from) {
  TileTensorDescriptor d;
  if (!from || sized_copy(&sized_descriptor, from, &d) ||
      descriptor_problem(&d))
    return false;
  const uint64_t address = address_of_descriptor(m, &d);
  const uint64_t last = (uint64_t)d.shape[d.rank - 1];
  const uint64_t nan = d.pads_with_nan ? PADS_WITH_NAN : 0;
  return address &&
         add_word(m, word_of(TILE_ARG_DESCRIPTOR, d.dtype) | nan |
                         hint_of(param, last) | (uint64_t)d.rank << 32) &&
         add_parts(m, &d, address);
}

static bool add_runtime(KeyMaker *m, const KernelParamPlan *param,
                        const TileArg *arg) {
  if (has_plain_kind(arg)) return add_plain(m, param, arg);
  switch (arg->kind) {
  case TILE_ARG_TUPLE: return add_tuple(m, param, arg, add_runtime);
  case TILE_ARG_DESCRIPTOR: return add_descriptor(m, param, arg->as.descriptor);
  default: return add_constant(m, param, arg);
  }
}

// -- All of them -------------------------------------------------------------

// The number of the parameter; num_params: there is none of that name.
static size_t find_param(const TileKernel *kernel, const char *name) {
  const KernelParamPlan *param =
      name ? map_get_text(&kernel->by_name, name, strlen(name)) : NULL;
  assert(!param || (param >= kernel->params &&
                    param < kernel->params + kernel->num_params)); // I14
  return param ? (size_t)(param - kernel->params) : kernel->num_params;
}

// Sets the bits of the parameters that are given as constants by name.
static bool add_named(KeyMaker *m, const TileLaunch *launch, uint64_t *named) {
  for (size_t i = 0; i < launch->num_constants; i++) {
    const TileConstant *constant = &launch->constants[i];
    const size_t index = find_param(m->kernel, constant->name);
    if (index >= m->kernel->num_params || *named >> index & 1 ||
        !is_sound(&constant->value) || !add_word(m, IS_NAMED | index << 32) ||
        !add_constant(m, &m->kernel->params[index], &constant->value))
      return false;
    *named |= UINT64_C(1) << index;
  }
  return true;
}

static bool add_other(KeyMaker *m, const KernelParamPlan *param,
                      const TileArg *arg) {
  if (!is_sound(arg)) return false;
  if (arg->kind == TILE_ARG_DEFAULT) return add_word(m, word_of(arg->kind, 0));
  return param->is_constexpr ? add_constant(m, param, arg)
                             : add_runtime(m, param, arg);
}

// Adds plain arguments from parameter `i` and argument `args` on, and advances
// both.
static const TileArg *add_plain_ones(const KeyMaker *m, uint64_t others,
                                     uint64_t looked_at, size_t *parameter,
                                     const TileArg *args, const TileArg *end) {
  CallKey *key = m->key;
  const size_t count = m->kernel->num_params;
  uint32_t num_words = key->num_words, num_values = key->num_values;
  size_t i = *parameter;
  for (; args < end && i < count; i++) {
    const KernelParamPlan *param = &m->kernel->params[i];
    Plain x;
    if (others >> i & 1) continue;
    if (!is_sound(args) || !has_plain_kind(args) || param->is_constexpr ||
        num_words + 2 > MAX_KEY_WORDS || num_values >= MAX_KEY_VALUES ||
        !plain_of(m->device, param, args, &x))
      break;
    args++;
    key->first_value[i] = (uint8_t)num_values;
    key->words[num_words++] = x.word;
    if (!x.has_value) continue;
    key->values[num_values++] = x.value;
    if (looked_at >> i & 1) key->words[num_words++] = x.seen;
  }
  key->num_words = num_words;
  key->num_values = num_values;
  *parameter = i;
  return args;
}

// More arguments than parameters are an error, and so is a key without words.
static bool add_arguments(KeyMaker *m, const TileLaunch *launch, uint64_t named,
                          uint64_t looked_at) {
  const TileArg *next = launch->args, *end = next + launch->num_args;
  for (size_t i = 0;; i++) {
    next = add_plain_ones(m, named, looked_at, &i, next, end);
    if (next == end) return true;
    if (i >= m->kernel->num_params) return false;
    m->key->first_value[i] = (uint8_t)m->key->num_values;
    if (!add_other(m, &m->kernel->params[i], next++)) return false;
  }
}

// A TensorFit is in the second word, beside the options.
enum { FIT_SHIFT = 48 };

static void add_options(const KeyMaker *m, const TileLaunch *launch) {
  const int sign = (launch->debug > 0) - (launch->debug < 0);
  const int persist = (launch->persist > 0) - (launch->persist < 0);
  // All numbers that are too large have the same code: such a launch fails, and
  // its key is not remembered.
  const uint64_t blocks =
      launch->num_ctas < UINT8_MAX ? launch->num_ctas : UINT8_MAX;
  add_word(m, (uint32_t)launch->config | (uint64_t)launch->num_warps << 32);
  add_word(m, (uint32_t)launch->num_stages | (uint64_t)(sign + 1) << 32 |
                  (uint64_t)launch->no_fp_fusion << 34 |
                  (uint64_t)launch->no_hooks << 36 |
                  (uint64_t)(persist + 1) << 37 | blocks << 40);
}

// The products are independent of each other, so that they overlap.
static uint64_t hash_of(const CallKey *key) {
  const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t hash = key->num_words, factor = odd;
  for (uint32_t i = 0; i < key->num_words; i++, factor += 2 * odd)
    hash += (key->words[i]) * factor;
  hash = (hash ^ hash >> 32) * odd;
  return hash ^ hash >> 32;
}

void call_key_add_fit(CallKey *key, TensorFit fit) {
  key->words[1] |= (uint64_t)fit << FIT_SHIFT;
  key->hash = hash_of(key);
}

bool call_key_make(const TileDevice *device, const TileLaunch *launch,
                   uint64_t looked_at, CallKey *key) {
  KeyMaker m = {device, launch->kernel, key, 0};
  uint64_t named = 0;
  key->num_words = key->num_values = 0;
  if (launch->kernel->num_params > MAX_KEY_PARAMS) return false;
  add_options(&m, launch);
  if (!add_named(&m, launch, &named) ||
      !add_arguments(&m, launch, named, looked_at))
    return false;
  assert(!m.depth && "a tuple is open");     // I7
  assert(key->num_words <= MAX_KEY_WORDS);   // I14
  assert(key->num_values <= MAX_KEY_VALUES); // I14
  key->hash = hash_of(key);
  return true;
}
