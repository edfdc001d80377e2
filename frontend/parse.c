// parse.c -- from source text to a program.
//
// The rooms of the frontend are connected here: a program's walks get the
// functions of higher rooms as tables (Language, World).
#include "frontend/host/host.h"
#include "frontend/kernel/defines.h"
#include "frontend/language/language.h"
#include "frontend/module/program.h"
#include "frontend/python/python.h"
#include "frontend/run/run.h"
#include "frontend/walk/evaluate.h"

static const HostClass classes[] = {
    {"triton.Config", 1, config_field, config_default, call_config},
    {"triton.testing.Benchmark", NUM_BENCHMARK_REQUIRED, benchmark_field,
     benchmark_default, call_benchmark},
    {0}};

static const Language language = {
    .find = builtin_find,
    .find_bare = builtin_find_bare,
    .find_host = builtin_find_host,
    .find_method = builtin_find_method,
    .has = language_has,
    .nearest = builtin_nearest,
    .nearest_member = builtin_nearest_member,
    .bind = builtin_bind,
    .call = call_builtin,
    .classes = classes,
    .partial = call_partial,
    .extreme = extreme_of_two,
    .extreme_is_clear = extreme_is_clear,
    .library = library_call,
    .library_one = library_call_one,
    .library_two = library_call_two,
    .library_python = library_call_python,
    .scalar = scalar_of,
    .descriptor_sizes = descriptor_sizes,
    .operate = class_operate,
    .attribute = attribute_of,
    .call_value = call_value,
    .body = walk_body,
};

static const World world = {
    .value = global_value,
    .run = module_value,
    .report = module_report,
    .reach = module_reach,
    .is_told = module_is_told,
    .choice = chosen_thing,
    .function = host_function,
    .import = walk_import,
    .defined_name = defined_name,
    .defined_member = defined_member,
    .assume = defines_assume,
};

Program *frontend_parse(Arena *arena, DiagList *diags, const Source *source,
                        const FrontendOptions *options) {
  return program_parse(arena, diags, source, options, &language, &world);
}
