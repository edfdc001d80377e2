// layout_text.c -- the textual form of a layout.
#include "ir/layout.h"

#include <inttypes.h>

static const char *const dim_name[LAYOUT_NUM_DIMS] = {
    "register", "lane", "warp", "block", "offset"};

static void print_basis(const Layout *layout, LayoutDim dim, int bit,
                        Str *out) {
  int64_t coords[LAYOUT_MAX_RANK];
  const uint32_t word = 1u << (layout_first_bit(layout, dim) + bit);
  layout_coords(layout, layout_apply(layout, word), coords);
  str_add(out, bit ? ", [" : "[");
  for (int i = 0; i < layout->rank; i++) {
    str_addf(out, i ? ", %" PRId64 : "%" PRId64, coords[i]);
  }
  str_add_char(out, ']');
}

void layout_print(const Layout *layout, Str *out) {
  str_add(out, "layout<");
  const int first = layout->shared ? LAYOUT_OFFSET : LAYOUT_REGISTER;
  const int end = layout->shared ? LAYOUT_NUM_DIMS : LAYOUT_OFFSET;
  for (int dim = first; dim < end; dim++) {
    str_addf(out, dim == first ? "%s = [" : ", %s = [", dim_name[dim]);
    for (int bit = 0; bit < layout->num_bits[dim]; bit++) {
      print_basis(layout, (LayoutDim)dim, bit, out);
    }
    str_add_char(out, ']');
  }
  str_add(out, " -> ");
  for (int i = 0; i < layout->rank; i++) {
    str_addf(out, i ? "x%" PRId64 : "%" PRId64, layout_size(layout, i));
  }
  str_add_char(out, '>');
}
