// program.c -- attention by a ring of processes, against one process and
// double.
//
// `ring-attention --help` has its options.
#define _POSIX_C_SOURCE 200809L
#include "ring.h"

#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: mpirun -n RANKS ring-attention [OPTIONS]\n"
    "\n"
    "  --length=N              rows of the sequence (default 300)\n"
    "  --heads=N               heads (default 2)\n"
    "  --causal                a row attends to itself and those before it\n"
    "  --split=ROWS,ROWS,...   rows of each rank (default: even)\n"
    "  --device=NAME           cpu (default), cuda:1, sim, ...\n"
    "  --nccl                  parts travel by NCCL, on cuda:LOCAL_RANK\n"
    "  --log=PREFIX            each rank writes the order of its calls to "
    "PREFIXRANK\n"
    "  --die=RANK:STEP         a rank that ends early, as a test\n"
    "  --help                  this text\n";

typedef struct {
  int length, heads, die_rank, die_step;
  bool causal, nccl;
  const char *split, *device, *log;
} Options;

void fail(const char *format, ...) {
  int rank;
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "ring-attention: rank %d: %s\n", rank, text);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  abort();
}

void must(TileStatus status, const char *doing, TileDiagnostics *why) {
  if (status == TILE_OK) return;
  fail("%s: %s%s", doing, tile_diagnostics_text(why), tile_status_text(status));
}

static void *memory(size_t count) {
  float *bytes = calloc(count + 1, sizeof *bytes);
  if (!bytes) fail("out of memory");
  return bytes;
}

// -- The problem -------------------------------------------------------------

static int number(const char *text, int min, const char *what) {
  char *end;
  const long value = strtol(text, &end, 10);
  if (end == text || *end || value < min || value > 1 << 24)
    fail("%s: a number from %d is wanted, found '%s'", what, min, text);
  return (int)value;
}

static void read_die(Options *out, char *text) {
  char *colon = strchr(text, ':');
  if (!colon) fail("--die=RANK:STEP");
  *colon = '\0';
  out->die_rank = number(text, 0, "--die");
  out->die_step = number(colon + 1, 0, "--die");
}

static Options read_options(int argc, char **argv) {
  static const struct option names[] = {
      {"length", required_argument, NULL, 'l'},
      {"heads", required_argument, NULL, 'h'},
      {"causal", no_argument, NULL, 'c'},
      {"split", required_argument, NULL, 's'},
      {"device", required_argument, NULL, 'd'},
      {"nccl", no_argument, NULL, 'n'},
      {"log", required_argument, NULL, 'o'},
      {"die", required_argument, NULL, 'x'},
      {NULL, 0, NULL, 0},
  };
  Options o = {.length = 300, .heads = 2, .die_rank = -1};
  for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
    switch (c) {
    case 'l': o.length = number(optarg, 1, "--length"); break;
    case 'h': o.heads = number(optarg, 1, "--heads"); break;
    case 'c': o.causal = true; break;
    case 's': o.split = optarg; break;
    case 'd': o.device = optarg; break;
    case 'n': o.nccl = true; break;
    case 'o': o.log = optarg; break;
    case 'x': read_die(&o, optarg); break;
    default: fail("--help shows the options");
    }
  }
  return o;
}

// The rows of each rank: as equal as possible, or as --split says.
static Problem split(const Options *o, int num_ranks) {
  Problem p = {.heads = o->heads, .causal = o->causal, .num_ranks = num_ranks};
  if (num_ranks > MAX_RANKS) fail("%d ranks at most", MAX_RANKS);
  char *at = o->split ? strdup(o->split) : NULL;
  for (int r = 0; r < num_ranks; r++) {
    const int64_t length = o->length;
    int rows = (int)(length * (r + 1) / num_ranks - length * r / num_ranks);
    if (o->split) {
      char *text = strtok_r(r ? NULL : at, ",", &at);
      if (!text) fail("--split has rows for %d of %d ranks", r, num_ranks);
      rows = number(text, 0, "--split");
    }
    p.first[r + 1] = p.first[r] + rows;
  }
  if (at && strtok_r(NULL, ",", &at))
    fail("--split has rows for more than %d ranks", num_ranks);
  p.length = p.first[num_ranks];
  return p;
}

