// edit.h -- texts that a mutation changes in place.
#ifndef TILE_TESTS_FUZZ_EDIT_H
#define TILE_TESTS_FUZZ_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_SIZE = 1 << 16 };

// Room for MAX_SIZE bytes where it is changed.
typedef struct {
  uint8_t *data;
  size_t size;
} Bytes;

typedef struct {
  size_t begin, end;
} Span;

// Below `limit`; 0 if that is 0.
size_t random_below(uint64_t *state, size_t limit);

// Replaces data[at..at+cut) by `length` bytes of `from`; does nothing where
// the result has no room.
void splice(Bytes *b, size_t at, size_t cut, const uint8_t *from,
            size_t length);
void replace_span(Bytes *b, Span span, const char *text);
void swap_spans(Bytes *b, Span x, Span y);

bool is_word(uint8_t c);
// The token around or after `at`; spaces of indentation are no tokens.
Span token_span(const Bytes *b, size_t at);
Span line_span(const Bytes *b, size_t at);

// One change after which the text often still means something: of a value, an
// operator, an argument, a name, a decorator, the indentation.
void mutate_meaning(Bytes *b, const Bytes *other, uint64_t *random);
// One change of any kind; some take pieces of `other`.  Both have room for
// MAX_SIZE bytes.
void mutate_text(Bytes *b, const Bytes *other, uint64_t *random);

#endif
