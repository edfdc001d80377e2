// utf8.c -- characters of UTF-8 text, and their width on a terminal.
#include "ir/base/utf8.h"

static size_t length_after(unsigned char first) {
  return first < 0x80   ? 1
         : first < 0xc2 ? 0
         : first < 0xe0 ? 2
         : first < 0xf0 ? 3
         : first < 0xf5 ? 4
                        : 0;
}

// Are `length` bytes the shortest encoding of the code, and is it no surrogate?
static bool is_character(uint32_t code, size_t length) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  return code >= least[length] && code <= 0x10ffff &&
         (code < 0xd800 || code > 0xdfff);
}

Utf8 utf8_next(const char *at, size_t left) {
  const unsigned char *bytes = (const unsigned char *)at;
  const Utf8 none = {0, 0};
  const size_t length = left ? length_after(*bytes) : 0;
  if (!length || length > left) return none;
  uint32_t code = length == 1 ? *bytes : *bytes & (0x7fu >> length);
  for (size_t i = 1; i < length; i++) {
    if (!utf8_continues(at[i])) return none;
    code = code << 6 | (bytes[i] & 0x3f);
  }
  return is_character(code, length) ? (Utf8){code, length} : none;
}

typedef struct {
  uint32_t first, last;
} CharRange;

static bool is_within(const CharRange *ranges, size_t count, uint32_t code) {
  for (size_t i = 0; i < count && ranges[i].first <= code; i++) {
    if (code <= ranges[i].last) return true;
  }
  return false;
}

bool utf8_is_control(uint32_t code) {
  static const CharRange controls[] = {
      {0x00, 0x1f}, {0x7f, 0x9f}, {0x202a, 0x202e}, {0x2066, 0x2069}};
  return is_within(controls, sizeof controls / sizeof *controls, code);
}

int utf8_width(uint32_t code) {
  static const CharRange combining[] = {
      {0x0300, 0x036f}, {0x0483, 0x0489},  {0x0591, 0x05bd}, {0x0610, 0x061a},
      {0x064b, 0x065f}, {0x1ab0, 0x1aff},  {0x1dc0, 0x1dff}, {0x200b, 0x200f},
      {0x2060, 0x2064}, {0x20d0, 0x20ff},  {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
      {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};
  static const CharRange wide[] = {
      {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x4dbf},
      {0x4e00, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},
      {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
      {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
      {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
  if (is_within(combining, sizeof combining / sizeof *combining, code))
    return 0;
  return is_within(wide, sizeof wide / sizeof *wide, code) ? 2 : 1;
}

size_t character_size(const char *text) {
  size_t n = *text != 0;
  while (n && n < 4 && utf8_continues(text[n])) n++;
  return n;
}

size_t count_characters(const char *text, size_t length) {
  size_t n = 0;
  for (size_t i = 0; i < length; i++) n += !utf8_continues(text[i]);
  return n;
}

size_t characters_bytes(const char *text, size_t length, size_t count) {
  size_t i = 0;
  for (; i < length; i++) {
    if (!utf8_continues(text[i]) && count-- == 0) break;
  }
  return i;
}

void add_character(Str *out, uint32_t code) {
  if (code < 0x80) {
    str_add_char(out, (char)code);
    return;
  }
  const int extra = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
  str_add_char(out, (char)(lead[extra] | code >> (6 * extra)));
  for (int i = extra - 1; i >= 0; i--) {
    str_add_char(out, (char)(0x80 | ((code >> (6 * i)) & 0x3f)));
  }
}
