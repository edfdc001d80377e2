// test_disk -- entries of the cache on disk: their keys, the files that they
// depend on, and entries that are not found.
//
// Backs I2 and I3 of runtime/disk.
#define _GNU_SOURCE // mkdtemp, nftw
#include "tests/tools/open_files.h"
#include "tests/unit/runtime/desk.h"

static void expect_maps(const KernelInfo *info) {
  assert_int_equal(info->num_maps, 1);
  assert_int_equal(info->num_steps, 2);
  const LaunchStep *step = &info->steps[1];
  assert_int_equal(info->steps[0].kind, STEP_ARGUMENT);
  assert_int_equal(info->steps[0].value, 1);
  assert_int_equal(step->kind, STEP_OPERATION);
  assert_int_equal(step->op, LAUNCH_cmpi);
  assert_int_equal(step->from, ELEM_i32);
  assert_int_equal(step->to, ELEM_i1);
  assert_int_equal(step->predicate, PREDICATE_ult);
  assert_int_equal(step->value, -7);
  const TensorMapInfo *map = &info->maps[0];
  assert_int_equal(map->elem, ELEM_f16);
  assert_int_equal(map->rank, 2);
  assert_int_equal(map->box[0], 64);
  assert_int_equal(map->box[1], 32);
  assert_int_equal(map->swizzle, 128);
  assert_true(map->fills_nan);
  assert_int_equal(map->apart, 5);
  assert_int_equal(map->base.count, 1);
  assert_int_equal(map->shape[0].first, 1);
  assert_int_equal(map->shape[1].count, 2);
  assert_int_equal(map->strides[0].count, 2);
  assert_int_equal(map->strides[1].first, 1);
}

static void test_what_is_kept_is_found(void **state) {
  Desk *d = *state;
  Entry entry;
  const Bytes key = some_key(d);
  assert_false(is_found(d, key));
  assert_int_equal(access(d->cache, F_OK), -1); // looking makes no folder
  keep(d, key);
  assert_true(disk_find(d->disk, key, &d->reads, &d->arena, &entry));
  assert_int_equal(entry.code.size, sizeof some_code);
  assert_memory_equal(entry.code.data, some_code, sizeof some_code);
  assert_int_equal(entry.code.data[entry.code.size], 0);
  const KernelInfo *info = &entry.code.kernels[0];
  assert_string_equal(info->symbol, "kernel_k");
  assert_int_equal(info->num_params, 2);
  assert_true(info->overlaps);
  assert_int_equal(info->num_warps, 8);
  assert_int_equal(info->log2_cluster, 2);
  assert_true(info->has_pairs);
  assert_int_equal(info->shared_bytes, 4096);
  assert_int_equal(info->scratch_bytes, 192);
  assert_true(info->keeps_scratch);
  assert_int_equal(info->params[0].index, 1);
  assert_int_equal(info->params[0].elem, ELEM_f32);
  assert_true(info->params[0].is_pointer);
  assert_int_equal(info->params[1].rule, PARAM_WORKSPACE);
  assert_int_equal(info->params[1].index, -1);
  assert_int_equal(info->params[1].size, 1 << 20);
  assert_int_equal(info->params[1].align, 128);
  expect_maps(info);
}

static void test_messages_are_told_again(void **state) {
  Desk *d = *state;
  Entry entry;
  Str text = str_in(&d->arena);
  const Bytes key = some_key(d);
  keep(d, key);
  assert_true(disk_find(d->disk, key, &d->reads, &d->arena, &entry));
  diag_render_all(entry.diags, false, &text);
  assert_string_equal(str_text(&text), "a.tile:2:1: warning: odd\n"
                                       "  two\n"
                                       "  ^~~\n"
                                       "  2\n");
  assert_int_equal(entry.diags->num_warnings, 1);
}

// -- Keys --------------------------------------------------------------------

#define NUMBER(inputs, name) (inputs).name++
#define BLOCK(inputs, name)                                                    \
  (inputs).name = (Bytes) {                                                    \
    (inputs).name.size ? "" : "x", !(inputs).name.size                         \
  }

