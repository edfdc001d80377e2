// host_code.h -- object code in memory, ready to be called.
//
// Any number of threads may add, look up and remove on one HostCode.  A failure
// sets `why` to a sentence, or to "" if memory ran out.
#ifndef TILE_RUNTIME_HOST_CODE_H
#define TILE_RUNTIME_HOST_CODE_H

#include "ir/base/base.h"

typedef struct HostCode HostCode;
typedef struct HostObject HostObject;

// Asks Linux for the registers of AMX, for all threads of the process; false:
// code may not use them.  Frames of signals then have 8 KB more.
bool host_code_may_use_amx(void);

// NULL on failure.
HostCode *host_code_create(const Allocator *from, char *why, size_t why_size);
void host_code_destroy(HostCode *code);

// Links `size` bytes of an ELF object and finds `symbol` in it; NULL on
// failure.  The bytes are copied.
HostObject *host_code_add(HostCode *code, const char *bytes, size_t size,
                          const char *symbol, void **address, char *why,
                          size_t why_size);
// Finds another symbol of an object.
bool host_code_find(HostCode *code, HostObject *object, const char *symbol,
                    void **address, char *why, size_t why_size);
void host_code_remove(HostCode *code, HostObject *object);

#endif
