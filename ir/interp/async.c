// async.c -- asynchronous copies, and the barriers that count them.
//
// A copy reads its source when it starts; its destination is poison until a
// wait completes it.  A bulk copy completes as late as possible, when a wait
// needs its barrier, so that a missing wait is found.
//
// For example, a `load_shared` of a buffer behind its `async_copy` and
// `async_commit` gives poison; behind an `async_wait {count = 0}`, too, it
// gives the values that memory had when the copy started.
#include "ir/interp/run.h"

#include "ir/errors.h"

#include <assert.h>

// -- Copies ------------------------------------------------------------------

static Copy *take_free(Run *r, int64_t count) {
  for (Copy **link = &r->free_copies; *link; link = &(*link)->next) {
    Copy *copy = *link;
    if (copy->capacity < count) continue;
    *link = copy->next;
    assert(copy->capacity >= count && "a copy too small to be used"); // I6
    return copy;
  }
  Copy *copy = arena_new(r->arena, Copy);
  copy->data = arena_array(r->arena, Cell, count);
  copy->capacity = count;
  return copy;
}

// Marks the cells that a copy will write as poison; nothing if the buffer is
// gone.
static void mark_target(Run *r, const Copy *copy) {
  assert(copy->count == copy->type->num_elements &&
         copy->count <= copy->capacity); // I6
  Buffer *buffer = &r->buffers.items[copy->view[0].i];
  Cell *marks = r->scratch[2];
  cells_fill(marks, copy->count, (Cell){.i = UNDEFINED});
  const Box box = view_box(copy->type, copy->view);
  if (buffer->live) box_scatter(&box, buffer->marks, marks);
}

// Appends a copy of `count` elements to the view; the caller fills its data.
static Copy *start_copy(Run *r, const InterpInst *in, const Slot *view,
                        int64_t barrier) {
  if (!view_buffer(r, in, view->cells)) return NULL;
  Copy *copy = take_free(r, view->type->num_elements);
  copy->next = NULL;
  copy->type = view->type;
  copy->count = view->type->num_elements;
  copy->group = 0;
  copy->barrier = barrier;
  cells_copy(copy->view, view->cells, view->count);
  Copy **link = &r->copies;
  while (*link) link = &(*link)->next;
  *link = copy;
  mark_target(r, copy);
  return copy;
}

// Unlinks *link.  Cells that another pending copy will write stay poison.
static void end_copy(Run *r, Copy **link) {
  Copy *copy = *link;
  Buffer *buffer = &r->buffers.items[copy->view[0].i];
  const Box box = view_box(copy->type, copy->view);
  *link = copy->next;
  if (buffer->live) {
    cells_fill(r->scratch[2], copy->count, (Cell){0});
    box_scatter(&box, buffer->cells, copy->data);
    box_scatter(&box, buffer->marks, r->scratch[2]);
  }
  for (const Copy *other = r->copies; other; other = other->next) {
    if (other->view[0].i == copy->view[0].i) mark_target(r, other);
  }
  copy->next = r->free_copies;
  r->free_copies = copy;
}

bool exec_async_copy(Run *r, const InterpInst *in) {
  Slot *out = in->out[0];
  const Slot *ptr = in->in[0];
  Copy *copy = start_copy(r, in, in->in[1], -1);
  if (!copy) return false;
  Slot target = {.type = ptr->type,
                 .count = ptr->count,
                 .capacity = ptr->count,
                 .cells = copy->data,
                 .marks = r->scratch[3]};
  const Slot *other = inst_group(in, 3);
  out->cells[0].i = 0;
  return load_lanes(r, in, ptr, inst_group(in, 2), other, &target) &&
         slot_defined(r, in, &target, "'other'");
}

bool exec_async_commit(Run *r, const InterpInst *in) {
  r->groups++;
  for (Copy *copy = r->copies; copy; copy = copy->next) {
    if (!copy->group && copy->barrier < 0) copy->group = r->groups;
  }
  in->out[0]->cells[0].i = r->groups;
  return true;
}

bool exec_async_wait(Run *r, const InterpInst *in) {
  const int64_t ended = r->groups - op_int(in->op, ATTR_count);
  for (Copy **link = &r->copies; *link;) {
    const Copy *copy = *link;
    if (copy->group && copy->group <= ended) {
      end_copy(r, link);
    } else {
      link = &(*link)->next;
    }
  }
  in->out[0]->cells[0].i = ended;
  return true;
}

// -- Barriers ----------------------------------------------------------------

static MBarrier *barrier_of(Run *r, const Slot *slot) {
  assert((uint64_t)slot->cells[0].i < r->barriers.count); // I7
  return &r->barriers.items[slot->cells[0].i];
}

static void end_phase(MBarrier *barrier) {
  if (barrier->arrivals > 0 || barrier->bytes != 0) return;
  barrier->phase++;
  barrier->arrivals += barrier->count;
}

bool exec_mbarrier_alloc(Run *r, const InterpInst *in) {
  const int64_t count = op_int(in->op, ATTR_count);
  for (int64_t i = 0; i < mbarrier_size(in->op); i++) {
    r->barriers.items[in->object + i] =
        (MBarrier){.count = count, .arrivals = count};
  }
  in->out[0]->cells[0].i = in->object;
  return true;
}

bool exec_mbarrier_index(Run *r, const InterpInst *in) {
  if (!slot_defined(r, in, in->in[1], "the index")) return false;
  const int64_t index = in->in[1]->cells[0].i;
  const int64_t size = mbarrier_size(mbarrier_alloc_of(op_operand(in->op, 0)));
  if (index < 0 || index >= size) {
    diag_error(r->diags, in->op->loc, ERROR_index_out_of_bounds,
               (long long)index, (long long)size);
    return run_stop(r, in);
  }
  in->out[0]->cells[0].i = in->in[0]->cells[0].i + index;
  return true;
}

