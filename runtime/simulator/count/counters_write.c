// counters_write.c -- writes the counts of a launch as text or JSON.
//
// $TILE_SIM_STATS is FORM:FILE.  JSON has an object in each line, so that a
// file may hold many launches; the file "-" is standard output.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "runtime/simulator/base/settings.h"
#include "runtime/simulator/count/counters.h"
#include "runtime/simulator/matrix/wgmma.h"

typedef struct {
  const Launch *launch;
  FILE *out;
  Count all, classes[NUM_WORK_CLASSES];
  uint64_t flops[NUM_WORK_CLASSES];
  uint32_t *order; // of the instructions, by file and line of the source
} Writer;

// -- Sums --------------------------------------------------------------------

static void sum_up(Writer *w) {
  const Launch *launch = w->launch;
  for (uint32_t i = 0; i < launch->code->num_insts; i++) {
    const Count *count = &launch->counts[i];
    const Work *work = &launch->works[i];
    count_add(&w->all, count);
    count_add(&w->classes[work->class], count);
    w->flops[work->class] += count->threads * work->flops;
  }
}

static const Inst *inst_at(const Writer *w, uint32_t i) {
  return &w->launch->code->insts[w->order[i]];
}

static bool same_line(const Inst *a, const Inst *b) {
  return a->file == b->file && a->source_line == b->source_line;
}

static bool comes_after(const Inst *a, const Inst *b) {
  return a->file != b->file ? a->file > b->file
                            : a->source_line > b->source_line;
}

// By insertion: instructions are nearly in the order of their lines.
static bool sort_by_line(Writer *w) {
  const uint32_t count = w->launch->code->num_insts;
  const Inst *insts = w->launch->code->insts;
  w->order = malloc(count * sizeof *w->order);
  for (uint32_t i = 0; w->order && i < count; i++) {
    uint32_t at = i;
    for (; at && comes_after(&insts[w->order[at - 1]], &insts[i]); at--)
      w->order[at] = w->order[at - 1];
    w->order[at] = i;
  }
  return w->order != NULL;
}

// The sum for the line that starts at *i, which moves to the next line.
static Count line_count(const Writer *w, uint32_t *i) {
  const Inst *first = inst_at(w, *i);
  Count sum = {.warps = 0};
  for (; *i < w->launch->code->num_insts; ++*i) {
    if (!same_line(inst_at(w, *i), first)) break;
    count_add(&sum, &w->launch->counts[w->order[*i]]);
  }
  return sum;
}

static const char *file_of(const Writer *w, const Inst *inst) {
  const char *path = program_file(w->launch->program, inst->file);
  return path ? path : "";
}

static double percent(uint64_t part, uint64_t all) {
  return all ? 100.0 * (double)part / (double)all : 0;
}

// The requested part of the sectors; above 1 if lanes request the same bytes.
static double used(const Count *count) {
  return percent(count->global_bytes, count->sectors * SECTOR_BYTES);
}

typedef unsigned long long CountNumber;

// Writes an opcode with its modifiers, as in the module's text.
static void write_opcode(FILE *out, const PtxStmt *stmt) {
  fputs(stmt->name, out);
  for (const PtxWord *word = stmt->modifiers; word; word = word->next)
    fprintf(out, ".%s", word->text);
}

// -- Text --------------------------------------------------------------------

static void text_head(const Writer *w) {
  const Launch *l = w->launch;
  fprintf(w->out,
          "%s: grid %u,%u,%u, block %u,%u,%u: %llu warp instructions, %llu of "
          "threads, %.1f%% of the lanes\n",
          l->code->name, l->grid[0], l->grid[1], l->grid[2], l->block[0],
          l->block[1], l->block[2], (CountNumber)w->all.warps,
          (CountNumber)w->all.threads,
          percent(w->all.threads, w->all.warps * LANES));
  fprintf(w->out, "  %-20s %14s %14s %14s\n", "class", "warps", "threads",
          "operations");
  for (int i = 0; i < NUM_WORK_CLASSES; i++) {
    const Count *count = &w->classes[i];
    if (!count->warps) continue;
    fprintf(w->out, "  %-20s %14llu %14llu", work_class_names[i],
            (CountNumber)count->warps, (CountNumber)count->threads);
    if (w->flops[i]) fprintf(w->out, " %14llu", (CountNumber)w->flops[i]);
    fputc('\n', w->out);
  }
}

