// crowd.h -- coarse memory of accesses: groups that may have made them.
//
// If a page's accesses take too much memory, each cell has a set of groups, one
// or more of whose members have touched it.  Members are warps, or in global
// memory all CTAs of one class.  A member has its first access of the page, and
// the set of all its lanes that ever accessed it.  A new access surely races
// with a group if it races with the first access of each member, by each of its
// lanes: whichever member touched the cell, it did so no earlier.  So no race
// is invented, and where a barrier orders all warps or none, none is missed.
//
// For example, a page of shared memory has cells of bytes, each with bits for 8
// groups.  Members 5 and 13 share a group.  If lane 3 of member 13 stores to
// byte 7, the bit of this group is set for byte 7, and lane 3 is added to the
// member's lanes.  A later access of byte 7 races if it is ordered neither
// after the first access of member 5 nor after that of member 13.
#ifndef TILE_SIMULATOR_CROWD_H
#define TILE_SIMULATOR_CROWD_H

#include "runtime/simulator/history/past.h"

typedef struct Crowd Crowd;

// The members: warps of a CTA; warps, if the launch has only one CTA; or CTAs.
// In global memory, which is larger, there are fewer groups.
typedef enum { CROWD_NEAR, CROWD_ALONE, CROWD_BY_CTA } CrowdKind;

// A cell has 4 >> fine bytes.
Crowd *crowd_create(int fine, CrowdKind kind); // NULL: no memory
void crowd_destroy(Crowd *crowd);
// Bytes, including the overhead of malloc().
size_t crowd_bytes(const Crowd *crowd);
// Adds an access of consecutive cells; false: there are too many members.
bool crowd_add(Crowd *crowd, uint32_t cell, uint32_t count, const Past *past);
// The groups that have touched the cell, as bits.
uint32_t crowd_groups(const Crowd *crowd, uint32_t cell);
// The groups with a member that has made a strong access of the page.
uint32_t crowd_strong_groups(const Crowd *crowd);
// Removes groups from consecutive cells.
void crowd_take(Crowd *crowd, uint32_t cell, uint32_t count, uint32_t groups);
// Divides each cell into 1 << shift cells with the same accesses, in fewer
// groups.
void crowd_refine(Crowd *crowd, int shift);

typedef struct Member {
  Past past;       // with the time of the first access
  uint32_t latest; // time of the last access
} Member;

// The members of a group, one after the other; NULL: no more.  `*at` is zero at
// first.
const Member *crowd_next(const Crowd *crowd, uint32_t group, uint32_t *at);
// The member that has made the access, or another of its CTA; NULL: none yet.
const Member *crowd_member(const Crowd *crowd, const Past *past);
// The group of the member, as a bit.
uint32_t crowd_group_of(const Crowd *crowd, const Member *member);
// Removes these groups from all cells, with their members.
void crowd_forget(Crowd *crowd, uint32_t groups);
bool crowd_is_by_cta(const Crowd *crowd);

#endif
