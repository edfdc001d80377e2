// peer.c -- the time that a command measured, from the end of its output.
#define _DEFAULT_SOURCE // popen
#include "runtime/tools/parts/figures.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

// Reads all, and keeps the end; returns its length.
static size_t read_end(FILE *from, char *out, size_t size) {
  size_t length = 0, got;
  while ((got = fread(out + length, 1, size - 1 - length, from))) {
    length += got;
    if (length < size - 1) continue;
    memmove(out, out + size / 2, length -= size / 2);
  }
  out[length] = '\0';
  return length;
}

static const char *last_word(char *text, size_t length) {
  while (length && isspace((unsigned char)text[length - 1]))
    text[--length] = '\0';
  while (length && !isspace((unsigned char)text[length - 1])) length--;
  return text + length;
}

// A peer that measured nothing says "nan" or "inf": 0.
static bool read_ms(const char *word, double *ms) {
  char *end;
  *ms = strtod(word, &end);
  if (end == word || *end) return false;
  if (isfinite(*ms)) return *ms > 0;
  *ms = 0;
  return !isdigit((unsigned char)end[-1]); // too big a number is none
}

// The reason for a status of pclose() that is not 0.
static const char *end_of(Arena *arena, int status) {
  if (status > 0 && WIFEXITED(status))
    return arena_printf(arena, "fails with code %d", WEXITSTATUS(status));
  if (status > 0 && WIFSIGNALED(status))
    return arena_printf(arena, "is ended by signal %d", WTERMSIG(status));
  return "fails";
}

const char *figure_of_command(Arena *arena, const char *command, Figure *out) {
  char text[4096];
  double ms;
  fflush(stdout);
  FILE *pipe = popen(command, "r");
  if (!pipe) return "cannot be started";
  const size_t length = read_end(pipe, text, sizeof text);
  const int status = pclose(pipe);
  if (status) return end_of(arena, status);
  if (!read_ms(last_word(text, length), &ms))
    return "prints no milliseconds at its end";
  double seconds = ms / 1e3;
  *out = figure_of(&seconds, seconds > 0);
  return NULL;
}