static bool is_same_opcode(const Inst *a, const Inst *b) {
  if (!a->columns || !b->columns) return false;
  const PtxWord *x = a->stmt->modifiers, *y = b->stmt->modifiers;
  for (; x && y && strcmp(x->text, y->text) == 0; x = x->next) y = y->next;
  return !x && !y;
}

// Products of warpgroups, each form once.
static void text_products(const Writer *w) {
  const Launch *l = w->launch;
  const uint32_t num_insts = l->code->num_insts;
  for (uint32_t i = 0; i < num_insts; i++) {
    const Inst *inst = &l->code->insts[i];
    uint64_t warps = 0, flops = 0;
    bool is_first = inst->columns;
    for (uint32_t j = 0; is_first && j < i; j++)
      is_first = !is_same_opcode(inst, &l->code->insts[j]);
    for (uint32_t j = i; is_first && j < num_insts; j++) {
      if (!is_same_opcode(inst, &l->code->insts[j])) continue;
      warps += l->counts[j].warps;
      flops += l->counts[j].threads * l->works[j].flops;
    }
    if (!warps) continue;
    fputs("  ", w->out);
    write_opcode(w->out, inst->stmt);
    fprintf(w->out, ": %llu products, %llu operations\n",
            (CountNumber)warps / GROUP_WARPS, (CountNumber)flops);
  }
}

static void text_peers(FILE *out, const Count *count, const char *before,
                       const char *after) {
  if (!count->peer_bytes && !count->saved_bytes) return;
  fprintf(out,
          "%s%llu bytes of shared memory of other CTAs, %llu of global memory "
          "not read again%s",
          before, (CountNumber)count->peer_bytes,
          (CountNumber)count->saved_bytes, after);
}

static void text_memory(const Writer *w) {
  static const WorkClass global[] = {WORK_GLOBAL_LOAD, WORK_GLOBAL_STORE,
                                     WORK_ATOMIC, WORK_GENERIC, WORK_ASYNC};
  for (size_t i = 0; i < sizeof global / sizeof *global; i++) {
    const Count *count = &w->classes[global[i]];
    if (!count->sectors) continue;
    fprintf(w->out,
            "  %s: %llu bytes in %llu sectors, %.1f%% of them asked for\n",
            work_class_names[global[i]], (CountNumber)count->global_bytes,
            (CountNumber)count->sectors, used(count));
  }
  if (w->all.turns)
    fprintf(w->out,
            "  shared memory: %llu bytes in %llu turns, %llu of them for bank "
            "conflicts\n",
            (CountNumber)w->all.shared_bytes, (CountNumber)w->all.turns,
            (CountNumber)w->all.conflicts);
  text_peers(w->out, &w->all, "  cluster: ", "\n");
  fprintf(w->out,
          "  branches: %llu, %llu of them parted lanes; barriers: "
          "%llu\n",
          (CountNumber)w->classes[WORK_BRANCH].warps,
          (CountNumber)w->all.splits,
          (CountNumber)w->classes[WORK_BARRIER].warps);
}

// The sum over the barriers with the same warps, if the one at `i` is the first
// of them; else false.
static bool role_count(const Writer *w, uint32_t i, Count *sum) {
  const Launch *l = w->launch;
  *sum = (Count){.warps = 0};
  for (uint32_t j = 0; j < l->code->num_insts; j++) {
    const Count *count = &l->counts[j];
    if (l->works[j].class != WORK_BARRIER || !count->comes ||
        count->roles != l->counts[i].roles)
      continue;
    if (j < i) return false;
    count_add(sum, count);
  }
  return sum->comes && l->works[i].class == WORK_BARRIER;
}

