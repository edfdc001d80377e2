// race_model.h -- the racing accesses of an execution, by the PTX manual.
//
// It is independent of the simulator's clocks: executed accesses are events,
// and orders are relations between any two, closed under transitivity.  Values
// are unique, so that the result of a read shows which write it has found.
#ifndef TILE_TESTS_RACE_MODEL_H
#define TILE_TESTS_RACE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_EVENTS = 160, MAX_PLACES = 16, ADD_BITS = 12 };

typedef enum {
  EVENT_LOAD,
  EVENT_STORE,
  EVENT_EXCHANGE,  // atom.exch
  EVENT_ADD,       // atom.add
  EVENT_REDUCTION, // red.add
  EVENT_FENCE,
  EVENT_BARRIER, // of a CTA or of a warp
  EVENT_NONE     // not executed
} EventKind;

typedef enum { SCOPE_NONE, SCOPE_CTA, SCOPE_GPU } Scope;

typedef struct Event {
  EventKind kind;
  int thread, cta;
  Scope scope;             // SCOPE_NONE: weak
  bool acquires, releases; // of fences neither
  bool is_sc;              // of fences
  bool is_early;           // reads of a poll that have not found its value
  int place;               // memory; of barriers which one
  // A store or an exchange leaves its number times 1 << ADD_BITS, an addition
  // adds a bit of its own.
  uint32_t value;
  uint32_t found; // by a load, an exchange or an addition
  int line;       // of the PTX
} Event;

// Events of a thread are in its order.
typedef struct Execution {
  Event events[MAX_EVENTS];
  int count;
  // The value of each place in the end, if that is known.
  bool is_known[MAX_PLACES];
  uint32_t final[MAX_PLACES];
} Execution;

// Whether two events race.  The values do not show everything: `sure` takes as
// ordered all that may be ordered.  It also takes a strong access as found by a
// lane that has found a later write of the same place, which overwrites it or
// comes after it in causality order.
typedef struct Races {
  bool may[MAX_EVENTS][MAX_EVENTS], sure[MAX_EVENTS][MAX_EVENTS];
} Races;

void find_races(const Execution *execution, Races *races);

#endif
