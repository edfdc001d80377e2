// report.h -- reports of errors that the simulator found in a kernel.
#ifndef TILE_SIMULATOR_REPORT_H
#define TILE_SIMULATOR_REPORT_H

#include "runtime/simulator/state/exec.h"

typedef enum {
#define KIND(id, spelling, error, fatal, text) KIND_##id,
#include "runtime/simulator/base/kinds.def"
  NUM_KINDS
} Kind;

// "k.ptx:12, k.cu:3": the place of an instruction.
void report_place(const Launch *launch, const Inst *inst, char *out,
                  size_t room);

// Reports an error of the host.
void report_host(Kind kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Writes the report; STEP_FAULT if the launch must end, else STEP_NEXT.
Step report(const Warp *warp, const Inst *inst, int lane, Kind kind,
            const char *format, ...) __attribute__((format(printf, 5, 6)));

// Whether a report of this kind for the instruction would be dropped, because
// it was made before or there is no room for it.  Takes no lock.
bool report_is_moot(const Launch *launch, Kind kind, const Inst *inst);

#endif