// Writes the numbers of the warps: "0-3,8".
static void write_warps(FILE *out, uint32_t warps) {
  const char *comma = "";
  for (int i = 0; i < MAX_WARPS; i++) {
    if (!(warps >> i & 1)) continue;
    int last = i;
    while (last + 1 < MAX_WARPS && warps >> (last + 1) & 1) last++;
    fprintf(out, "%s%d", comma, i);
    if (last > i) fprintf(out, "-%d", last);
    comma = ",";
    i = last;
  }
}

static void text_roles(const Writer *w) {
  Count sum;
  for (uint32_t i = 0; i < w->launch->code->num_insts; i++) {
    if (!role_count(w, i, &sum)) continue;
    fputs("  barriers of warps ", w->out);
    write_warps(w->out, sum.roles);
    fprintf(w->out, ": %llu, at %llu of them a wait\n", (CountNumber)sum.comes,
            (CountNumber)sum.waits);
  }
}

// The peak memory of the whole process: of the kernels, of the checks, and of
// earlier launches.
static CountNumber peak_bytes(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) ? 0
                                        : (CountNumber)usage.ru_maxrss * 1024;
}

static void text_peak(const Writer *w) {
  fprintf(
      w->out,
      "  the process has had %.1f MB at most, %.1f MB of them for readers of "
      "global memory\n",
      (double)peak_bytes() * 1e-6, (double)w->launch->reader_bytes * 1e-6);
}

static void text_lines(const Writer *w) {
  fprintf(w->out, "  %-32s %12s %12s %10s %10s\n", "line", "warps", "threads",
          "sectors", "conflicts");
  for (uint32_t i = 0; i < w->launch->code->num_insts;) {
    const Inst *inst = inst_at(w, i);
    const Count count = line_count(w, &i);
    if (!count.warps) continue;
    char name[300];
    const char *path = file_of(w, inst), *slash = strrchr(path, '/');
    snprintf(name, sizeof name, "%s:%u", slash ? slash + 1 : path,
             inst->source_line);
    fprintf(w->out, "  %-32s %12llu %12llu %10llu %10llu\n",
            *path ? name : "(no line)", (CountNumber)count.warps,
            (CountNumber)count.threads, (CountNumber)count.sectors,
            (CountNumber)count.conflicts);
  }
}

static void text_instructions(const Writer *w) {
  for (uint32_t i = 0; i < w->launch->code->num_insts; i++) {
    const Inst *inst = &w->launch->code->insts[i];
    const Count *count = &w->launch->counts[i];
    if (!count->sectors && !count->turns) continue;
    fprintf(w->out, "  PTX:%u ", inst->line);
    write_opcode(w->out, inst->stmt);
    fprintf(w->out, ": %llu times, %llu bytes", (CountNumber)count->warps,
            (CountNumber)count->bytes);
    if (count->sectors)
      fprintf(w->out, ", %llu sectors, %.1f%% asked for",
              (CountNumber)count->sectors, used(count));
    if (count->turns)
      fprintf(w->out, ", %llu turns, %llu for conflicts",
              (CountNumber)count->turns, (CountNumber)count->conflicts);
    text_peers(w->out, count, ", ", "");
    fputc('\n', w->out);
  }
}

static void write_text(const Writer *w) {
  text_head(w);
  text_products(w);
  text_memory(w);
  text_roles(w);
  text_peak(w);
  text_lines(w);
  text_instructions(w);
}

// -- JSON --------------------------------------------------------------------

static void json_string(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', out);
    if ((unsigned char)*text >= ' ') fputc(*text, out);
  }
  fputc('"', out);
}

static void json_count(FILE *out, const Count *count) {
  fprintf(out,
          "\"warps\":%llu,\"threads\":%llu,\"splits\":%llu,\"bytes\":%llu,"
          "\"shared_bytes\":%llu,\"peer_bytes\":%llu,\"saved_bytes\":%llu,"
          "\"sectors\":%llu,\"turns\":%llu,\"conflicts\":%llu",
          (CountNumber)count->warps, (CountNumber)count->threads,
          (CountNumber)count->splits, (CountNumber)count->bytes,
          (CountNumber)count->shared_bytes, (CountNumber)count->peer_bytes,
          (CountNumber)count->saved_bytes, (CountNumber)count->sectors,
          (CountNumber)count->turns, (CountNumber)count->conflicts);
}

