// text.c -- layouts as text and back.
//
//   layout<register = [[0, 1]], lane = [[0, 2]], warp = [], block = [] -> 1x4>
//   layout<offset = [[0, 1], [0, 2], [1, 0]] -> 2x4>
//
// Each input bit is written as the coordinates that it adds.  The parser
// accepts a missing list as an empty one.
#include "ir/layout/parts.h"

#include <string.h>

const char *const layout_dim_name[LAYOUT_NUM_DIMS] = {
#define DIM(id, name) name,
#include "ir/layout/dims.def"
};

static void print_basis(const Layout *layout, uint32_t column, Str *out) {
  int64_t coords[LAYOUT_MAX_RANK];
  layout_coords(layout, column, coords);
  str_add_char(out, '[');
  for (int i = 0; i < layout->rank; i++) {
    str_addf(out, i ? ", %d" : "%d", (int)coords[i]);
  }
  str_add_char(out, ']');
}

static void print_dim(const Layout *layout, LayoutDim dim, Str *out) {
  str_addf(out, "%s = [", layout_dim_name[dim]);
  const uint32_t *column = layout->map.column + layout_first_bit(layout, dim);
  for (int i = 0; i < layout->num_bits[dim]; i++) {
    if (i) str_add(out, ", ");
    print_basis(layout, column[i], out);
  }
  str_add_char(out, ']');
}

void layout_print(const Layout *layout, Str *out) {
  const char *separator = "layout<";
  for (int dim = 0; dim < LAYOUT_NUM_DIMS; dim++) {
    if (layout->shared != (dim == LAYOUT_OFFSET)) continue;
    str_add(out, separator);
    print_dim(layout, (LayoutDim)dim, out);
    separator = ", ";
  }
  str_add(out, layout->rank ? " -> " : " -> scalar");
  for (int i = 0; i < layout->rank; i++) {
    str_addf(out, i ? "x%d" : "%d", 1 << layout->log2_shape[i]);
  }
  str_add_char(out, '>');
}

// -- Parsing -----------------------------------------------------------------

typedef struct {
  const char *at;
  const char *error;
  bool seen[LAYOUT_NUM_DIMS];
  int num[LAYOUT_NUM_DIMS], num_bases;
  struct Basis {
    const char *at;
    LayoutDim dim;
    int rank;
    uint32_t coords[LAYOUT_MAX_RANK];
  } bases[LAYOUT_MAX_BITS];
  int rank;
  int64_t shape[LAYOUT_MAX_RANK];
} LayoutParser;

static bool fail(LayoutParser *p, const char *error) {
  p->error = error;
  return false;
}

static void skip_space(LayoutParser *p) {
  p->at += strspn(p->at, " \t\r\n");
}

static bool accept(LayoutParser *p, const char *token) {
  skip_space(p);
  const size_t length = strlen(token);
  if (strncmp(p->at, token, length)) return false;
  p->at += length;
  return true;
}

static bool parse_number(LayoutParser *p, uint32_t *value) {
  skip_space(p);
  const char *start = p->at;
  uint32_t n = 0;
  for (; *p->at >= '0' && *p->at <= '9'; p->at++) {
    n = n * 10 + (uint32_t)(*p->at - '0');
    if (n > UINT32_C(1) << LAYOUT_MAX_BITS) {
      p->at = start;
      return fail(p, "this number is too large for a layout");
    }
  }
  *value = n;
  return p->at != start || fail(p, "expected a number");
}

static bool parse_basis(LayoutParser *p, LayoutDim dim) {
  if (!accept(p, "[")) return fail(p, "expected '['");
  if (p->num_bases == LAYOUT_MAX_BITS) {
    return fail(p, "a layout has at most 30 bits");
  }
  struct Basis *basis = &p->bases[p->num_bases++];
  *basis = (struct Basis){.at = p->at - 1, .dim = dim};
  while (!accept(p, "]")) {
    if (basis->rank && !accept(p, ",")) return fail(p, "expected ',' or ']'");
    if (basis->rank == LAYOUT_MAX_RANK) {
      return fail(p, "a layout has at most 16 axes");
    }
    if (!parse_number(p, &basis->coords[basis->rank])) return false;
    basis->rank++;
  }
  p->num[dim]++;
  return true;
}

