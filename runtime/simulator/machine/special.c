// special.c -- special registers.
#include "runtime/simulator/machine/special.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/simulator/code/pick.h"

#include "runtime/simulator/memory/memory.h"

typedef struct {
  const char *spelling;
  TypeId type;
  int chip;
} SpecialInfo;

static const SpecialInfo specials[NUM_SPECIALS] = {
#define SPECIAL(id, spelling, type, chip) {spelling, TYPE_##type, chip},
#include "runtime/simulator/machine/special.def"
};

// Whether `name` is the spelling, or one of a numbered family.
static bool is_spelled(const char *spelling, const char *name) {
  const size_t stem = strcspn(spelling, "<");
  if (!spelling[stem]) return strcmp(spelling, name) == 0;
  if (strncmp(spelling, name, stem) != 0) return false;
  char *past, *rest;
  const long count = strtol(spelling + stem + 1, &past, 10);
  const bool is_number = name[stem] >= '0' && name[stem] <= '9';
  const bool is_padded =
      name[stem] == '0' && name[stem + 1] >= '0' && name[stem + 1] <= '9';
  if (!is_number || is_padded || strtol(name + stem, &rest, 10) >= count)
    return false;
  return strcmp(rest, past + 1) == 0;
}

// `%tid.r` is another name of `%tid.x`, and so on.
static const char *element_name(const char *name, char copy[24]) {
  static const char letters[] = "rgba";
  const char *dot = strchr(name, '.');
  const char *letter = dot && dot[1] ? strchr(letters, dot[1]) : NULL;
  if (!letter || dot[2] || dot - name > 20) return name;
  memcpy(copy, name, (size_t)(dot - name) + 1);
  copy[dot - name + 1] = "xyzw"[letter - letters];
  copy[dot - name + 2] = '\0';
  return copy;
}

int special_find(const char *name) {
  char copy[24];
  name = element_name(name, copy);
  for (int i = 0; i < NUM_SPECIALS; i++) {
    if (is_spelled(specials[i].spelling, name)) return i;
  }
  return -1;
}

int special_chip(SpecialId id) {
  return specials[id].chip;
}

bool special_has_size(SpecialId id, uint32_t size) {
  if (id == SPECIAL_GRIDID && size < 8) return size >= 2;
  return size == type_table[specials[id].type].bytes ||
         (size == 2 && id <= SPECIAL_NCTAID_W);
}

bool special_is_reserved(SpecialId id) {
  return id >= SPECIAL_RESERVED_BEGIN && id <= SPECIAL_RESERVED_1;
}

TypeId special_type(SpecialId id) {
  return specials[id].type;
}

bool special_varies(SpecialId id) {
  return id >= SPECIAL_CLOCK && id <= SPECIAL_GLOBALTIMER_HI;
}

static uint64_t nanoseconds(const Launch *launch) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec +
         launch->leapt;
}

static uint64_t ticks(const Cta *cta) {
  return cta->executed + LANES + cta->launch->leapt;
}

// The place of the CTA in its cluster, and of the cluster in the grid.
static uint64_t cluster_value(const Cta *cta, SpecialId id) {
  const Launch *launch = cta->launch;
  const uint32_t *cluster = launch->cluster;
  switch (id) {
  case SPECIAL_CLUSTERID_X: return cta->index[0] / cluster[0];
  case SPECIAL_CLUSTERID_Y: return cta->index[1] / cluster[1];
  case SPECIAL_CLUSTERID_Z: return cta->index[2] / cluster[2];
  case SPECIAL_NCLUSTERID_X: return launch->grid[0] / cluster[0];
  case SPECIAL_NCLUSTERID_Y: return launch->grid[1] / cluster[1];
  case SPECIAL_NCLUSTERID_Z: return launch->grid[2] / cluster[2];
  case SPECIAL_CLUSTER_CTAID_X: return cta->index[0] % cluster[0];
  case SPECIAL_CLUSTER_CTAID_Y: return cta->index[1] % cluster[1];
  case SPECIAL_CLUSTER_CTAID_Z: return cta->index[2] % cluster[2];
  case SPECIAL_CLUSTER_NCTAID_X: return cluster[0];
  case SPECIAL_CLUSTER_NCTAID_Y: return cluster[1];
  case SPECIAL_CLUSTER_NCTAID_Z: return cluster[2];
  case SPECIAL_CLUSTER_CTARANK: return cta->rank;
  case SPECIAL_CLUSTER_NCTARANK: return launch->cluster_size;
  case SPECIAL_IS_EXPLICIT_CLUSTER: return launch->is_clustered;
  default: return 0;
  }
}