static void json_classes(const Writer *w) {
  const char *comma = "";
  for (int i = 0; i < NUM_WORK_CLASSES; i++) {
    if (!w->classes[i].warps) continue;
    fprintf(w->out, "%s\"%s\":{", comma, work_class_names[i]);
    json_count(w->out, &w->classes[i]);
    fprintf(w->out, ",\"flops\":%llu}", (CountNumber)w->flops[i]);
    comma = ",";
  }
}

static void json_place(const Writer *w, const Inst *inst) {
  fputs("\"file\":", w->out);
  json_string(w->out, file_of(w, inst));
  fprintf(w->out, ",\"line\":%u,", inst->source_line);
}

static void json_lines(const Writer *w) {
  const char *comma = "";
  for (uint32_t i = 0; i < w->launch->code->num_insts;) {
    const Inst *inst = inst_at(w, i);
    const Count count = line_count(w, &i);
    if (!count.warps) continue;
    fprintf(w->out, "%s{", comma);
    json_place(w, inst);
    json_count(w->out, &count);
    fputc('}', w->out);
    comma = ",";
  }
}

static void json_instructions(const Writer *w) {
  const char *comma = "";
  for (uint32_t i = 0; i < w->launch->code->num_insts; i++) {
    const Inst *inst = &w->launch->code->insts[i];
    if (!w->launch->counts[i].warps || !inst->stmt) continue;
    fprintf(w->out, "%s{\"ptx_line\":%u,\"class\":\"%s\",\"opcode\":\"", comma,
            inst->line, work_class_names[w->launch->works[i].class]);
    write_opcode(w->out, inst->stmt);
    fputs("\",", w->out);
    json_place(w, inst);
    json_count(w->out, &w->launch->counts[i]);
    fprintf(w->out, ",\"flops\":%llu}",
            (CountNumber)(w->launch->counts[i].threads *
                          w->launch->works[i].flops));
    comma = ",";
  }
}

static void json_roles(const Writer *w) {
  const char *comma = "";
  Count sum;
  for (uint32_t i = 0; i < w->launch->code->num_insts; i++) {
    if (!role_count(w, i, &sum)) continue;
    fprintf(w->out, "%s{\"warps\":\"", comma);
    write_warps(w->out, sum.roles);
    fprintf(w->out, "\",\"barriers\":%llu,\"waits\":%llu}",
            (CountNumber)sum.comes, (CountNumber)sum.waits);
    comma = ",";
  }
}

static void write_json(const Writer *w) {
  const Launch *l = w->launch;
  fputs("{\"kernel\":", w->out);
  json_string(w->out, l->code->name);
  fprintf(w->out, ",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"all\":{",
          l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
          l->block[2]);
  json_count(w->out, &w->all);
  fprintf(w->out, "},\"peak_bytes\":%llu,\"reader_bytes\":%llu,\"classes\":{",
          peak_bytes(), (CountNumber)w->launch->reader_bytes);
  json_classes(w);
  fputs("},\"roles\":[", w->out);
  json_roles(w);
  fputs("],\"lines\":[", w->out);
  json_lines(w);
  fputs("],\"instructions\":[", w->out);
  json_instructions(w);
  fputs("]}\n", w->out);
}

// -- Both --------------------------------------------------------------------

void counters_write(const Launch *launch, const char *request) {
  const bool is_json = strncmp(request, "json:", 5) == 0;
  const char *path = strchr(request, ':') + 1;
  Writer w = {.launch = launch};
  if (!sort_by_line(&w)) return;
  w.out = settings_open("TILE_SIM_STATS", path);
  if (w.out) {
    sum_up(&w);
    if (is_json)
      write_json(&w);
    else
      write_text(&w);
    fflush(w.out);
  }
  if (w.out && w.out != stdout) fclose(w.out);
  free(w.order);
}
