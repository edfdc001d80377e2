// test_target.c -- the number of programs that an SM holds, against NVIDIA's
// calculator.
#include "ir/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef TILE_HAVE_CUDA_OCCUPANCY
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop

// The PTX manual's and the programming guide's numbers, by chip.
static cudaOccDeviceProp properties_of(const Target *target) {
  const int chip = atoi(target->name + 3);
  assert_int_equal(target->compute, chip);
  cudaOccDeviceProp p = {0};
  p.computeMajor = chip / 10;
  p.computeMinor = chip % 10;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsPerMultiprocessor = target->warps_sm * 32;
  p.regsPerBlock = p.regsPerMultiprocessor = target->registers_sm;
  p.warpSize = 32;
  p.sharedMemPerBlock = 48 * 1024;
  p.sharedMemPerMultiprocessor = (size_t)target->max_shared_sm;
  p.numSms = 1;
  p.sharedMemPerBlockOptin = (size_t)target->max_shared_block;
  p.reservedSharedMemPerBlock =
      (size_t)(target->max_shared_sm - target->max_shared_block);
  return p;
}

static int calculator(const Target *target, const Footprint *program) {
  const cudaOccDeviceProp properties = properties_of(target);
  cudaOccFuncAttributes function = {0};
  function.maxThreadsPerBlock = 1024;
  function.numRegs = program->registers;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = program->shared_bytes;
  cudaOccDeviceState state = {0};
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &function,
                                              &state, program->num_warps * 32,
                                              program->shared_bytes))
    return -1;
  return result.activeBlocksPerMultiprocessor;
}

static void agrees_with_the_calculator(void **state) {
  (void)state;
  for (int i = 0; i < target_count; i++) {
    const Target *target = &target_table[i];
    if (!target->is_gpu) continue;
    for (int warps = 1; warps <= 32; warps *= 2) {
      for (int registers = 16; registers <= 255; registers += 7) {
        for (int shared = 0; shared <= target->max_shared_block;
             shared += 1531) {
          const Footprint program = {warps, registers, (size_t)shared};
          Limit limit;
          const int found = target_residency(target, &program, &limit);
          const int expected = calculator(target, &program);
          if (found != expected)
            fail_msg("%s, %d warps, %d registers, %d bytes: %d, expected %d",
                     target->name, warps, registers, shared, found, expected);
        }
      }
    }
  }
}
#else
static void agrees_with_the_calculator(void **state) {
  (void)state;
  puts("SKIP: cuda_occupancy.h is not installed");
  skip();
}
#endif

static void the_limit_is_named(void **state) {
  (void)state;
  static const struct {
    Footprint program;
    int count;
    Limit limit;
  } cases[] = {
      {{4, 32, 0}, 16, BY_WARPS},      {{1, 0, 0}, 32, BY_BLOCKS},
      {{4, 255, 0}, 2, BY_REGISTERS},  {{4, 0, 83000}, 1, BY_SHARED},
      {{4, 0, 166912}, 1, BY_SHARED},  {{4, 0, 166913}, 0, BY_SHARED},
      {{16, 168, 0}, 0, BY_REGISTERS}, {{4, 256, 0}, 0, BY_REGISTERS},
      {{32, 64, 0}, 1, BY_REGISTERS},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Limit limit;
    const int count =
        target_residency(target_find("sm_80"), &cases[i].program, &limit);
    assert_int_equal(count, cases[i].count);
    assert_int_equal(limit, cases[i].limit);
  }
}

// The computed number of programs fits, and one more does not.
static void threads_share_the_registers(void **state) {
  (void)state;
  for (int i = 0; i < target_count; i++) {
    const Target *target = &target_table[i];
    for (int warps = 1; target->is_gpu && warps <= 32; warps++) {
      const int most = target_thread_registers(target, warps);
      assert_true(calculator(target, &(Footprint){warps, most, 0}) >= 1);
      if (most < TARGET_MAX_REGISTERS)
        assert_int_equal(calculator(target, &(Footprint){warps, most + 1, 0}),
                         0);
    }
  }
}

// By the names: PTX for sm_90a runs on no other chip, other PTX runs on newer
// ones.
static void a_chip_has_the_best_that_it_runs(void **state) {
  (void)state;
  static const struct {
    int chip;
    const char *name;
  } rows[] = {{75, "sm_75"}, {80, "sm_80"},  {87, "sm_86"},
              {89, "sm_89"}, {90, "sm_90a"}, {100, "sm_90"}};
  assert_null(target_of_chip(70));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_string_equal(target_of_chip(rows[i].chip)->name, rows[i].name);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_the_calculator),
      cmocka_unit_test(the_limit_is_named),
      cmocka_unit_test(threads_share_the_registers),
      cmocka_unit_test(a_chip_has_the_best_that_it_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