// Returns a number from -1 to 1, the same in each process.
static float value_at(uint64_t i) {
  uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return (float)((double)(z >> 40) / (1 << 23) - 1);
}

// Rows `first` to `end` of tensor `which`: [heads, rows, HEAD_DIM].
static float *make_rows(const Problem *p, int which, int first, int end) {
  const size_t rows = (size_t)(end - first);
  float *out = memory((size_t)p->heads * rows * HEAD_DIM), *at = out;
  for (int h = 0; h < p->heads; h++)
    for (int row = first; row < end; row++)
      for (int d = 0; d < HEAD_DIM; d++)
        *at++ = value_at((((uint64_t)which * (uint64_t)p->heads + (uint64_t)h) *
                              (uint64_t)p->length +
                          (uint64_t)row) *
                             HEAD_DIM +
                         (uint64_t)d);
  return out;
}

// -- Against others ----------------------------------------------------------

// The largest error that a result may have.
//
// With u = 2^-24: a score is a dot product of HEAD_DIM terms, at most HEAD_DIM
// of them 1 in size, scaled by 1 / sqrt(HEAD_DIM): its error, and so the
// relative error of its exponential, is at most (HEAD_DIM + 3) u
// sqrt(HEAD_DIM), and exp2 adds 4 u.  A weight is shrunk once a block, and each
// time is 4 u off; the sums have `length` terms.  Numerator and denominator
// each have that relative error in the sum of the weights, and |v| <= 1.
static double error_bound(const Problem *p) {
  const double u = 0x1p-24, blocks = p->length / (double)BLOCK + p->num_ranks;
  const double weight = (HEAD_DIM + 3) * sqrt(HEAD_DIM) + 4 + 4 * (blocks + 1);
  return 2 * u * (weight + p->length + 2);
}

static double exact(const Problem *p, const float *q, const float *k,
                    const float *v, int row, int d) {
  double sum = 0, total = 0;
  const int end = p->causal ? row + 1 : p->length;
  for (int key = 0; key < end; key++) {
    double score = 0;
    for (int i = 0; i < HEAD_DIM; i++)
      score += (double)q[row * HEAD_DIM + i] * k[key * HEAD_DIM + i];
    const double weight = exp(score / sqrt(HEAD_DIM));
    total += weight;
    sum += weight * v[key * HEAD_DIM + d];
  }
  return sum / total;
}

static double larger(double a, double b) {
  return b <= a ? a : b; // or NaN
}

// Rank 0 alone computes the whole, and compares.
static bool check(const Engine *engine, const Problem *p, const char *name,
                  const float *out) {
  Problem whole = *p;
  whole.num_ranks = 1;
  whole.first[1] = p->length;
  Transport alone = {.rank = 0, .size = 1};
  Engine quiet = *engine;
  quiet.log = NULL;
  quiet.dies_at = -1;
  float *x[3], *one = memory((size_t)p->heads * (size_t)p->length * HEAD_DIM);
  for (int i = 0; i < 3; i++) x[i] = make_rows(p, i, 0, p->length);
  ring_attention(&quiet, &whole, &alone, x[0], x[1], x[2], one);
  double apart = 0, error = 0;
  for (int h = 0, at = 0; h < p->heads; h++) {
    const int head = h * p->length * HEAD_DIM;
    for (int i = 0; i < p->length * HEAD_DIM; i++, at++) {
      apart = larger(apart, fabs((double)out[at] - one[at]));
      const double want = exact(p, x[0] + head, x[1] + head, x[2] + head,
                                i / HEAD_DIM, i % HEAD_DIM);
      error = larger(error, fabs(out[at] - want));
    }
  }
  for (int i = 0; i < 3; i++) free(x[i]);
  free(one);
  const double bound = error_bound(p);
  const bool ok = apart <= 2 * bound && error <= bound;
  printf("%d ranks by %s, %d x %d x %d%s: from one process %.1e (bound %.1e), "
         "from double %.1e (bound %.1e): %s\n",
         p->num_ranks, name, p->heads, p->length, HEAD_DIM,
         p->causal ? ", causal" : "", apart, 2 * bound, error, bound,
         ok ? "ok" : "WRONG");
  return ok;
}

