// image.h -- code of the CPU that runs wherever it lies.
//
// An image is text, then constants, then a table of addresses for what it calls
// outside; distances within it are fixed, so nothing is left to relocate.  It
// is written, then made executable, never both at once.
#ifndef TILE_RUNTIME_IMAGE_H
#define TILE_RUNTIME_IMAGE_H

#include "ir/base/base.h"

#include <stdint.h>

enum { IMAGE_PAGE = 4096 };

typedef struct {
  const unsigned char *bytes; // `size` of them: whole pages
  size_t size;
  size_t text_size; // of the pages that are executed
  size_t entry;     // where the kernel begins
  size_t table;     // where the addresses lie, one an import
  const char *const *imports;
  int num_imports;
} Image;

// Makes one of a relocatable ELF object, for the function `symbol`.  False: the
// object is broken, of another processor, or has what an image does not hold,
// data that is written say.  Everything is in the arena.
bool image_make(Arena *arena, const char *object, size_t size,
                const char *symbol, Image *out);

typedef struct {
  void *at; // NULL: nothing is loaded
  size_t size;
} LoadedImage;

// The process' function of that name; NULL: an image may not call it.
void *image_import(const char *name);
// The address of its entry; NULL: errno says why.  ENOMEM: memory ran out;
// ENOSYS: an import is unknown; else the system does not let it be executed.
void *image_load(const Image *image, LoadedImage *out);
void image_unload(LoadedImage *image);

#endif
