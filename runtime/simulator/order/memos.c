// memos.c -- the clocks that a lane has released, or read, at words.
#include "runtime/simulator/order/memos.h"

#include <stdlib.h>
#include <string.h>

// Words with memos of their own, the latest first.
enum { NUM_LATEST = 4 };
// The word may be gone: its page may have got one record for all words.
typedef struct WordMemo {
  const WordClocks *word; // NULL: none
  uint16_t number;        // of the word
  Clock *clocks[2];
} WordMemo;

static uint32_t bit_of(uint16_t number) {
  const uint32_t hash = number * 2654435769u;
  return UINT32_C(1) << (hash >> 27);
}

// Moves the memo to those of earlier words.
static void give_up(WordMemos *memos, WordMemo *memo) {
  if (!memo->word) return;
  memos->rest_words |= bit_of(memo->number);
  for (int i = 0; i < 2; i++) {
    clock_add(&memos->rest[i], memo->clocks[i]);
    clock_drop(memo->clocks[i]);
  }
  *memo = (WordMemo){.word = NULL};
}

static void give_up_all(WordMemos *memos) {
  for (int i = 0; memos->latest && i < NUM_LATEST; i++)
    give_up(memos, &memos->latest[i]);
  free(memos->latest);
  memos->latest = NULL;
}

void memos_forget(WordMemos *memos) {
  for (int i = 0; memos->latest && i < NUM_LATEST; i++)
    for (int j = 0; j < 2; j++) clock_drop(memos->latest[i].clocks[j]);
  free(memos->latest);
  clock_drop(memos->rest[0]);
  clock_drop(memos->rest[1]);
  *memos = (WordMemos){.latest = NULL};
}

static void keep_apart(WordMemos *memos, WordMemo *added) {
  WordMemo *latest = memos->latest;
  int i = 0;
  while (i < NUM_LATEST - 1 && latest[i].word && latest[i].word != added->word)
    i++;
  if (latest[i].word == added->word) {
    clock_add(&added->clocks[0], latest[i].clocks[0]);
    clock_add(&added->clocks[1], latest[i].clocks[1]);
    clock_drop(latest[i].clocks[0]);
    clock_drop(latest[i].clocks[1]);
  } else {
    give_up(memos, &latest[i]);
  }
  memmove(latest + 1, latest, (size_t)i * sizeof *latest);
  latest[0] = *added;
}

void memos_keep(WordMemos *memos, const WordClocks *word, Clock *near,
                Clock *far, bool is_short) {
  WordMemo added = {word, word->number, {clock_keep(near), clock_keep(far)}};
  if (is_short)
    give_up_all(memos);
  else if (!memos->latest)
    memos->latest = calloc(NUM_LATEST, sizeof *memos->latest);
  if (!is_short && memos->latest)
    keep_apart(memos, &added);
  else
    give_up(memos, &added);
}

Clock *memos_recall(WordMemos *memos, const WordClocks *word, int i) {
  if (word->is_shared) {
    give_up_all(memos);
    return memos->rest[i];
  }
  for (int j = 0; memos->latest && j < NUM_LATEST; j++)
    if (memos->latest[j].word == word) return memos->latest[j].clocks[i];
  return memos->rest_words & bit_of(word->number) ? memos->rest[i] : NULL;
}