// An optional scalar; false if it is poison.
static bool read_mask(Run *r, const InterpInst *in, int group, bool *on) {
  const Slot *mask = inst_group(in, group);
  *on = true;
  if (!mask) return true;
  *on = mask->cells[0].i & 1;
  return slot_defined(r, in, mask, "the mask");
}

bool exec_mbarrier_expect(Run *r, const InterpInst *in) {
  MBarrier *barrier = barrier_of(r, in->in[0]);
  bool on;
  if (!read_mask(r, in, 1, &on)) return false;
  if (!on) return true;
  barrier->bytes += op_int(in->op, ATTR_count);
  barrier->arrivals--;
  roles_arrive(r);
  end_phase(barrier);
  return true;
}

bool exec_mbarrier_arrive(Run *r, const InterpInst *in) {
  MBarrier *barrier = barrier_of(r, in->in[0]);
  const Attr *count = op_attr(in->op, ATTR_count);
  barrier->arrivals -= count ? count->as.i : 1;
  roles_arrive(r);
  end_phase(barrier);
  return true;
}

// The oldest pending copy that a barrier counts; NULL if there is none.
static Copy **oldest_copy(Run *r, int64_t barrier) {
  Copy **link = &r->copies;
  while (*link && (*link)->barrier != barrier) link = &(*link)->next;
  return *link ? link : NULL;
}

static int64_t copy_bytes(const Copy *copy) {
  return copy->count * (int64_t)type_bytes(copy->type->element);
}

// Completes copies until the barrier is in a phase of the other parity; or lets
// the other role run first, after which this one waits again.
static bool wait_for(Run *r, const InterpInst *in, int64_t parity) {
  MBarrier *barrier = barrier_of(r, in->in[0]);
  while ((barrier->phase & 1) == parity) {
    Copy **link = oldest_copy(r, in->in[0]->cells[0].i);
    if (!link && roles_turn(r, in)) return true;
    if (!link) {
      diag_error(r->diags, in->op->loc, ERROR_waits_for_ever,
                 (long long)barrier->arrivals, (long long)barrier->bytes);
      return run_stop(r, in);
    }
    barrier->bytes -= copy_bytes(*link);
    end_copy(r, link);
    end_phase(barrier);
  }
  return true;
}

bool exec_mbarrier_wait(Run *r, const InterpInst *in) {
  if (!slot_defined(r, in, in->in[1], "the phase")) return false;
  return wait_for(r, in, in->in[1]->cells[0].i & 1);
}

bool exec_mbarrier_await(Run *r, const InterpInst *in) {
  MBarrier *barrier = barrier_of(r, in->in[0]);
  const int64_t phase = barrier->awaited & 1;
  const bool ok = wait_for(r, in, phase);
  if ((barrier->phase & 1) != phase) barrier->awaited++;
  return ok;
}

bool exec_copy_desc(Run *r, const InterpInst *in) {
  const Slot *desc = in->in[0], *view = in->in[1];
  const int64_t barrier = in->in[2]->cells[0].i;
  bool on;
  if (!read_mask(r, in, 4, &on)) return false;
  if (!on) return true;
  Copy *copy = start_copy(r, in, view, barrier);
  return copy &&
         load_desc_block(r, in, desc->type, desc, in->in + 3, copy->data);
}

// The copy reads the buffer when it starts.
bool exec_copy_to_desc(Run *r, const InterpInst *in) {
  const Slot *desc = in->in[0], *view = in->in[1];
  Slot tile = {.type = view->type,
               .count = view->type->num_elements,
               .cells = r->scratch[0],
               .marks = r->scratch[1],
               .poisoned = true};
  return view_read(r, in, view, tile.cells, tile.marks) &&
         store_desc_block(r, in, desc, in->in + 2, &tile);
}

// The address, and whether it is written, of each element of the buffer: in
// planes 2 and 3.
static void spread_rows(Run *r, const Slot *ptr, const Slot *mask,
                        const Type *buffer, int64_t bytes) {
  const int64_t columns = buffer->shape[1];
  for (int64_t i = 0; i < buffer->num_elements; i++) {
    const int64_t row = i / columns;
    r->scratch[2][i].u = ptr->cells[row].u + (uint64_t)(i % columns * bytes);
    r->scratch[3][i].i = !mask || mask->cells[mask->count > 1 ? row : 0].i;
  }
}

bool exec_copy_rows(Run *r, const InterpInst *in) {
  const Slot *ptr = in->in[0], *view = in->in[1], *mask = inst_group(in, 2);
  const Type *element = view->type->element;
  const int64_t count = view->type->num_elements;
  Slot tile = {.type = view->type,
               .count = count,
               .cells = r->scratch[0],
               .marks = r->scratch[1],
               .poisoned = true};
  if (mask && !slot_defined(r, in, mask, "the mask")) return false;
  if (!slot_defined(r, in, ptr, "an address")) return false;
  if (!view_read(r, in, view, tile.cells, tile.marks)) return false;
  spread_rows(r, ptr, mask, view->type, (int64_t)type_bytes(element));
  if (!lanes_defined(r, in, &tile, r->scratch[3], "the value")) return false;
  cells_encode(tile.cells, count, element);
  return write_bits(r, in, count, r->scratch[2], r->scratch[3],
                    type_bytes(element), tile.cells);
}

bool exec_bulk_wait(Run *r, const InterpInst *in) {
  (void)r, (void)in;
  return true;
}

bool exec_bulk_wait_read(Run *r, const InterpInst *in) {
  (void)r, (void)in;
  return true;
}

bool exec_async_fence(Run *r, const InterpInst *in) {
  (void)r, (void)in;
  return true;
}
