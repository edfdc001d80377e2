// npz.c -- NumPy's .npz: a ZIP archive of .npy files, stored or deflated.
//
// The directory at the end has the places of the members.  Sizes of 64 bits are
// in an extra field, if those of 32 bits are all ones.
#include "runtime/data/stored.h"

#include <string.h>
#include <zlib.h>

enum {
  LOCAL_SIGNATURE = 0x04034b50,
  MEMBER_SIGNATURE = 0x02014b50,
  END_SIGNATURE = 0x06054b50,
  END64_SIGNATURE = 0x06064b50,
  LOCATOR64_SIGNATURE = 0x07064b50,
  END_SIZE = 22,
  LOCATOR64_SIZE = 20,
  IS_ENCRYPTED = 1,
  DEFLATED = 8,
};

static bool take_signature(ByteView *bytes, uint32_t wanted) {
  uint32_t found;
  return view_take_u32(bytes, &found) && found == wanted;
}

// -- The end -----------------------------------------------------------------

typedef struct {
  uint64_t num_members, size, offset; // of the directory
} Directory;

// Finds the end record, behind which a comment of up to 65,535 bytes may
// follow.
static const char *find_end(const char *file, size_t size) {
  size_t limit = size < END_SIZE + 65535 ? size : END_SIZE + 65535;
  for (size_t n = END_SIZE; n <= limit; n++) {
    ByteView bytes = {file + size - n, file + size};
    uint16_t comment = 0;
    if (!take_signature(&bytes, END_SIGNATURE)) continue;
    bytes.at += 16;
    if (view_take_u16(&bytes, &comment) && comment == n - END_SIZE)
      return file + size - n;
  }
  return NULL;
}

static bool read_end(const char *end, const char *limit, Directory *out) {
  ByteView bytes = {end, limit};
  uint16_t count;
  uint32_t size, offset;
  if (!view_skip(&bytes, 10) || !view_take_u16(&bytes, &count) ||
      !view_take_u32(&bytes, &size) || !view_take_u32(&bytes, &offset))
    return false;
  *out = (Directory){count, size, offset};
  return true;
}

// A large archive has a locator before its end record, with the place of a
// second end record.
static bool read_end64(const char *file, const char *end, Directory *out) {
  uint64_t place;
  if (end - file < LOCATOR64_SIZE) return false;
  ByteView bytes = {end - LOCATOR64_SIZE, end};
  if (!take_signature(&bytes, LOCATOR64_SIGNATURE) || !view_skip(&bytes, 4) ||
      !view_take_u64(&bytes, &place))
    return false;
  bytes = (ByteView){file, end};
  return view_skip(&bytes, place) && take_signature(&bytes, END64_SIGNATURE) &&
         view_skip(&bytes, 28) && view_take_u64(&bytes, &out->num_members) &&
         view_take_u64(&bytes, &out->size) &&
         view_take_u64(&bytes, &out->offset);
}

static bool read_directory(const char *file, size_t size, Directory *out,
                           Why why) {
  const char *end = find_end(file, size);
  if (!end)
    return why_not(why, "it is no ZIP archive, or a truncated one: it has no "
                        "directory at its end");
  bool ok = read_end(end, file + size, out);
  if (out->num_members == UINT16_MAX || out->size == UINT32_MAX ||
      out->offset == UINT32_MAX)
    ok = ok && read_end64(file, end, out);
  const uint64_t before = (uint64_t)(end - file);
  ok = ok && out->offset <= before && out->size <= before - out->offset;
  return ok ? true : why_not(why, "its directory makes no sense");
}

// -- Members -----------------------------------------------------------------

typedef struct {
  uint16_t flags, method, name_length, extra_length, comment_length;
  uint32_t crc, size, full_size, offset;
  uint64_t size64, full_size64, offset64;
  const char *name;
} ZipMember;

static bool take_fixed(ByteView *bytes, ZipMember *m) {
  return take_signature(bytes, MEMBER_SIGNATURE) && view_skip(bytes, 4) &&
         view_take_u16(bytes, &m->flags) && view_take_u16(bytes, &m->method) &&
         view_skip(bytes, 4) && view_take_u32(bytes, &m->crc) &&
         view_take_u32(bytes, &m->size) &&
         view_take_u32(bytes, &m->full_size) &&
         view_take_u16(bytes, &m->name_length) &&
         view_take_u16(bytes, &m->extra_length) &&
         view_take_u16(bytes, &m->comment_length) && view_skip(bytes, 8) &&
         view_take_u32(bytes, &m->offset);
}

// Takes from `field` the sizes and the offset that do not fit into 32 bits, in
// this order.
static bool take_sizes(ByteView field, ZipMember *m) {
  return (m->full_size != UINT32_MAX ||
          view_take_u64(&field, &m->full_size64)) &&
         (m->size != UINT32_MAX || view_take_u64(&field, &m->size64)) &&
         (m->offset != UINT32_MAX || view_take_u64(&field, &m->offset64));
}

static bool take_extra(ByteView extra, ZipMember *m) {
  uint16_t tag, length;
  while (view_take_u16(&extra, &tag) && view_take_u16(&extra, &length)) {
    const ByteView field = {extra.at, extra.at + (extra.end - extra.at < length
                                                      ? extra.end - extra.at
                                                      : length)};
    if (tag == 1) return take_sizes(field, m);
    if (!view_skip(&extra, length)) return false;
  }
  return m->full_size != UINT32_MAX && m->size != UINT32_MAX &&
         m->offset != UINT32_MAX;
}

