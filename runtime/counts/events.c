// events.c -- counters of Linux for one thread: a group, which one call reads.
//
// Work of the kernel for the thread is left out, since not every user may count
// it.
#define _GNU_SOURCE // syscall
#include "runtime/counts/events.h"

#include <assert.h>
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

const EventInfo event_info[WORK_EVENTS] = {
#define EVENT(name, type, config, title, unit)                                 \
  {#name, title, unit, type, config},
#include "runtime/counts/events.def"
#undef EVENT
};

static int open_event(struct perf_event_attr *about, int leader) {
  return (int)syscall(SYS_perf_event_open, about, 0, -1, leader,
                      PERF_FLAG_FD_CLOEXEC);
}

static int start_group(int leader) {
  return ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

const EventDoor events_of_linux = {open_event, start_group, read, close};

void events_open(ThreadEvents *e, const EventDoor *door) {
  *e = (ThreadEvents){.door = door, .leader = -1};
  for (int i = 0; i < WORK_EVENTS; i++) {
    struct perf_event_attr about = {
        .type = event_info[i].type,
        .size = PERF_ATTR_SIZE_VER0, // known to every kernel
        .config = event_info[i].config,
        .disabled = e->leader < 0, // a group that runs takes no more at once
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                       PERF_FORMAT_TOTAL_TIME_RUNNING};
    e->files[i] = door->open(&about, e->leader);
    e->refused[i] = e->files[i] < 0 ? errno : 0;
    if (e->leader < 0) e->leader = e->files[i];
  }
  if (e->leader >= 0) door->start(e->leader);
}

void events_read(ThreadEvents *e, uint64_t *sums) {
  enum { NUMBER, ENABLED, RUNNING, FIRST_VALUE };
  uint64_t now[FIRST_VALUE + WORK_EVENTS] = {0};
  const ssize_t least = FIRST_VALUE * sizeof *now;
  if (e->leader < 0 || e->door->read(e->leader, now, sizeof now) < least)
    return;
  e->enabled = now[ENABLED];
  e->running = now[RUNNING];
  const uint64_t *value = &now[FIRST_VALUE];
  for (int i = 0; i < WORK_EVENTS; i++) {
    if (e->files[i] < 0) continue;
    assert(value < now + sizeof now / sizeof *now && "more than were opened");
    sums[i] += *value - e->last[i];
    e->last[i] = *value++;
  }
}

void events_close(ThreadEvents *e) {
  for (int i = WORK_EVENTS - 1; i >= 0; i--) {
    if (e->files[i] >= 0) e->door->close(e->files[i]);
  }
}

const char *events_why(int error) {
  switch (error) {
  case EACCES:
  case EPERM: return "the system does not permit it";
  case EMFILE:
  case ENFILE: return "too many files are open";
  case ENOSYS: return "this kernel has no counters";
  default: return "this machine does not count them";
  }
}
