// report_json.c -- counts of a launch as JSON.
//
// An object in each line, so that a file may hold many launches.  The names are
// those of the simulator's counters where they mean the same.
#include "runtime/counts/sums.h"

static void json_sum(ReportWriter *w, const WorkSum *sum) {
  str_addf(&w->out, "\"bytes\":%llu,\"flops\":%llu,\"seconds\":%.9f",
           (unsigned long long)sum->bytes, (unsigned long long)sum->flops,
           sum->seconds);
}

// All that were counted.
static void json_events(ReportWriter *w, const uint64_t *sums) {
  const char *comma = "";
  str_add(&w->out, ",\"events\":{");
  for (int i = 0; i < WORK_EVENTS; i++) {
    if (!w->counted[i]) continue;
    str_addf(&w->out, "%s\"%s\":%llu", comma, event_info[i].name,
             (unsigned long long)(sums[i] / event_info[i].unit));
    comma = ",";
  }
  str_add_char(&w->out, '}');
}

static void json_parts(ReportWriter *w, const WorkSum *sum) {
  str_addf(&w->out, ",\"memory_seconds\":%.9f,\"product_seconds\":%.9f",
           sum->memory_seconds, sum->dot_seconds);
  json_events(w, sum->events);
}

static void json_places(ReportWriter *w, const char *name, const WorkSum *sums,
                        size_t count, bool are_loops) {
  str_addf(&w->out, ",\"%s\":[", name);
  for (size_t i = 0; i < count; i++) {
    const WorkRow *row = sums[i].at;
    str_add(&w->out, i ? ",{\"file\":" : "{\"file\":");
    str_add_json(&w->out, row->file);
    str_addf(&w->out, ",\"line\":%d,", row->line);
    if (are_loops)
      str_addf(&w->out, "\"trips\":%llu,", (unsigned long long)row->times);
    json_sum(w, &sums[i]);
    if (are_loops) json_parts(w, &sums[i]);
    str_add_char(&w->out, '}');
  }
  str_add_char(&w->out, ']');
}

static void json_threads(ReportWriter *w) {
  const char *comma = "";
  str_add(&w->out, ",\"threads\":[");
  for (int i = 0; w->about->threads && i < w->about->num_threads; i++) {
    const ThreadWork *own = &w->about->threads[i];
    if (!own->num_programs) continue;
    str_addf(&w->out, "%s{\"thread\":%d,\"programs\":%llu,\"seconds\":%.9f",
             comma, i, (unsigned long long)own->num_programs,
             (double)own->ticks * w->about->second_of_tick);
    json_events(w, own->sums);
    str_add_char(&w->out, '}');
    comma = ",";
  }
  str_add_char(&w->out, ']');
}

// Why counters are not among the events.
static void json_refusals(ReportWriter *w) {
  const char *comma = "";
  str_add(&w->out, ",\"refused\":{");
  for (int i = 0; i < WORK_EVENTS; i++) {
    const char *why = report_refusal(w, i);
    if (!why) continue;
    str_addf(&w->out, "%s\"%s\":\"%s\"", comma, event_info[i].name, why);
    comma = ",";
  }
  str_addf(&w->out, "},\"running\":%.3f", report_running_part(w));
}

void report_write_json(ReportWriter *w) {
  const uint32_t *grid = w->about->grid;
  str_add(&w->out, "{\"kernel\":");
  str_add_json(&w->out, w->kernel);
  str_addf(&w->out,
           ",\"grid\":[%u,%u,%u],\"programs\":%llu,\"num_threads\":%d,"
           "\"seconds\":%.9f,\"all\":{",
           grid[0], grid[1], grid[2],
           (unsigned long long)w->about->num_programs, w->about->num_threads,
           w->about->seconds);
  json_sum(w, &w->all);
  json_parts(w, &w->all);
  str_add(&w->out, "},\"classes\":{");
  for (size_t i = 0; i < w->classes.count; i++) {
    str_addf(&w->out, "%s\"%s\":{", i ? "," : "", w->classes.items[i].name);
    json_sum(w, &w->classes.items[i]);
    str_add_char(&w->out, '}');
  }
  str_add_char(&w->out, '}');
  json_places(w, "loops", w->loops.items, w->loops.count, true);
  json_places(w, "lines", w->lines.items, w->lines.count, false);
  json_threads(w);
  json_refusals(w);
  str_addf(&w->out, ",\"other_seconds\":%.9f}\n", w->nobody);
}
