// ledger.c -- books: records of the mbarriers of a CTA, for reports.
#include "runtime/simulator/order/ledger.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/simulator/state/report.h"

typedef struct Ledger {
  Book *books;
  uint32_t count, room, last; // last: index of the book found last
} Ledger;

static Book *add_book(Ledger *ledger, uint32_t offset) {
  if (ledger->count == ledger->room) {
    const uint32_t room = ledger->room ? 2 * ledger->room : 8;
    Book *bigger = realloc(ledger->books, room * sizeof *bigger);
    if (!bigger) return NULL;
    ledger->books = bigger;
    ledger->room = room;
  }
  assert(ledger->count < ledger->room && "a book without a place"); // I5
  ledger->last = ledger->count++;
  Book *book = &ledger->books[ledger->last];
  *book = (Book){.offset = offset};
  return book;
}

Book *ledger_book(Cta *cta, uint32_t offset) {
  if (!cta->ledger) cta->ledger = calloc(1, sizeof *cta->ledger);
  Ledger *ledger = cta->ledger;
  if (!ledger) return NULL;
  if (ledger->last < ledger->count &&
      ledger->books[ledger->last].offset == offset)
    return &ledger->books[ledger->last];
  for (uint32_t i = 0; i < ledger->count; i++) {
    if (ledger->books[i].offset != offset) continue;
    ledger->last = i;
    return &ledger->books[i];
  }
  return add_book(ledger, offset);
}

void ledger_ask(Cta *cta, uint32_t offset, const Warp *warp,
                const Question *question) {
  Book *book = ledger_book(cta, offset);
  if (!book) return;
  const Question before = book->questions[warp->index];
  const uint32_t own = UINT32_C(1) << question->lane;
  Question *now = &book->questions[warp->index];
  *now = *question;
  now->phase = book->phase;
  now->lanes = before.phase == book->phase ? before.lanes : 0;
  if (!question->is_over) return;
  if (now->lanes & own && !book->repeat.inst)
    book->repeat =
        (Repeat){question->inst, (uint8_t)warp->index, question->parity};
  now->lanes |= own;
}

static const Book *repeated(const Cta *cta) {
  const Ledger *ledger = cta->ledger;
  for (uint32_t i = 0; ledger && i < ledger->count; i++)
    if (ledger->books[i].repeat.inst) return &ledger->books[i];
  return NULL;
}

void ledger_describe_repeat(const Cta *cta, char *out, size_t room) {
  const Book *book = repeated(cta);
  char place[400];
  *out = '\0';
  if (!book) return;
  report_place(cta->launch, book->repeat.inst, place, sizeof place);
  snprintf(out, room,
           "; warp %u has passed its wait for parity %u of the mbarrier at "
           "byte %u twice in one phase, at %s",
           book->repeat.warp, book->repeat.parity, book->offset, place);
}

void ledger_init(Cta *cta, uint32_t offset) {
  Book *book = ledger_book(cta, offset);
  if (!book) return;
  *book = (Book){.offset = offset,
                 .epoch = book->epoch + 1,
                 .unit = book->unit,
                 .num_under_way = book->num_under_way};
}

void ledger_over(Cta *cta, uint32_t offset) {
  Book *book = ledger_book(cta, offset);
  if (!book) return;
  book->phase++;
  book->epoch++;
  book->expected = book->came = 0;
}

void ledger_reset(Cta *cta) {
  if (cta->ledger) cta->ledger->count = 0;
}

void ledger_destroy(Cta *cta) {
  if (!cta->ledger) return;
  free(cta->ledger->books);
  free(cta->ledger);
  cta->ledger = NULL;
}
