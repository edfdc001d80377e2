// hook.c -- changes of a launch by the hook of its configuration.
//
// A hook is evaluated when a launch is new.  Its fills are then stored with the
// known launch, and its blocks are among the types that the variant is compiled
// for.
#include "runtime/compile/argument.h"
#include "runtime/compile/constants.h"

#include "runtime/errors.h"

#include <assert.h>
#include <string.h>

// -- Evaluating it -----------------------------------------------------------

typedef Vec(LaunchFill) FillList;

typedef struct {
  const TileLaunch *launch;
  Arena *arena;
  ArgSpec *args;
  const HookEffect *effects;
  FillList fills;
} Applying;

// The number of the argument for the parameter, which has one.
static size_t argument_of(const TileLaunch *launch, size_t param) {
  size_t next = 0;
  for (size_t i = 0; i < param; i++)
    next += !constants_find(launch, launch->kernel->params[i].name);
  assert(next < launch->num_args); // I13
  return next;
}

// The fill with the same bytes and the smallest possible value.
static LaunchFill smallest(uint64_t value, size_t each) {
  while (each > 1) {
    const size_t half = each / 2, bits = 8 * half;
    const uint64_t low = value & ((UINT64_C(1) << bits) - 1);
    if (low != (value >> bits)) break;
    value = low;
    each = half;
  }
  return (LaunchFill){.value = value, .each = (uint8_t)each};
}

static void add_fill(Applying *a, size_t param) {
  const char *type = a->args[param].text + 1; // behind the star
  const TileDtype dtype = element_find(type, strlen(type));
  LaunchFill fill = smallest(element_of_number(dtype, a->effects[param].value),
                             tile_dtype_size(dtype));
  fill.argument = (uint16_t)argument_of(a->launch, param);
  fill.param = (uint16_t)param;
  vec_push(a->arena, &a->fills, fill);
}

void hook_set_block(Arena *arena, const HookEffect *effect, ArgSpec *spec) {
  if (!effect->block) return;
  ArgSpec *items = arena_array(arena, ArgSpec, spec->num_items + 1);
  assert(spec->kind == ARG_DESCRIPTOR); // I13
  for (int i = 0; i < spec->num_items; i++)
    items[i] = (ArgSpec){.kind = ARG_INT, .i = effect->block[i]};
  spec->items = items;
}

static void apply_body(void *data) {
  Applying *a = data;
  for (size_t i = 0; i < a->launch->kernel->num_params; i++) {
    hook_set_block(a->arena, &a->effects[i], &a->args[i]);
    if (a->effects[i].fills) add_fill(a, i);
  }
}

static TileStatus ask(const Report *report, const TileKernel *kernel,
                      const Specialization *specialization, Arena *arena,
                      uint64_t *looked_at, HookAnswer *answer) {
  bool reads[MAX_KEY_PARAMS] = {false};
  const size_t count = kernel->num_params;
  answer->reads = count <= MAX_KEY_PARAMS ? reads : NULL;
  const TileStatus status =
      compile_hook(report, kernel->unit, kernel->function, specialization,
                   HOOK_OF_CONFIG, arena, answer);
  for (size_t i = 0; answer->reads && i < count; i++)
    *looked_at |= (uint64_t)reads[i] << i;
  answer->reads = NULL;
  return status;
}

// To find out whether any configuration has a hook takes the frontend as long
// as to evaluate all hooks, so the answer is kept.
static TileStatus may_have_hook(const Report *report, TileKernel *kernel,
                                const Target *target, bool *out) {
  bool hookless = !kernel->is_tuned || atomic_load(&kernel->hookless) == target;
  *out = !hookless;
  if (hookless) return TILE_OK;
  const TileStatus status = kept_hookless(report, kernel->disk, kernel->unit,
                                          kernel->asked, target, &hookless);
  if (hookless) atomic_store(&kernel->hookless, target);
  *out = !hookless;
  return status;
}

static void note_hookless(const Report *report, TileKernel *kernel,
                          const Target *target) {
  atomic_store(&kernel->hookless, target);
  kept_put_hookless(kernel->disk, report->from, kernel->unit, kernel->asked,
                    target);
}

TileStatus hook_apply(const Report *report, const TileLaunch *launch,
                      const Specialization *specialization, Arena *arena,
                      ArgSpec *args, uint64_t *looked_at, LaunchFills *out) {
  TileKernel *kernel = launch->kernel;
  const Target *target = specialization->target;
  HookAnswer answer = {.any = false};
  bool may = false;
  TileStatus status = TILE_OK;
  if (!launch->no_hooks) status = may_have_hook(report, kernel, target, &may);
  if (status || !may) return status;
  status = ask(report, kernel, specialization, arena, looked_at, &answer);
  if (status) return status;
  if (!answer.any) note_hookless(report, kernel, target);
  Applying a = {.launch = launch,
                .arena = arena,
                .args = args,
                .effects = answer.effects};
  if (!arena_protect(arena, apply_body, &a)) return TILE_OUT_OF_MEMORY;
  *out = (LaunchFills){a.fills.items, (uint32_t)a.fills.count};
  return out->count <= MAX_LAUNCH_FILLS
             ? TILE_OK
             : report_error(report, TILE_UNSUPPORTED, ERROR_hook_fills_many,
                            kernel->name, MAX_LAUNCH_FILLS);
}

// -- Its fills ---------------------------------------------------------------

TileStatus hook_fills(const Report *report, const TileLaunch *launch,
                      const LaunchFills *fills, DeviceFill *out) {
  assert(fills->count <= MAX_LAUNCH_FILLS); // I13
  for (uint32_t i = 0; i < fills->count; i++) {
    const LaunchFill *fill = &fills->items[i];
    const TileArg *arg = &launch->args[fill->argument];
    if (arg->kind != TILE_ARG_BUFFER || arg->as.buffer.offset)
      return report_error(report, TILE_INVALID_ARGUMENT, ERROR_hook_fills,
                          launch->kernel->name,
                          launch->kernel->params[fill->param].name);
    const TileBuffer *buffer = arg->as.buffer.buffer;
    out[i] = (DeviceFill){.to = buffer->address,
                          .count = buffer->size / fill->each,
                          .value = fill->value,
                          .each = fill->each,
                          .stream = launch->stream};
  }
  return TILE_OK;
}
