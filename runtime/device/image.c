// image.c -- loads an image as code that can be called.
//
// For example, an image of 8192 bytes has 4096 bytes of text, and calls memset
// and fma.  Its bytes are copied to new pages, and the addresses of the two
// functions to `table` and `table` + 8, where the text's calls find them.  Then
// the first page may be read and executed, and the second one only read.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "runtime/device/image.h"

#include "runtime/base/base.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

// A function that LLVM generates calls of.
typedef union {
  void *(*copy)(void *, const void *, size_t);
  void *(*fill)(void *, int, size_t);
  double (*fma)(double, double, double);
  float (*fmaf)(float, float, float);
  double (*round)(double);
  float (*roundf)(float);
} Callee;

static const struct {
  const char *name;
  Callee callee;
} imports[] = {
#define IMPORT(name, kind, function) {name, {.kind = function}},
#include "runtime/base/imports.def"
};

void *image_import(const char *name) {
  void *address = NULL;
  for (size_t i = 0; i < sizeof imports / sizeof *imports; i++) {
    // ISO C has no conversion from a function pointer to an object pointer.
    if (!strcmp(imports[i].name, name))
      memcpy(&address, &imports[i].callee, sizeof address);
  }
  return address;
}

static bool fill_table(const Image *image, unsigned char *at) {
  for (int i = 0; i < image->num_imports; i++) {
    void *address = image_import(image->imports[i]);
    if (!address) {
      errno = ENOSYS;
      return false;
    }
    memcpy(at + image->table + (size_t)i * sizeof address, &address,
           sizeof address);
  }
  return true;
}

static bool protect(const Image *image, unsigned char *at) {
  const size_t rest = image->size - image->text_size;
  return !mprotect(at, image->text_size, PROT_READ | PROT_EXEC) &&
         (!rest || !mprotect(at + image->text_size, rest, PROT_READ));
}

void *image_load(const Image *image, LoadedImage *out) {
  assert(image->entry < image->text_size &&
         image->text_size <= image->size); // I12
  unsigned char *at = mmap(NULL, image->size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *out = (LoadedImage){NULL, 0};
  if (at == MAP_FAILED) return NULL;
  memcpy(at, image->bytes, image->size);
  if (!fill_table(image, at) || !protect(image, at)) {
    munmap(at, image->size);
    return NULL;
  }
  *out = (LoadedImage){at, image->size};
  return at + image->entry;
}

void image_unload(LoadedImage *image) {
  if (image->at) munmap(image->at, image->size);
  image->at = NULL;
}
