// image.h -- position-independent code for the CPU.
//
// An image is text, then constants, then a table with the addresses of outside
// functions; distances within it are fixed, so nothing is left to relocate.
// Its pages are written, then made executable, never both at once.
#ifndef TILE_RUNTIME_IMAGE_H
#define TILE_RUNTIME_IMAGE_H

#include "ir/base/base.h"

#include <stdint.h>

enum { IMAGE_PAGE = 4096 };

typedef struct {
  const unsigned char *bytes; // `size` of them: whole pages
  size_t size;
  size_t text_size; // size of the executable pages
  size_t entry;     // offset of the kernel's first instruction
  size_t table;     // offset of the addresses, one for each import
  const char *const *imports;
  int num_imports;
} Image;

// Makes an image of a relocatable ELF object, for the function `symbol`.
// False: the object is broken, for another processor, or contains something
// that an image cannot hold, for example writable data.  Everything is in the
// arena.
bool image_make(Arena *arena, const char *object, size_t size,
                const char *symbol, Image *out);

typedef struct {
  void *at; // NULL: nothing is loaded
  size_t size;
} LoadedImage;

// The process's function of that name; NULL: an image may not call it.
void *image_import(const char *name);
// The address of the image's entry; NULL: errno says why.  ENOMEM: memory ran
// out; ENOSYS: an import is unknown; else the system does not allow execution.
void *image_load(const Image *image, LoadedImage *out);
void image_unload(LoadedImage *image);

#endif
