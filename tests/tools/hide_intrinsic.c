// hide_intrinsic.c -- simulates an LLVM without the intrinsic or attribute
// $TILE_HIDE_INTRINSIC.
//
// A preloaded library between the compiler and LLVM's library.
#define _GNU_SOURCE // RTLD_NEXT
#include <llvm-c/Core.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned Lookup(const char *, size_t);

// The answer of LLVM's own `function`; 0 for the hidden name.
static unsigned ask(const char *function, const char *name, size_t length) {
  const char *hidden = getenv("TILE_HIDE_INTRINSIC");
  if (hidden && strlen(hidden) == length && !memcmp(name, hidden, length))
    return 0;
  union {
    void *address;
    Lookup *function;
  } next = {dlsym(RTLD_NEXT, function)};
  return next.function(name, length);
}

unsigned LLVMLookupIntrinsicID(const char *name, size_t length) {
  return ask("LLVMLookupIntrinsicID", name, length);
}

unsigned LLVMGetEnumAttributeKindForName(const char *name, size_t length) {
  return ask("LLVMGetEnumAttributeKindForName", name, length);
}