// All rows at rank 0: [heads, length, HEAD_DIM].
static float *gather(const Problem *p, int rank, const float *mine) {
  int counts[MAX_RANKS], places[MAX_RANKS];
  const size_t line = (size_t)p->length * HEAD_DIM;
  float *all = rank ? NULL : memory((size_t)p->heads * line);
  const int rows = p->first[rank + 1] - p->first[rank];
  for (int r = 0; r < p->num_ranks; r++) {
    counts[r] = (p->first[r + 1] - p->first[r]) * HEAD_DIM;
    places[r] = p->first[r] * HEAD_DIM;
  }
  for (int h = 0; h < p->heads; h++)
    MPI_Gatherv(mine + (size_t)h * (size_t)rows * HEAD_DIM, rows * HEAD_DIM,
                MPI_FLOAT, all ? all + (size_t)h * line : NULL, counts, places,
                MPI_FLOAT, 0, MPI_COMM_WORLD);
  return all;
}

// -- main --------------------------------------------------------------------

static bool run(const Options *o, Engine *engine, Transport *t) {
  char log[512];
  const Problem p = split(o, t->size);
  const int first = p.first[t->rank], end = p.first[t->rank + 1];
  snprintf(log, sizeof log, "%s%d", o->log ? o->log : "", t->rank);
  engine->log = o->log ? log : NULL;
  engine->dies_at = o->die_rank == t->rank ? o->die_step : -1;
  float *x[3], *out = make_rows(&p, 0, first, end);
  for (int i = 0; i < 3; i++) x[i] = make_rows(&p, i, first, end);
  const size_t sent = ring_attention(engine, &p, t, x[0], x[1], x[2], out);
  printf("rank %d: rows %d to %d, %zu bytes sent\n", t->rank, first, end, sent);
  float *all = gather(&p, t->rank, out);
  const bool ok = t->rank || check(engine, &p, t->name, all);
  for (int i = 0; i < 3; i++) free(x[i]);
  free(out);
  free(all);
  return ok;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) // without mpirun, too
    if (!strcmp(argv[i], "--help"))
      return fputs(usage, stdout) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
  MPI_Init(&argc, &argv);
  const Options o = read_options(argc, argv);
  const char *local = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  char name[32];
  snprintf(name, sizeof name, "cuda:%s", local ? local : "0");
  const char *device = o.device ? o.device : o.nccl ? name : "cpu";
  const TileContextOptions kept = {.size = sizeof kept, .cache_dir = ""};
  TileContext *context;
  TileProgram *program;
  TileDiagnostics *why = NULL;
  Engine engine = {0};
  Transport transport;
  must(tile_context_create(&kept, &context), "the context", NULL);
  must(tile_device_open(context, device, &engine.device, &why), device, why);
  must(tile_program_load(context, EXAMPLE_FILE, &program, &why), "a file", why);
  must(tile_program_kernel(program, "ring_step", &engine.kernel, &why),
       "the kernel", why);
  if (o.nccl)
    transport_open_nccl(&transport, engine.device);
  else
    transport_open_mpi(&transport);
  const bool ok = run(&o, &engine, &transport);
  transport.close(&transport);
  tile_program_destroy(program);
  tile_device_destroy(engine.device);
  tile_context_destroy(context);
  MPI_Finalize();
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
