// tune_measure.c -- times launches of several configurations in turns.
//
// In this way a disturbance of the machine affects all configurations alike.
#include "runtime/tune.h"

#include "runtime/base/base.h"

#include <assert.h>

enum { MOST_ROUNDS = 50, TRIAL_ROUNDS = 3, MOST_ASKED = 1000000 };

bool tune_goes_on(Tune *tune, const Candidate *candidate) {
  assert(tune->done <= tune->total && "more steps than there are"); // I11
  const double spent = clock_seconds() - tune->since;
  const size_t left = tune->total - tune->done;
  const TileTuneProgress progress = {
      tune->done, tune->total,
      tune->done ? spent / (double)tune->done * (double)left : 0,
      candidate->result.config};
  return !tune->options.progress ||
         tune->options.progress(tune->options.progress_ctx, &progress);
}

TileStatus tune_launch_once(Tune *tune, const Candidate *candidate,
                            double *seconds, TileDiagnostics **diagnostics) {
  TileStatus status = tune_buffers_prepare(&tune->buffers, diagnostics);
  if (!status)
    status = tune_hooks_run(tune, &candidate->launch, candidate->before,
                            diagnostics);
  if (!status) status = tile_device_sync(tune->device, diagnostics);
  if (!status)
    status = launch_timed(&tune->timer, tune->device, &candidate->launch,
                          seconds, diagnostics);
  return status;
}

// -- Figures -----------------------------------------------------------------

static void find_figures(Candidate *c) {
  TileTuneResult *r = &c->result;
  if (!r->num_times) return;
  const Spread spread = spread_of(c->times, r->num_times);
  assert(spread.least <= spread.median && spread.median <= spread.most); // I12
  r->least = spread.least;
  r->median = spread.median;
  r->most = spread.most;
  for (size_t i = 0; i < r->num_times; i++)
    r->num_outliers += c->times[i] > 1.5 * r->median;
}

static double least_time(const Candidate *c) {
  double least = c->times[0];
  for (size_t i = 1; i < c->result.num_times; i++)
    if (c->times[i] < least) least = c->times[i];
  return least;
}

// -- Rounds ------------------------------------------------------------------

// After a few rounds, drops the candidates that take twice as long as the
// quickest.
static void leave_slow(Tune *tune) {
  assert(tune->num_rounds > TRIAL_ROUNDS && "no rounds are left"); // I11
  double best = -1;
  for (size_t i = 0; i < tune->num_candidates; i++) {
    const Candidate *c = &tune->candidates[i];
    if (c->result.verdict != TILE_TUNE_MEASURED) continue;
    const double least = least_time(c);
    if (best < 0 || least < best) best = least;
  }
  for (size_t i = 0; i < tune->num_candidates; i++) {
    Candidate *c = &tune->candidates[i];
    if (c->result.verdict != TILE_TUNE_MEASURED || least_time(c) <= 2 * best)
      continue;
    c->result.verdict = TILE_TUNE_SLOW;
    c->result.why = "twice the time of the quickest";
    tune->total -= tune->num_rounds - TRIAL_ROUNDS;
  }
}

// Runs a round in alternating order: the first of one round is the last of the
// next.
static TileStatus run_round(Tune *tune, size_t round,
                            TileDiagnostics **diagnostics) {
  for (size_t i = 0; i < tune->num_candidates; i++) {
    Candidate *c =
        &tune->candidates[round % 2 ? tune->num_candidates - 1 - i : i];
    if (c->result.verdict != TILE_TUNE_MEASURED) continue;
    assert(c->result.num_times < tune->num_rounds); // I11
    TileStatus status =
        tune_launch_once(tune, c, &c->times[c->result.num_times], diagnostics);
    if (!status)
      status = tune_hooks_run(tune, &c->launch, c->after, diagnostics);
    if (status) return status;
    c->result.num_times++;
    tune->done++;
    if (!tune_goes_on(tune, c)) return TILE_CANCELLED;
  }
  return TILE_OK;
}

// The number of rounds for the slowest candidate, which has been launched once.
static size_t rounds_for(const Tune *tune, double slowest) {
  const size_t asked = tune->options.num_rounds;
  if (asked) return asked < MOST_ASKED ? asked : MOST_ASKED;
  return launch_rounds(slowest, MOST_ROUNDS);
}

// The times of the launches for comparison are a first estimate.
static void plan_rounds(Tune *tune) {
  double slowest = 0;
  size_t count = 0;
  for (size_t i = 0; i < tune->num_candidates; i++) {
    const Candidate *c = &tune->candidates[i];
    if (c->result.verdict != TILE_TUNE_MEASURED) continue;
    count++;
    if (c->result.least > slowest) slowest = c->result.least;
  }
  tune->num_rounds = rounds_for(tune, slowest);
  tune->total = tune->done + count * tune->num_rounds;
  tune->since = clock_seconds();
}

static void make_times(void *data) {
  Tune *tune = data;
  for (size_t i = 0; i < tune->num_candidates; i++)
    tune->candidates[i].times =
        arena_array(tune->arena, double, tune->num_rounds + 1);
}

TileStatus tune_measure(Tune *tune, TileDiagnostics **diagnostics) {
  TileStatus status = TILE_OK;
  plan_rounds(tune);
  if (!arena_protect(tune->arena, make_times, tune)) return TILE_OUT_OF_MEMORY;
  for (size_t i = 0; !status && i < tune->num_rounds; i++) {
    if (i == TRIAL_ROUNDS) leave_slow(tune);
    status = run_round(tune, i, diagnostics);
  }
  for (size_t i = 0; !status && i < tune->num_candidates; i++)
    find_figures(&tune->candidates[i]);
  return status;
}
