// test_lowered.c -- kernels for some targets, warps and stages: results of the
// passes and the code generators.
//
// The IR behind the pipeline, and all messages, are hashed to a letter of
// lowered.txt; LLVM's IR to the letter behind it, which is only compared with
// the LLVM version that the first line names.  TILE_CHANGED=FILE writes that
// file anew.
#include "codegen/codegen.h"
#include "frontend/frontend.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/pass.h"
#include "tests/unit/letter_files.h"

enum { MAX_LETTERS = 1 << 12, NUM_VARIANTS = 4, MAX_TOLD = 10 };

// One kernel of the file, or all of its IR, in one variant.
typedef struct {
  const LetterFile *file;
  int kernel;
  uint32_t seed;
  Arena arena;
  DiagList diags;
  Module *m;
  const Target *target;
  bool was_there; // a kernel of that number
  char letters[3];
} Job;

// -- One variant -------------------------------------------------------------

static int warps_of(const Job *job) {
  static const int warps[] = {4, 1, 8, 2};
  return warps[job->seed / 8 % 4];
}

static int stages_of(const Job *job) {
  static const int stages[] = {3, 2, 1, 5};
  return stages[job->seed / 32 % 4];
}

static const Target *target_of(const Job *job) {
  static const char *const names[] = {"cpu",   "sm_80", "sm_90a", "sm_75",
                                      "sm_89", "sm_90", "cpu",    "sm_80"};
  return target_find(names[job->seed % 8]);
}

static bool make_of_ir(Job *job, Source *source) {
  if (job->kernel) return false;
  job->was_there = true;
  if (!module_parse(job->m, source) || !module_verify(job->m)) return false;
  for (Function *f = job->m->functions; f; f = f->next) {
    function_set_attr(f, (Attr){.key = ATTR_num_warps, .as.i = warps_of(job)});
    function_set_attr(f,
                      (Attr){.key = ATTR_num_stages, .as.i = stages_of(job)});
  }
  return true;
}

static const AstFunction *find_kernel(Program *program, int number) {
  for (int i = 0; i < frontend_num_functions(program); i++) {
    const AstFunction *f = frontend_function(program, i);
    if (function_is_kernel(f) && function_is_sound(f) && !number--) return f;
  }
  return NULL;
}

// Is the parameter rather a number than a pointer, by its name?
static bool is_number(const char *name) {
  static const char *const words[] = {
      "start", "end",  "count", "number", "size", "step", "limit", "less",
      "STEP",  "trip", "bound", "stride", "row_", "len",  "CTX",   "first"};
  if (!name[1]) return strchr("ijkmnNMKHZ", *name) != NULL;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(name, words[i])) return true;
  return false;
}

// Different guesses: by names alone, with pointers of one type, and at random.
static bool guess(const AstFunction *f, uint32_t seed, uint32_t attempt,
                  ArgSpec *args) {
  static const char *const types[] = {"*fp32", "*fp16", "*i32", "*u8",
                                      "i32",   "*bf16", "fp32", "*fp16"};
  if (!guess_by_name(f, seed | 1, args)) return false;
  for (int i = 0; attempt && i < function_num_params(f); i++) {
    seed = seed * 1664525u + 1013904223u + attempt;
    const bool is_wild = attempt > 8 && seed >> 30;
    const char *type =
        is_number(function_param(f, i).name) ? "i32" : types[(attempt - 1) % 4];
    if (args[i].kind == ARG_RUNTIME)
      args[i].text = is_wild ? types[(seed >> 20) % 8] : type;
    else if (args[i].kind == ARG_INT && attempt > 4 && attempt % 2)
      args[i] = (ArgSpec){.kind = ARG_DTYPE, .text = "fp16"};
  }
  return true;
}

static bool specialize(Job *job, Program *program, const AstFunction *f) {
  enum { NUM_ATTEMPTS = 32 };
  ArgSpec args[MAX_PARAMS];
  for (uint32_t attempt = 0; attempt < NUM_ATTEMPTS; attempt++) {
    if (!guess(f, job->seed, attempt, args)) return false;
    const Specialization spec = {.args = args,
                                 .num_warps = warps_of(job),
                                 .num_stages = stages_of(job),
                                 .target = job->target};
    job->m = module_create(&job->arena, &job->diags);
    if (frontend_specialize(program, f, &spec, job->m)) return true;
    diag_init(&job->diags, &job->arena);
  }
  return false;
}

