// build_id.c -- the build IDs in the notes of loaded objects.
#define _GNU_SOURCE // dl_iterate_phdr
#include "runtime/disk/build_id.h"

#include <link.h>
#include <llvm-c/blake3.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NOTE_BUILD_ID = 3, MAX_ID = 64 };

typedef struct {
  uintptr_t address; // an address in the object whose ID is wanted
  char text[2 * MAX_ID + 1];
} IdSearch;

static bool has_address(const struct dl_phdr_info *object, uintptr_t address) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && address >= begin &&
        address - begin < part->p_memsz)
      return true;
  }
  return false;
}

static size_t rounded(size_t size) {
  return (size + 3) & ~(size_t)3;
}

static void write_id(const unsigned char *id, size_t size, IdSearch *out) {
  if (size > MAX_ID) size = MAX_ID;
  for (size_t i = 0; i < size; i++)
    snprintf(out->text + 2 * i, 3, "%02x", id[i]);
}

static void read_notes(const unsigned char *at, size_t size, IdSearch *out) {
  ElfW(Nhdr) note;
  while (size >= sizeof note) {
    memcpy(&note, at, sizeof note);
    const size_t name = rounded(note.n_namesz), id = rounded(note.n_descsz);
    const unsigned char *text = at + sizeof note;
    if (name > size - sizeof note || id > size - sizeof note - name) return;
    if (note.n_type == NOTE_BUILD_ID && note.n_namesz == sizeof "GNU" &&
        !memcmp(text, "GNU", sizeof "GNU"))
      write_id(text + name, note.n_descsz, out);
    at += sizeof note + name + id;
    size -= sizeof note + name + id;
  }
}

static int look_at(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  IdSearch *search = data;
  if (!has_address(object, search->address)) return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_NOTE)
      read_notes((const unsigned char *)begin, part->p_memsz, search);
  }
  return 1;
}

void build_id_find(char *out, size_t size) {
  IdSearch own = {.address = (uintptr_t)build_id_find};
  IdSearch llvm = {.address = (uintptr_t)llvm_blake3_version};
  dl_iterate_phdr(look_at, &own);
  dl_iterate_phdr(look_at, &llvm);
  const bool found = *own.text && *llvm.text;
  snprintf(out, size, "%s%s%s", found ? own.text : "", found ? " " : "",
           found ? llvm.text : "");
}
