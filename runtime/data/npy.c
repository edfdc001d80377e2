// npy.c -- magic, version, a Python dict as the header, then the elements.
#include "runtime/data/npy.h"

#include "ir/base/base.h"
#include "runtime/compile/compile.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  const char *at, *end;
  char *why;
  size_t why_size;
} NpyReader;

__attribute__((format(printf, 2, 3))) static bool
fail(const NpyReader *reader, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(reader->why, reader->why_size, format, args);
  va_end(args);
  return false;
}

size_t npy_size(const NpyArray *array) {
  return (size_t)array->count * tile_dtype_size(array->dtype);
}

// -- Element types -----------------------------------------------------------

typedef struct {
  const char *code; // without the byte order
  TileDtype dtype;
} TypeCode;

static const TypeCode codes[] = {
#define CODE(code, dtype) {code, TILE_##dtype},
#include "runtime/data/npy.def"
};
enum { NUM_CODES = sizeof codes / sizeof *codes };

static const char *code_of(TileDtype dtype) {
  int i = 0;
  while (codes[i].dtype != dtype) i++;
  return codes[i].code;
}

static bool code_means(const char *code, TileDtype dtype) {
  for (int i = 0; i < NUM_CODES; i++) {
    if (codes[i].dtype == dtype && !strcmp(codes[i].code, code)) return true;
  }
  return false;
}

static const TypeCode *find_code(const char *code) {
  for (int i = 0; i < NUM_CODES; i++) {
    if (!strcmp(codes[i].code, code)) return &codes[i];
  }
  return NULL;
}

bool npy_choose_dtype(TileDtype found, NpyWant want, TileDtype *out) {
  *out = found;
  if (!want.dtype || found == want.dtype) return true;
  if (!element_is_unsigned(found)) return false;
  *out = want.dtype;
  return code_means(code_of(found), want.dtype);
}

static bool refuse_dtype(const NpyReader *reader, const char *descr,
                         TileDtype found, TileDtype expected) {
  if (expected)
    return fail(reader, "its elements are %s, but %s are needed",
                found ? tile_dtype_name(found) : "floats of 8 bits",
                tile_dtype_name(expected));
  return fail(reader,
              "elements of type '%s' may be any floats of 8 bits; their type "
              "behind the file says which: @FILE:fp8e4nv, @FILE:fp8e5",
              descr);
}

static bool find_dtype(const NpyReader *reader, const char *descr, NpyWant want,
                       TileDtype *out) {
  if (*descr == '>')
    return fail(reader,
                "the elements ('%s') are big-endian; only "
                "little-endian files can be read",
                descr);
  const char *name = descr + (strchr("<|=", *descr) && *descr ? 1 : 0);
  const TypeCode *code = find_code(name);
  if (!code) return fail(reader, "elements of type '%s' are not known", descr);
  *out = code->dtype;
  if (want.dtype && code_means(name, want.dtype)) *out = want.dtype;
  if (want.bytes && code_means(name, want.bytes)) *out = want.bytes;
  if (*out && (!want.dtype || *out == want.dtype)) return true;
  return refuse_dtype(reader, descr, *out, want.dtype);
}

// -- The header --------------------------------------------------------------

static void skip_space(NpyReader *reader) {
  while (reader->at < reader->end && strchr(" \n\t", *reader->at)) reader->at++;
}

static bool accept(NpyReader *reader, char c) {
  skip_space(reader);
  assert(reader->at <= reader->end && "past the end of the header"); // I1
  if (reader->at == reader->end || *reader->at != c) return false;
  reader->at++;
  return true;
}

static bool accept_word(NpyReader *reader, const char *word) {
  const size_t length = strlen(word);
  skip_space(reader);
  if ((size_t)(reader->end - reader->at) < length) return false;
  if (memcmp(reader->at, word, length)) return false;
  reader->at += length;
  return true;
}

static bool read_text(NpyReader *reader, char *out, size_t size) {
  skip_space(reader);
  const char quote = reader->at < reader->end ? *reader->at : 0;
  if (quote != '\'' && quote != '"') return false;
  const char *start = ++reader->at;
  const char *close = memchr(start, quote, (size_t)(reader->end - start));
  if (!close || (size_t)(close - start) >= size) return false;
  memcpy(out, start, (size_t)(close - start));
  out[close - start] = '\0';
  reader->at = close + 1;
  return true;
}

static bool read_number(NpyReader *reader, uint64_t *out) {
  uint64_t value = 0;
  skip_space(reader);
  const char *start = reader->at;
  while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') {
    if (value > UINT64_MAX / 16) return false;
    value = value * 10 + (uint64_t)(*reader->at++ - '0');
  }
  *out = value;
  return reader->at > start;
}

