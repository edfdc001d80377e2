// layout_pictures.c -- the pictures of docs/layouts.md.
//
//   layout_pictures FOLDER          writes them
//   layout_pictures --check FOLDER  0 if FOLDER has the same pictures
#include "runtime/picture/layout_picture.h"

#include <stdio.h>
#include <string.h>

typedef const Layout *Make(LayoutTable *table);

static const MmaSpec one_warp = {.warps_m = 1, .warps_n = 1};

static const Layout *blocked(LayoutTable *table) {
  const BlockedSpec spec = {
      .per_thread = {1, 2}, .lanes = {2, 4}, .warps = {2, 1}, .order = {1, 0}};
  return layout_blocked(table, 2, (int64_t[]){4, 16}, &spec);
}

static const Layout *sliced(LayoutTable *table) {
  return layout_slice(table, blocked(table), 1);
}

static const Layout *accumulator(LayoutTable *table) {
  return layout_mma_accumulator(table, 2, (int64_t[]){16, 8}, &one_warp);
}

static const Layout *operand_a(LayoutTable *table) {
  return layout_mma_operand_a(table, 2, (int64_t[]){16, 16}, &one_warp, 16, 16);
}

static const Layout *operand_b(LayoutTable *table) {
  return layout_mma_operand_b(table, 2, (int64_t[]){16, 8}, &one_warp, 16, 16);
}

static const Layout *two_warps(LayoutTable *table) {
  const MmaSpec spec = {.warps_m = 2, .warps_n = 1};
  return layout_mma_accumulator(table, 2, (int64_t[]){32, 16}, &spec);
}

static const Layout *plain(LayoutTable *table) {
  return layout_shared(table, 2, (int64_t[]){8, 8}, (int[]){1, 0});
}

static const Layout *swizzled(LayoutTable *table) {
  return layout_swizzled(table, 2, (int64_t[]){8, 8}, (int[]){1, 0}, 1, 1, 8);
}

static const struct {
  const char *file, *title;
  Make *make;
} pictures[] = {
    {"blocked", "two warps of 8 lanes, pairs", blocked},
    {"sliced", "the sum of its rows", sliced},
    {"accumulator", "accumulator of m16n8", accumulator},
    {"operand-a", "operand A of m16n8k16, 16 bits", operand_a},
    {"operand-b", "operand B of m16n8k16, 16 bits", operand_b},
    {"two-warps", "accumulator of two warps", two_warps},
    {"plain", "shared memory, row-major", plain},
    {"swizzled", "shared memory, swizzled", swizzled},
};
enum { NUM_PICTURES = sizeof pictures / sizeof *pictures };

static bool is_same(const char *path, const Str *text) {
  FILE *file = fopen(path, "rb");
  bool same = file != NULL;
  for (size_t i = 0; same && i < text->length; i++) {
    same = fgetc(file) == (unsigned char)text->data[i];
  }
  same = same && fgetc(file) == EOF;
  if (file) fclose(file);
  if (!same) fprintf(stderr, "%s is stale; run layout_pictures\n", path);
  return same;
}

static bool write_file(const char *path, const Str *text) {
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  const bool ok = fwrite(text->data, 1, text->length, file) == text->length;
  return fclose(file) == 0 && ok;
}

int main(int argc, char **argv) {
  const bool check = argc == 3 && !strcmp(argv[1], "--check");
  Arena arena;
  LayoutTable table;
  int wrong = 0;
  arena_init(&arena, &system_allocator);
  layout_table_init(&table, &arena);
  for (int i = 0; i < NUM_PICTURES; i++) {
    Str text = str_in(&arena);
    picture_svg(&arena, pictures[i].title, pictures[i].make(&table), &text);
    const char *path =
        arena_printf(&arena, "%s/%s.svg", argv[argc - 1], pictures[i].file);
    wrong += !(check ? is_same(path, &text) : write_file(path, &text));
  }
  arena_free(&arena);
  return wrong != 0;
}