static bool make(Job *job) {
  Source *source = source_create(&job->arena, job->file->name, job->file->text,
                                 job->file->length);
  job->m = module_create(&job->arena, &job->diags);
  if (strstr(job->file->name, ".tir")) return make_of_ir(job, source);
  const FrontendOptions options = {0};
  Program *program = frontend_parse(&job->arena, &job->diags, source, &options);
  const AstFunction *f = program ? find_kernel(program, job->kernel) : NULL;
  job->was_there = f != NULL;
  return f && specialize(job, program, f);
}

static void run(void *data) {
  Job *job = data;
  diag_init(&job->diags, &job->arena);
  job->target = target_of(job);
  if (!make(job)) return;
  const bool ok = passes_run(job->m, job->target,
                             job->target->is_gpu ? "gpu" : "host", NULL);
  Str text = str_in(&job->arena);
  if (ok) module_print(job->m, NULL, &text);
  uint32_t hash = fnv_text(FNV_SEED, str_text(&text));
  for (const Diag *d = job->diags.first; d; d = d->next)
    hash = fnv_text(hash, arena_printf(&job->arena, "%d:%d:%s", d->loc.line,
                                       d->loc.column, d->text));
  job->letters[0] = letters_pick(hash);
  const CodegenOptions options = {.host_cpu = "x86-64-v3"};
  CompiledCode code;
  if (!ok || !codegen_emit(job->m, job->target, EMIT_LLVM, &options, &code))
    return;
  job->letters[1] = letters_pick(fnv_text(FNV_SEED, code.data));
}

// -- All of them -------------------------------------------------------------

// The letters of a file's kernels, two for each variant.
static void lower(const LetterFile *f, char *found) {
  size_t n = 0;
  bool more = true;
  for (int kernel = 0; more; kernel++) {
    for (uint32_t i = 0; more && i < NUM_VARIANTS; i++) {
      Job job = {.file = f, .kernel = kernel, .letters = "__"};
      job.seed =
          (guess_seed(f->name, strlen(f->name)) + (uint32_t)kernel * 5 + i) *
              2654435761u >>
          7;
      arena_init(&job.arena, &system_allocator);
      assert_true(arena_protect(&job.arena, run, &job));
      arena_free(&job.arena);
      more = job.was_there;
      if (more) found[n++] = job.letters[0], found[n++] = job.letters[1];
      assert_true(n < MAX_LETTERS);
    }
  }
  found[n] = 0;
}

// -- The table ---------------------------------------------------------------

static bool same_llvm(const char *kept) {
  char now[64], then[64] = "";
  codegen_llvm_version(now, sizeof now);
  return sscanf(kept, "LLVM %63s", then) == 1 && !strcmp(now, then) &&
         codegen_has_host_cpu("x86-64-v3");
}

static bool of_llvm; // the table's second letters count
static int num_told; // differences, of which the first few are printed

static int judge(const LetterFile *f, const char *letters, char *found) {
  int wrong = 0;
  lower(f, found);
  if (!letters) return 0;
  for (size_t i = 0; letters[i] && found[i]; i++) {
    if (letters[i] == found[i] || (i % 2 && !of_llvm)) continue;
    wrong++;
    if (++num_told > MAX_TOLD) continue;
    print_error("%s: %s of kernel %zu differs in variant %zu\n", f->name,
                i % 2 ? "LLVM's IR" : "the IR", i / 2 / NUM_VARIANTS,
                i / 2 % NUM_VARIANTS);
  }
  return wrong + (strlen(letters) != strlen(found));
}

static void put_llvm(FILE *out) {
  char version[64];
  codegen_llvm_version(version, sizeof version);
  fprintf(out, "LLVM %s\n", version);
}

static LetterFiles files = {
    .patterns =
        (const char *const[]){
            "tests/golden/ptx/*.tile", "tests/golden/passes/*.tile",
            "tests/golden/passes/*.tir", "tests/golden/host/*.tile",
            "tests/semantics/*.py", "examples/*/*.tile", NULL},
    .slow = (const char *const[]){"/takes-long", NULL},
    .judge = judge};

static void test_lowered(void **state) {
  (void)state;
  LetterTable table =
      letters_open(TILE_SOURCE_DIR "/tests/unit/codegen/lowered.txt");
  of_llvm = table.kept && same_llvm(table.kept);
  if (table.out) put_llvm(table.out);
  if (table.kept && !of_llvm) print_message("SKIP (part): another LLVM\n");
  letter_files_judge(&files, &table);
  letters_close(&table);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lowered)};
  letter_files_set_part(&files, argc, argv);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