static uint64_t value_of(const Warp *warp, SpecialId id, uint32_t lane) {
  const Cta *cta = warp->cta;
  const Launch *launch = cta->launch;
  const uint32_t thread = warp->index * LANES + lane;
  const uint32_t *block = launch->block;
  switch (id) {
  case SPECIAL_TID_X: return thread % block[0];
  case SPECIAL_TID_Y: return thread / block[0] % block[1];
  case SPECIAL_TID_Z: return thread / (block[0] * block[1]);
  case SPECIAL_NTID_X: return block[0];
  case SPECIAL_NTID_Y: return block[1];
  case SPECIAL_NTID_Z: return block[2];
  case SPECIAL_CTAID_X: return cta->index[0];
  case SPECIAL_CTAID_Y: return cta->index[1];
  case SPECIAL_CTAID_Z: return cta->index[2];
  case SPECIAL_NCTAID_X: return launch->grid[0];
  case SPECIAL_NCTAID_Y: return launch->grid[1];
  case SPECIAL_NCTAID_Z: return launch->grid[2];
  case SPECIAL_LANEID: return lane;
  case SPECIAL_WARPID: return warp->index;
  case SPECIAL_NWARPID: return cta->num_warps;
  case SPECIAL_SMID: return cta->linear % launch->num_processors;
  case SPECIAL_NSMID: return launch->num_processors;
  case SPECIAL_LANEMASK_EQ: return UINT32_C(1) << lane;
  case SPECIAL_LANEMASK_LT: return (UINT32_C(1) << lane) - 1;
  case SPECIAL_LANEMASK_LE: return (UINT64_C(2) << lane) - 1;
  case SPECIAL_LANEMASK_GE: return ~((UINT32_C(1) << lane) - 1);
  case SPECIAL_LANEMASK_GT: return ~(uint32_t)((UINT64_C(2) << lane) - 1);
  case SPECIAL_CLOCK:
  case SPECIAL_CLOCK64: return ticks(cta);
  case SPECIAL_CLOCK_HI: return ticks(cta) >> 32;
  case SPECIAL_GLOBALTIMER:
  case SPECIAL_GLOBALTIMER_LO: return nanoseconds(launch);
  case SPECIAL_GLOBALTIMER_HI: return nanoseconds(launch) >> 32;
  case SPECIAL_WORKSPACE_HI: return launch->workspace >> 32;
  case SPECIAL_WORKSPACE_LO: return (uint32_t)launch->workspace;
  case SPECIAL_DYNAMIC_SMEM_SIZE: return launch->dynamic_shared;
  case SPECIAL_TOTAL_SMEM_SIZE:
    return (launch->shared_size + launch->shared_unit - 1) /
           launch->shared_unit * launch->shared_unit;
  case SPECIAL_RESERVED_BEGIN:
  case SPECIAL_RESERVED_0: return RESERVED_OFFSET;
  case SPECIAL_RESERVED_1: return RESERVED_OFFSET + RESERVED_BYTES / 2;
  case SPECIAL_RESERVED_END: return RESERVED_OFFSET + RESERVED_BYTES;
  case SPECIAL_RESERVED_CAP: return RESERVED_BYTES;
  case SPECIAL_GRIDID: return launch->stamp;
  default: return cluster_value(cta, id);
  }
}

void special_fill(Warp *warp, SpecialId id, uint32_t size, uint32_t offset) {
  if (!size) {
    *pred(warp, offset) = value_of(warp, id, 0) ? ALL_LANES : 0;
    return;
  }
  for (int lane = 0; lane < LANES; lane++)
    lane_set(warp, offset, size, lane, value_of(warp, id, (uint32_t)lane));
}

Step exec_refresh(Warp *warp, const Inst *inst, uint32_t mask) {
  (void)mask;
  special_fill(warp, (SpecialId)inst->imm, inst->reg_size, inst->op[0]);
  return STEP_NEXT;
}
