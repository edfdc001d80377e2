// test_sim_listed.c -- the instructions of forms.txt load if ptxas takes them,
// and only then.
#include <stdio.h>

#include "sim_kit.h"

enum { MAX_LINE = 4096, TOGETHER = 16, HEAD = 512 };

typedef struct {
  char chip[16], version[16];
  char text[TOGETHER * MAX_LINE]; // of forms that are taken, line by line
  int count, num_taken, num_refused, num_wrong;
} List;

static bool loads(const List *list, const char *body) {
  static char text[HEAD + TOGETHER * MAX_LINE];
  CUmodule module;
  const bool has_quads = strtod(list->version, NULL) >= 8.3;
  snprintf(text, sizeof text,
           ".version %s\n.target %s\n.address_size 64\n"
           ".visible .entry k() {\n.reg .b16 %%h<99>; .reg .b32 %%r<299>;"
           ".reg .b64 %%d<99>; .reg .pred %%p<9>; %s\n%s\nret;\n}\n",
           list->version, list->chip, has_quads ? ".reg .b128 %q<9>;" : "",
           body);
  if (cuModuleLoadDataEx(&module, text, 0, NULL, NULL)) return false;
  cuModuleUnload(module);
  return true;
}

static void complain(List *list, const char *line, const char *how) {
  list->num_wrong++;
  print_error("%s %s: %s is %s\n", list->chip, list->version, line, how);
}

// All of them at once, and one by one if they do not load.
static void load_taken(List *list) {
  if (list->count && !loads(list, list->text))
    for (char *line = strtok(list->text, "\n"); line; line = strtok(NULL, "\n"))
      if (!loads(list, line)) complain(list, line, "refused");
  list->count = 0;
  list->text[0] = 0;
}

static void take(List *list, const char *line) {
  strcat(strcat(list->text, line), "\n");
  list->num_taken++;
  if (++list->count == TOGETHER) load_taken(list);
}

static void read_line(List *list, char *line) {
  line[strcspn(line, "\n")] = 0;
  if (*line == '=') {
    load_taken(list);
    assert_int_equal(sscanf(line, "= %15s %15s", list->chip, list->version), 2);
  } else if (*line == '+') {
    take(list, line + 1);
  } else if (*line == '-') {
    list->num_refused++;
    if (loads(list, line + 1)) complain(list, line + 1, "taken");
  }
}

static void test_list(void **state) {
  (void)state;
  static List list;
  static char line[MAX_LINE];
  FILE *file = fopen(TILE_SOURCE_DIR "/tests/sim/forms.txt", "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) read_line(&list, line);
  load_taken(&list);
  fclose(file);
  assert_int_equal(list.num_wrong, 0);
  assert_true(list.num_taken > 1000 && list.num_refused > 1000);
}

static int set_up(void **state) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  return kit_setup(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_list)};
  return cmocka_run_group_tests(tests, set_up, kit_teardown);
}