static void test_each_input_is_in_the_key(void **state) {
  Desk *d = *state;
  keep(d, some_key(d));
  assert_true(is_found(d, some_key(d)));
#define INPUT(name, kind, what)                                                \
  {                                                                            \
    DiskInputs other = some_inputs(d);                                         \
    kind(other, name);                                                         \
    if (is_found(d, inputs_key(&other, &d->arena)))                            \
      fail_msg("%s is not in the key", #name);                                 \
  }
#include "runtime/disk/inputs.def"
}

#undef NUMBER
#undef BLOCK

static void test_keys_can_be_read(void **state) {
  Desk *d = *state;
  DiskInputs inputs;
  const Bytes key = some_key(d);
  assert_true(inputs_read(key, &inputs));
  assert_int_equal(inputs.num_warps, 4);
  assert_int_equal(inputs.file.size, 6);
  assert_memory_equal(inputs.file.data, "a.tile", 6);
  assert_false(inputs_read((Bytes){key.data, key.size - 1}, &inputs));
}

// The name of an entry is a hash of its key: an entry with this name and
// another key is not taken.
static void test_the_whole_key_is_compared(void **state) {
  Desk *d = *state;
  FolderState folder_state;
  char name[ENTRY_NAME];
  const Bytes key = some_key(d);
  keep(d, key);
  DiskInputs other = some_inputs(d);
  other.config = 1;
  const Bytes file = file_of(d, inputs_key(&other, &d->arena));
  const int folder = folder_open(d->cache, &folder_state);
  entry_name(key, 0, name);
  assert_true(folder_write(folder, name, file));
  close(folder);
  assert_false(is_found(d, key));
}

// -- Broken files ------------------------------------------------------------

static void write_entry(Desk *d, Bytes key, Bytes file) {
  FolderState state;
  char name[ENTRY_NAME];
  entry_name(key, 0, name);
  const int folder = folder_open(d->cache, &state);
  assert_true(folder >= 0);
  assert_true(folder_write(folder, name, file));
  close(folder);
}

static void test_each_byte_is_checked(void **state) {
  Desk *d = *state;
  const Bytes key = some_key(d);
  keep(d, key);
  const Bytes file = file_of(d, key);
  char *copy = arena_alloc(&d->arena, file.size, 1, 1);
  for (size_t i = 0; i < file.size; i++) {
    memcpy(copy, file.data, file.size);
    copy[i] ^= (char)(1 << i % 8);
    write_entry(d, key, (Bytes){copy, file.size});
    if (is_found(d, key)) fail_msg("byte %zu is not checked", i);
  }
  keep(d, key);
  assert_true(is_found(d, key));
}

static void test_half_of_a_file_is_none(void **state) {
  Desk *d = *state;
  const Bytes key = some_key(d);
  keep(d, key);
  const Bytes file = file_of(d, key);
  for (size_t size = 0; size < file.size; size++) {
    write_entry(d, key, (Bytes){file.data, size});
    if (is_found(d, key)) fail_msg("%zu bytes are believed", size);
  }
}

// A file with a right digest may still hold nonsense, such as one of a release
// that changed the format without a new number.
static void test_nonsense_is_refused(void **state) {
  Desk *d = *state;
  const Bytes key = some_key(d);
  const Bytes file = file_of(d, key);
  const size_t head = 8 + DIGEST_BYTES;
  char *copy = arena_alloc(&d->arena, file.size, 1, 1);
  for (size_t i = head; i + 8 <= file.size; i++) {
    Entry entry;
    memcpy(copy, file.data, file.size);
    memset(copy + i, 0xFF, 8);
    const Digest digest = digest_of(copy + head, file.size - head);
    memcpy(copy + 8, digest.bytes, DIGEST_BYTES);
    (void)!entry_read((Bytes){copy, file.size}, &d->arena, &entry);
  }
}

// An entry is not broken if another build has written it, with more fields or
// in another order.
static void test_entries_of_other_builds_are_whole(void **state) {
  Desk *d = *state;
  const Bytes key = some_key(d), file = file_of(d, key);
  const size_t head = 8 + DIGEST_BYTES;
  char *copy = arena_alloc(&d->arena, file.size + 8, 1, 1);
  memcpy(copy, file.data, file.size);
  memset(copy + file.size, 0, 8);
  const Bytes other = {copy, file.size + 8};
  const Digest digest = digest_of(copy + head, other.size - head);
  memcpy(copy + 8, digest.bytes, DIGEST_BYTES);
  Entry entry;
  Bytes its;
  assert_true(entry_is_whole(file, &its));
  assert_false(entry_read(other, &d->arena, &entry));
  assert_true(entry_is_whole(other, &its));
  assert_int_equal(its.size, key.size);
  assert_memory_equal(its.data, key.data, key.size);
  copy[file.size] = 1;
  assert_false(entry_is_whole(other, &its));
}

// -- Imports -----------------------------------------------------------------

static void read_import(Desk *d, const char *path) {
  size_t length = 0;
  const FileReader reader = reads_reader(&d->reads);
  (void)!reader.read(reader.ctx, path, &d->arena, &length);
}

static bool is_read(Desk *d, const char *name) {
  read_import(d, arena_printf(&d->arena, "%s/%s", d->folder, name));
  return d->reads.files.items[d->reads.files.count - 1]->is_there;
}

// A folder that lacks a few files is listed, which changes no answer.
static void test_listed_folders(void **state) {
  Desk *d = *state;
  write_file(d, "b.py", "WIDTH = 1\n");
  for (int i = 0; i < 10; i++) {
    assert_false(is_read(d, arena_printf(&d->arena, "no%d.py", i)));
    assert_false(is_read(d, arena_printf(&d->arena, "no/no%d.py", i)));
    assert_false(is_read(d, arena_printf(&d->arena, "b.py/no%d.py", i)));
  }
  assert_true(is_read(d, "b.py"));
  assert_false(is_read(d, "no/b/b.py"));
  assert_true(is_read(d, "./b.py"));
  write_file(d, "late.py", "WIDTH = 2\n");
  assert_false(is_read(d, "late.py")); // the program saw the folder as it was
  reads_init(&d->reads, &d->arena);
  assert_true(is_read(d, "late.py"));
}

// Looks for the key like a process that has read no file yet.
static bool is_found_anew(Desk *d, Bytes key) {
  reads_init(&d->reads, &d->arena);
  return is_found(d, key);
}

static void test_files_that_were_read(void **state) {
  Desk *d = *state;
  const Bytes key = some_key(d);
  const char *path = write_file(d, "b.py", "WIDTH = 1\n");
  read_import(d, path);
  keep(d, key);
  assert_true(is_found_anew(d, key));
  write_file(d, "b.py", "WIDTH = 2\n");
  assert_true(is_found(d, key)); // this program saw the file as it was
  assert_false(is_found_anew(d, key));
  write_file(d, "b.py", "WIDTH = 1\n");
  assert_true(is_found_anew(d, key));
  unlink(path);
  assert_false(is_found_anew(d, key));
}

// Files change back when a repository changes between branches.
static void test_files_that_change_back(void **state) {
  Desk *d = *state;
  const Bytes key = some_key(d);
  const char *path = arena_printf(&d->arena, "%s/b.py", d->folder);
  for (int i = 0; i < 20; i++) {
    write_file(d, "b.py", arena_printf(&d->arena, "WIDTH = %d\n", i % 3));
    reads_init(&d->reads, &d->arena);
    assert_int_equal(is_found(d, key), i >= 3);
    read_import(d, path);
    if (i < 3) keep(d, key);
  }
  for (int i = 0; i < 50; i++) { // only some of them are kept
    write_file(d, "b.py", arena_printf(&d->arena, "WIDTH = %d\n", i));
    reads_init(&d->reads, &d->arena);
    read_import(d, path);
    keep(d, key);
    assert_true(is_found_anew(d, key));
  }
  assert_int_equal(count_files(d), ENTRY_SLOTS);
}

static void test_paths_without_a_file(void **state) {
  Desk *d = *state;
  const Bytes key = some_key(d);
  const char *path = arena_printf(&d->arena, "%s/c.py", d->folder);
  read_import(d, path);
  keep(d, key);
  assert_true(is_found_anew(d, key));
  write_file(d, "c.py", "");
  assert_false(is_found_anew(d, key));
  unlink(path);
  assert_true(is_found_anew(d, key));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_what_is_kept_is_found),
      TEST(test_messages_are_told_again),
      TEST(test_each_input_is_in_the_key),
      TEST(test_keys_can_be_read),
      TEST(test_the_whole_key_is_compared),
      TEST(test_each_byte_is_checked),
      TEST(test_half_of_a_file_is_none),
      TEST(test_nonsense_is_refused),
      TEST(test_files_that_were_read),
      TEST(test_listed_folders),
      TEST(test_files_that_change_back),
      TEST(test_paths_without_a_file),
      TEST(test_entries_of_other_builds_are_whole),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