static bool take_member(ByteView *bytes, ZipMember *m) {
  if (!take_fixed(bytes, m)) return false;
  m->name = bytes->at;
  m->size64 = m->size;
  m->full_size64 = m->full_size;
  m->offset64 = m->offset;
  if (!view_skip(bytes, m->name_length)) return false;
  ByteView extra = {bytes->at, bytes->at};
  if (!view_skip(bytes, m->extra_length)) return false;
  extra.end = bytes->at;
  return take_extra(extra, m) && view_skip(bytes, m->comment_length);
}

// Points `out` at the bytes of the member, behind its own header, which may
// have other extra fields than the directory.
static bool find_data(const char *file, size_t size, const ZipMember *m,
                      Stored *out) {
  ByteView bytes = {file, file + size};
  uint16_t name_length, extra_length;
  if (!view_skip(&bytes, m->offset64) ||
      !take_signature(&bytes, LOCAL_SIGNATURE) || !view_skip(&bytes, 22) ||
      !view_take_u16(&bytes, &name_length) ||
      !view_take_u16(&bytes, &extra_length) ||
      !view_skip(&bytes, (uint64_t)name_length + extra_length))
    return false;
  out->data = bytes.at;
  out->size = m->size64;
  return view_skip(&bytes, m->size64);
}

static bool add_member(Arena *arena, const char *file, size_t size,
                       const ZipMember *m, StoredList *out, Why why) {
  size_t length = m->name_length;
  if (length >= 4 && !memcmp(m->name + length - 4, ".npy", 4)) length -= 4;
  Stored stored = {.name = arena_strndup(arena, m->name, length),
                   .is_deflated = m->method == DEFLATED,
                   .full_size = m->full_size64,
                   .crc = m->crc};
  if (memchr(m->name, 0, length))
    return why_not(why, "the name of a member has a NUL");
  if (m->flags & IS_ENCRYPTED)
    return why_not(why, "'%s' is encrypted", stored.name);
  if (m->method && m->method != DEFLATED)
    return why_not(why,
                   "'%s' is compressed by method %d; those of NumPy are "
                   "0, stored, and 8, deflated",
                   stored.name, m->method);
  if (!find_data(file, size, m, &stored))
    return why_not(why, "it is truncated: '%s' is not there", stored.name);
  if (!stored.is_deflated && stored.size != stored.full_size)
    return why_not(why, "'%s' is stored and yet of two sizes", stored.name);
  vec_push(arena, out, stored);
  return true;
}

bool npz_list(Arena *arena, const char *file, size_t size, StoredList *out,
              Why why) {
  Directory directory;
  if (!read_directory(file, size, &directory, why)) return false;
  const char *start = file + directory.offset;
  ByteView bytes = {start, start + directory.size};
  for (uint64_t i = 0; i < directory.num_members; i++) {
    ZipMember member;
    if (!take_member(&bytes, &member))
      return why_not(why, "member %llu of its directory makes no sense",
                     (unsigned long long)i);
    if (!add_member(arena, file, size, &member, out, why)) return false;
  }
  return true;
}

// -- Their bytes -------------------------------------------------------------

// zlib counts in 32 bits.
static unsigned piece(uint64_t left) {
  return left > UINT32_MAX / 2 ? UINT32_MAX / 2 : (unsigned)left;
}

typedef struct {
  z_stream stream;
  const Stored *from;
  unsigned char *to;
} Inflation;

static bool inflate_all(Inflation *job) {
  z_stream *stream = &job->stream;
  uint64_t in = job->from->size, out = job->from->full_size;
  int status = Z_OK;
  stream->next_in = (Bytef *)(uintptr_t)job->from->data;
  stream->next_out = job->to;
  while (status == Z_OK) {
    const unsigned in_piece = piece(in), out_piece = piece(out);
    stream->avail_in = in_piece;
    stream->avail_out = out_piece;
    status = inflate(stream, Z_NO_FLUSH);
    in -= in_piece - stream->avail_in;
    out -= out_piece - stream->avail_out;
  }
  return status == Z_STREAM_END && !in && !out;
}

static void *zlib_alloc(void *arena, unsigned count, unsigned size) {
  return arena_alloc(arena, count, size, 16);
}

static void zlib_free(void *arena, void *bytes) {
  (void)arena, (void)bytes;
}

// Deflated data expands at most by a factor of 1,032.
static bool inflate_member(Arena *arena, const Stored *stored,
                           const char **out) {
  if (stored->full_size / 1032 > stored->size) return false;
  Inflation *job = arena_new(arena, Inflation);
  job->from = stored;
  job->to = arena_array(arena, unsigned char, (size_t)stored->full_size + 1);
  job->stream.zalloc = zlib_alloc;
  job->stream.zfree = zlib_free;
  job->stream.opaque = arena;
  *out = (const char *)job->to;
  return inflateInit2(&job->stream, -MAX_WBITS) == Z_OK && inflate_all(job);
}

static uint32_t crc_of(const char *bytes, uint64_t size) {
  uLong crc = crc32(0, NULL, 0);
  while (size) {
    const unsigned length = piece(size);
    crc = crc32(crc, (const Bytef *)bytes, length);
    bytes += length;
    size -= length;
  }
  return (uint32_t)crc;
}

bool npz_read(Arena *arena, const Stored *stored, NpyWant want, NpyArray *out,
              Why why) {
  const char *bytes = stored->data;
  const char *name = stored->name;
  if (stored->is_deflated && !inflate_member(arena, stored, &bytes))
    return why_not(why, "'%s' cannot be decompressed: it is broken", name);
  if (crc_of(bytes, stored->full_size) != stored->crc)
    return why_not(why, "'%s' is broken: its checksum differs", name);
  char reason[256];
  if (npy_parse(bytes, (size_t)stored->full_size, want, out, reason,
                sizeof reason))
    return true;
  return why_not(why, "'%s': %s", name, reason);
}