static bool parse_dim_name(LayoutParser *p, LayoutDim *dim) {
  skip_space(p);
  for (int d = 0; d < LAYOUT_NUM_DIMS; d++) {
    *dim = (LayoutDim)d;
    const size_t length = strlen(layout_dim_name[d]);
    if (strncmp(p->at, layout_dim_name[d], length)) continue;
    if (p->seen[d]) return fail(p, "this list was given before");
    p->at += length;
    p->seen[d] = true;
    return true;
  }
  return fail(p, "expected 'register', 'lane', 'warp', 'block' or 'offset'");
}

static bool parse_dim(LayoutParser *p) {
  LayoutDim dim;
  const char *start = p->at;
  if (!parse_dim_name(p, &dim)) return false;
  if (p->seen[LAYOUT_OFFSET] && memchr(p->seen, true, LAYOUT_OFFSET)) {
    p->at = start;
    return fail(p, "'offset' stands alone: it means shared memory");
  }
  if (!accept(p, "=")) return fail(p, "expected '='");
  if (!accept(p, "[")) return fail(p, "expected '['");
  while (!accept(p, "]")) {
    if (p->num[dim] && !accept(p, ",")) return fail(p, "expected ',' or ']'");
    if (!parse_basis(p, dim)) return false;
  }
  return true;
}

static bool parse_shape(LayoutParser *p) {
  if (accept(p, "scalar")) return true;
  do {
    uint32_t size;
    if (p->rank == LAYOUT_MAX_RANK) {
      return fail(p, "a layout has at most 16 axes");
    }
    skip_space(p);
    const char *start = p->at;
    if (!parse_number(p, &size)) return false;
    if (log2_exact(size) < 0) {
      p->at = start;
      return fail(p, "the size of an axis must be a power of two");
    }
    p->shape[p->rank++] = size;
  } while (accept(p, "x"));
  return true;
}

static bool parse_lists(LayoutParser *p) {
  if (!accept(p, "layout<")) return fail(p, "expected 'layout<'");
  for (bool first = true; !accept(p, "->"); first = false) {
    if (!first && !accept(p, ",")) return fail(p, "expected ',' or '->'");
    if (!parse_dim(p)) return false;
  }
  return parse_shape(p) && (accept(p, ">") || fail(p, "expected '>'"));
}

static bool add_basis(LayoutParser *p, LayoutParts *parts,
                      const struct Basis *basis) {
  const char *const end = p->at;
  uint32_t column = 0;
  p->at = basis->at;
  if (basis->rank != p->rank) {
    return fail(p, "one coordinate is needed for each axis of the tile");
  }
  for (int i = 0; i < p->rank; i++) {
    if (basis->coords[i] >= p->shape[i]) {
      return fail(p, "a coordinate lies outside the tile");
    }
    column |= basis->coords[i] << parts_first_bit(parts, i);
  }
  parts_add(parts, basis->dim, column);
  p->at = end;
  return true;
}

static const Layout *finish(LayoutTable *table, LayoutParser *p) {
  LayoutParts parts = parts_of_shape(p->rank, p->shape);
  parts.shared = p->seen[LAYOUT_OFFSET];
  if (parts.broken) {
    fail(p, "a tile has at most 2^30 elements");
    return NULL;
  }
  for (int i = 0; i < p->num_bases; i++) {
    if (!add_basis(p, &parts, &p->bases[i])) return NULL;
  }
  return layout_from_parts(table, &parts);
}

const Layout *layout_parse(LayoutTable *table, const char **at,
                           const char **error) {
  LayoutParser p = {.at = *at};
  const Layout *layout = parse_lists(&p) ? finish(table, &p) : NULL;
  *at = p.at;
  *error = p.error;
  return layout;
}