static bool read_shape(NpyReader *reader, NpyArray *out) {
  out->rank = 0;
  if (!accept(reader, '(')) return false;
  while (!accept(reader, ')')) {
    if (out->rank == NPY_MAX_RANK) return false;
    if (!read_number(reader, &out->shape[out->rank++])) return false;
    if (!accept(reader, ',')) return accept(reader, ')');
  }
  return true;
}

typedef struct {
  char descr[32];
  bool fortran, has_descr, has_order, has_shape;
} Header;

static bool read_truth(NpyReader *reader, bool *out) {
  *out = accept_word(reader, "True");
  return *out || accept_word(reader, "False");
}

static bool read_entry(NpyReader *reader, const char *key, Header *header,
                       NpyArray *out) {
  if (!strcmp(key, "descr"))
    return header->has_descr =
               read_text(reader, header->descr, sizeof header->descr);
  if (!strcmp(key, "fortran_order"))
    return header->has_order = read_truth(reader, &header->fortran);
  if (!strcmp(key, "shape")) return header->has_shape = read_shape(reader, out);
  return false;
}

static bool read_header(NpyReader *reader, Header *header, NpyArray *out) {
  char key[32];
  if (!accept(reader, '{')) return false;
  while (!accept(reader, '}')) {
    if (!read_text(reader, key, sizeof key) || !accept(reader, ':'))
      return false;
    if (!read_entry(reader, key, header, out)) return false;
    if (!accept(reader, ',') && !accept(reader, '}')) return false;
    if (reader->at[-1] == '}') break;
  }
  return header->has_descr && header->has_order && header->has_shape;
}

// Leaves `reader` on the header and returns where the elements start.
static const char *find_header(NpyReader *reader) {
  const unsigned char *bytes = (const unsigned char *)reader->at;
  const size_t size = (size_t)(reader->end - reader->at);
  if (size < 10 || memcmp(bytes, "\x93NUMPY", 6)) {
    fail(reader, "it is not a .npy file");
    return NULL;
  }
  const int version = bytes[6];
  const size_t prefix = version == 1 ? 10 : 12;
  if (version < 1 || version > 3 || size < prefix) {
    fail(reader, "version %d of the format is not known", version);
    return NULL;
  }
  size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
  if (version > 1) length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  if (length > size - prefix) {
    fail(reader, "it is truncated: the header is incomplete");
    return NULL;
  }
  reader->at += prefix;
  return reader->at + length;
}

static bool count_elements(const NpyReader *reader, NpyArray *out) {
  out->count = 1;
  for (int i = 0; i < out->rank; i++) {
    if (out->shape[i] && out->count > UINT64_MAX / 16 / out->shape[i])
      return fail(reader, "its shape has too many elements");
    out->count *= out->shape[i];
  }
  return true;
}

bool npy_parse(const char *bytes, size_t size, NpyWant want, NpyArray *out,
               char *why, size_t why_size) {
  NpyReader reader = {bytes, bytes + size, why, why_size};
  Header header = {.fortran = false};
  const char *elements = find_header(&reader);
  if (!elements) return false;
  reader.end = elements;
  *out = (NpyArray){.data = elements};
  if (!read_header(&reader, &header, out))
    return fail(&reader, "its header makes no sense");
  if (!find_dtype(&reader, header.descr, want, &out->dtype)) return false;
  if (header.fortran && out->rank > 1)
    return fail(&reader, "its elements are in Fortran order; save it with "
                         "numpy.ascontiguousarray");
  if (!count_elements(&reader, out)) return false;
  const uint64_t need = npy_size(out);
  const uint64_t have = (uint64_t)(bytes + size - elements);
  if (have >= need) return true;
  return fail(&reader, "it is truncated: %llu bytes of elements, not %llu",
              (unsigned long long)have, (unsigned long long)need);
}

// -- Writing -----------------------------------------------------------------

const char *npy_format(Arena *arena, const NpyArray *array, size_t *size) {
  Str text = str_in(arena);
  const size_t item = tile_dtype_size(array->dtype);
  const char *code = code_of(array->dtype);
  str_addf(&text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
           item == 1 && code[0] != 'f' ? '|' : '<', code);
  for (int i = 0; i < array->rank; i++) {
    str_addf(&text, i ? ", %llu" : "%llu", (unsigned long long)array->shape[i]);
  }
  str_add(&text, array->rank == 1 ? ",), }" : "), }");
  // NumPy wants the elements to start at a multiple of 64.
  str_add_repeat(&text, ' ', 63 - (10 + text.length) % 64);
  str_add_char(&text, '\n');
  Str file = str_in(arena);
  str_add_bytes(&file, "\x93NUMPY\1\0", 8);
  str_add_char(&file, (char)(text.length & 255));
  str_add_char(&file, (char)(text.length >> 8));
  str_add_bytes(&file, text.data, text.length);
  str_add_bytes(&file, array->data, npy_size(array));
  *size = file.length;
  return str_text(&file);
}
