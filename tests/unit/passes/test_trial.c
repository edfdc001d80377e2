// test_trial.c -- --interp-each notices changed results, and only those.
#include "passes/trial.h"

#include "tests/unit/ir/interp_kit.h"

static const char source[] =
    "kernel @k(%p: ptr<f32>, %q: ptr<i32>, %n: i32, %x: f32) {\n"
    "  %a = load %q : i32\n"
    "  %d = subi %a, %n : i32\n"
    "  store %q, %d\n"
    "  %y = addf %x, %x : f32\n"
    "  store %p, %y\n"
    "  device_print values(%n) {message = \"n\"}\n"
    "  return\n"
    "}\n";

static Op *find(Kit *kit, OpKind kind) {
  Op *op = kit->m->functions->body->first;
  while (op->kind != kind) op = op->next;
  return op;
}

static void open_trial(Kit *kit, Trial **trial, const char *text) {
  kit_open(kit, text);
  *trial = trial_create(kit->m, 1);
}

static void the_same_module_does_the_same(void **state) {
  (void)state;
  Kit kit;
  Trial *trial;
  open_trial(&kit, &trial, source);
  assert_int_equal(trial_num_untried(trial), 0);
  assert_null(trial_compare(trial));
  op_set_operand(find(&kit, OP_addf), 1, op_operand(find(&kit, OP_addf), 0));
  assert_null(trial_compare(trial));
  kit_close(&kit);
}

static void other_values_in_memory_are_noticed(void **state) {
  (void)state;
  Kit kit;
  Trial *trial;
  open_trial(&kit, &trial, source);
  Op *sub = find(&kit, OP_subi);
  op_set_operand(sub, 0, op_operand(sub, 1));
  assert_non_null(strstr(trial_compare(trial), "element 0 of parameter 1"));
  assert_null(trial_compare(trial)); // the same as the last time
  kit_close(&kit);
}

static void other_output_is_noticed(void **state) {
  (void)state;
  Kit kit;
  Trial *trial;
  open_trial(&kit, &trial, source);
  op_erase(find(&kit, OP_device_print));
  assert_non_null(strstr(trial_compare(trial), "prints something else"));
  kit_close(&kit);
}

static void a_kernel_that_stops_running_is_noticed(void **state) {
  (void)state;
  Kit kit;
  Trial *trial;
  open_trial(&kit, &trial, source);
  Op *load = find(&kit, OP_load);
  Value *base = &kit.m->functions->body->args[1];
  Op *op = op_create(kit.m, OP_addptr, load->loc, 2,
                     (Value *[]){base, op_operand(find(&kit, OP_subi), 1)},
                     NULL, 1, &base->type);
  Op *far_away = op_create(kit.m, OP_constant, load->loc, 0, NULL, NULL, 1,
                           &op_operand(op, 1)->type);
  op_set_int(kit.m, far_away, ATTR_value, 1 << 20);
  op_insert_before(load, far_away);
  op_set_operand(op, 1, op_result(far_away));
  op_insert_before(load, op);
  op_set_operand(load, 0, op_result(op));
  assert_non_null(strstr(trial_compare(trial), "it does not run: "));
  kit_close(&kit);
}

static void what_never_ran_is_counted(void **state) {
  (void)state;
  Kit kit;
  Trial *trial;
  open_trial(&kit, &trial,
             "kernel @k(%p: ptr<f32>, %x: f32) {\n"
             "  %big = constant {value = 1000000} : i32\n"
             "  %q = addptr %p, %big : ptr<f32>\n"
             "  store %q, %x\n"
             "  return\n"
             "}\n");
  assert_int_equal(trial_num_untried(trial), 1);
  assert_null(trial_compare(trial));
  kit_close(&kit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_module_does_the_same),
      cmocka_unit_test(other_values_in_memory_are_noticed),
      cmocka_unit_test(other_output_is_noticed),
      cmocka_unit_test(a_kernel_that_stops_running_is_noticed),
      cmocka_unit_test(what_never_ran_is_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
