// choose.c -- chooses the configuration of @autotune for a launch that gives
// none.
//
// Two launches share a choice, as in Triton's tuner, if the parameters named by
// `key` have the same values, and all pointers the same types.
#include "runtime/choose.h"

#include "ir/number.h"
#include "runtime/compile/argument.h"

#include <inttypes.h>
#include <string.h>

// -- Names -------------------------------------------------------------------

// The digest of all that the configurations depend on, except imports.
static const char *source_of(const SourceUnit *unit, Arena *arena) {
  const DiskInputs *inputs = &unit->inputs;
  Str all = str_in(arena);
  char digits[DIGEST_TEXT];
  bytes_add_block(&all, inputs->text);
  bytes_add_block(&all, inputs->defines);
  bytes_add_number(&all, (uint64_t)inputs->triton);
  const Digest digest = digest_of(str_text(&all), all.length);
  digest_print(&digest, digits);
  return arena_strdup(arena, digits);
}

static void add_value(Str *out, const ArgSpec *spec) {
  if (constant_print(spec, out)) return;
  if (spec->kind != ARG_RUNTIME || !spec->known)
    str_add(out, spec->text ? spec->text : "?");
  else if (element_is_float(element_find(spec->text, strlen(spec->text))))
    float_print_repr(spec->f, out);
  else
    str_addf(out, "%" PRId64, spec->i);
}

static bool is_pointer(const ArgSpec *spec) {
  return spec->kind == ARG_DESCRIPTOR ||
         (spec->kind == ARG_RUNTIME && *spec->text == '*');
}

// A kernel without @autotune has no `key`: the constants that the launch gives
// are used.
static bool is_in_key(const TileKernel *kernel, const Tuning *tuning,
                      const ArgSpec *args, size_t i) {
  if (args[i].kind == ARG_ABSENT) return false;
  return kernel->is_tuned ? tuning->key[i] : kernel->params[i].is_constexpr;
}

// The values and types by which a configuration is chosen, as text: "n=1000,
// *fp32, *fp32".
static const char *key_of(const TileKernel *kernel, const Tuning *tuning,
                          const ArgSpec *args, const bool *varies,
                          Arena *arena) {
  Str out = str_in(arena);
  for (size_t i = 0; i < kernel->num_params; i++) {
    if ((varies && varies[i]) || !is_in_key(kernel, tuning, args, i)) continue;
    str_addf(&out, "%s%s=", out.length ? ", " : "", kernel->params[i].name);
    add_value(&out, &args[i]);
  }
  for (size_t i = 0; i < kernel->num_params; i++) {
    if (is_pointer(&args[i]))
      str_addf(&out, "%s%s", out.length ? ", " : "", args[i].text);
  }
  return str_text(&out);
}

typedef struct {
  const TileDevice *device;
  const TileKernel *kernel;
  const ArgSpec *args;
  const bool *varies;
  Arena *arena;
  Alike *out;
} Describing;

static void describe_body(void *data) {
  const Describing *d = data;
  Arena *arena = d->arena;
  Alike *out = d->out;
  const char *target = tile_device_target(d->device);
  const char *summary = tile_device_summary(d->device);
  out->name = (TunedName){
      .kernel = arena_strdup(arena, d->kernel->name),
      .source = source_of(d->kernel->program->unit, arena),
      .device = arena_printf(arena, "%s, %s", target, summary),
  };
  out->key = key_of(d->kernel, &out->tuning, d->args, d->varies, arena);
}

TileStatus choose_describe(const Report *report, const TileDevice *device,
                           const TileKernel *kernel, const ArgSpec *args,
                           const bool *varies, Arena *arena, Alike *out) {
  Describing d = {device, kernel, args, varies, arena, out};
  const TileStatus status =
      compile_tuning(report, kernel->program->unit, kernel->function,
                     device->target, arena, &out->tuning);
  if (status) return status;
  return arena_protect(arena, describe_body, &d) ? TILE_OK : TILE_OUT_OF_MEMORY;
}

// -- Choosing ----------------------------------------------------------------

typedef struct {
  TunedStore *store;
  const Alike *alike;
  Arena *arena;
  const char *choice;
  bool is_point;
} ChoiceSearch;

static void search_body(void *data) {
  ChoiceSearch *search = data;
  search->choice =
      tuned_find(search->store, &search->alike->name, search->alike->key,
                 search->arena, &search->is_point);
}

// The list of configurations may have changed since the choice was stored, and
// lack it.
static int find_choice(const Tuning *tuning, const char *choice) {
  for (int i = 0; choice && i < tuning->num_configs; i++) {
    if (!strcmp(tuning->configs[i], choice)) return i;
  }
  return 0;
}

typedef struct {
  ChoiceSearch search;
  const TileKernel *kernel;
  ArgSpec *args;
  Specialization *spec;
} Choosing;

static void choose_body(void *data) {
  Choosing *c = data;
  search_body(&c->search);
  const char *choice = c->search.choice;
  if (choice && c->search.is_point)
    choice_apply(c->search.arena, c->kernel, choice, c->args, c->spec);
  else
    c->spec->config = find_choice(&c->search.alike->tuning, choice);
}

TileStatus choose_config(const Report *report, const TileDevice *device,
                         const TileKernel *kernel, Arena *arena, ArgSpec *args,
                         Specialization *spec, uint64_t *looked_at) {
  Alike alike;
  const TileStatus status =
      choose_describe(report, device, kernel, args, NULL, arena, &alike);
  if (status) return status;
  Choosing choosing = {
      {device->context->tuned, &alike, arena, NULL, false}, kernel, args, spec};
  if (!arena_protect(arena, choose_body, &choosing)) return TILE_OUT_OF_MEMORY;
  const TileStatus told = tuned_tell(choosing.search.store, report);
  if (told) return told;
  for (size_t i = 0; i < kernel->num_params && i < MAX_KEY_PARAMS; i++)
    *looked_at |= (uint64_t)alike.tuning.key[i] << i;
  return TILE_OK;
}

// -- For tilec ---------------------------------------------------------------

typedef struct {
  TileDevice *device;
  Arena *arena;
  const char *key, *choice;
} TunedQuery;

static TileStatus ask(void *data, const Report *report, TileKernel *kernel,
                      const Specialization *specialization) {
  TunedQuery *asking = data;
  Alike alike;
  const TileStatus status =
      choose_describe(report, asking->device, kernel, specialization->args,
                      NULL, asking->arena, &alike);
  if (status) return status;
  ChoiceSearch search = {asking->device->context->tuned, &alike, asking->arena,
                         NULL, false};
  if (search.store && !arena_protect(asking->arena, search_body, &search))
    return TILE_OUT_OF_MEMORY;
  asking->key = alike.key;
  asking->choice = search.choice;
  return search.store ? tuned_tell(search.store, report) : TILE_OK;
}

TileStatus launch_tuned(TileDevice *device, const TileLaunch *launch,
                        Arena *arena, const char **key, const char **choice,
                        TileDiagnostics **diagnostics) {
  TunedQuery asking = {device, arena, "", NULL};
  TileLaunch first = *launch; // without a choice
  first.config = TILE_CONFIG_FIRST;
  const TileStatus status =
      launch_specialize(device, &first, ask, &asking, diagnostics);
  *key = asking.key;
  *choice = asking.choice;
  return status;
}
