// memos.h -- the clocks that a lane has released, or read, at words.
//
// A write after a release of the same word continues the release sequence, and
// an acquire after a relaxed read acquires the clock that the read has found,
// even if the word was written since.  A lane keeps the words of its last few
// accesses; earlier ones share places by a hash, so that they may order more
// than they should.
#ifndef TILE_SIMULATOR_MEMOS_H
#define TILE_SIMULATOR_MEMOS_H

#include "runtime/simulator/order/word_clocks.h"

// The memos of one lane; all zero: none.
typedef struct WordMemos {
  struct WordMemo *latest;
  Clock *rest[2]; // by reach: the CTA, the GPU
  uint32_t rest_words;
} WordMemos;

void memos_forget(WordMemos *memos);
// `is_short`: keep the word with the earlier ones.
void memos_keep(WordMemos *memos, const WordClocks *word, Clock *near,
                Clock *far, bool is_short);
// Memo number i of the word; of all words, if the word shares its clocks.
// NULL: there is none.  The memos keep the reference.
Clock *memos_recall(WordMemos *memos, const WordClocks *word, int i);

#endif
