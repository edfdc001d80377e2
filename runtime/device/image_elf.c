// image_elf.c -- makes an image of a relocatable ELF object for x86-64.
//
// Executable sections come first, then constants, then the table.  Every number
// of the object is checked before it is used.  An object with unknown parts is
// refused, and LLVM links it instead.
#include "runtime/device/image.h"

#include "ir/base/base.h"

#include <elf.h>
#include <string.h>

enum { STUB_BYTES = 8, MOST_BYTES = 1 << 28 };

typedef struct {
  Arena *arena;
  const char *object;
  size_t size;
  const Elf64_Shdr *sections;
  size_t num_sections;
  size_t *offsets; // of each section in the image; NOWHERE: not in it
  const Elf64_Sym *symbols;
  size_t num_symbols;
  const char *names; // of the symbols, `names_size` bytes that end with a NUL
  size_t names_size;
  Vec(const char *) imports;
  size_t *import_of; // import number of each symbol that is an import
  size_t stubs, table, text_end, end;
  unsigned char *bytes;
} ImageMaker;

#define NOWHERE SIZE_MAX

// -- Parts of the object -----------------------------------------------------

static bool is_within(const ImageMaker *m, uint64_t offset, uint64_t size) {
  return offset <= m->size && size <= m->size - offset;
}

// A table of the object, copied so that it is aligned; NULL: it is not within
// the object.
static const void *read_table(const ImageMaker *m, uint64_t offset,
                              uint64_t count, size_t size, size_t align) {
  if (count > MOST_BYTES / size || !is_within(m, offset, count * size))
    return NULL;
  void *copy = arena_alloc(m->arena, (size_t)count + 1, size, align);
  memcpy(copy, m->object + offset, (size_t)count * size);
  return copy;
}

static bool read_head(ImageMaker *m) {
  Elf64_Ehdr head;
  if (m->size < sizeof head) return false;
  memcpy(&head, m->object, sizeof head);
  if (memcmp(head.e_ident, ELFMAG, SELFMAG) ||
      head.e_ident[EI_CLASS] != ELFCLASS64 ||
      head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_type != ET_REL ||
      head.e_machine != EM_X86_64 || head.e_shentsize != sizeof(Elf64_Shdr))
    return false;
  m->num_sections = head.e_shnum;
  m->sections = read_table(m, head.e_shoff, head.e_shnum, sizeof(Elf64_Shdr),
                           alignof(Elf64_Shdr));
  return m->sections != NULL;
}

static bool read_names(ImageMaker *m, const Elf64_Shdr *section) {
  if (section->sh_type != SHT_STRTAB || !section->sh_size ||
      !is_within(m, section->sh_offset, section->sh_size))
    return false;
  m->names = m->object + section->sh_offset;
  m->names_size = (size_t)section->sh_size;
  return !m->names[m->names_size - 1];
}

static bool read_symbols(ImageMaker *m) {
  for (size_t i = 0; i < m->num_sections; i++) {
    const Elf64_Shdr *section = &m->sections[i];
    if (section->sh_type != SHT_SYMTAB) continue;
    m->num_symbols = (size_t)(section->sh_size / sizeof(Elf64_Sym));
    m->symbols = read_table(m, section->sh_offset, m->num_symbols,
                            sizeof(Elf64_Sym), alignof(Elf64_Sym));
    return m->symbols && section->sh_link < m->num_sections &&
           read_names(m, &m->sections[section->sh_link]);
  }
  return false;
}

static const char *name_of(const ImageMaker *m, const Elf64_Sym *symbol) {
  return symbol->st_name < m->names_size ? m->names + symbol->st_name : "";
}

// -- Places of the sections --------------------------------------------------

static size_t rounded(size_t size, size_t align) {
  return (size + align - 1) / align * align;
}

// Whether the section has only constants or code.
static bool is_plain(const ImageMaker *m, const Elf64_Shdr *section) {
  const uint64_t align = section->sh_addralign;
  return section->sh_type == SHT_PROGBITS &&
         !(section->sh_flags & (SHF_WRITE | SHF_TLS)) && align <= IMAGE_PAGE &&
         !(align & (align - 1)) &&
         is_within(m, section->sh_offset, section->sh_size);
}

static bool place_sections(ImageMaker *m, bool is_text, size_t *at) {
  for (size_t i = 0; i < m->num_sections; i++) {
    const Elf64_Shdr *section = &m->sections[i];
    if (!(section->sh_flags & SHF_ALLOC) || !section->sh_size ||
        is_text != ((section->sh_flags & SHF_EXECINSTR) != 0))
      continue;
    if (!is_plain(m, section)) return false;
    const size_t align = section->sh_addralign ? section->sh_addralign : 1;
    m->offsets[i] = rounded(*at, align);
    *at = m->offsets[i] + (size_t)section->sh_size;
    if (*at > MOST_BYTES) return false;
  }
  return true;
}

static void find_imports(ImageMaker *m) {
  m->import_of = arena_array(m->arena, size_t, m->num_symbols + 1);
  for (size_t i = 1; i < m->num_symbols; i++) {
    if (m->symbols[i].st_shndx != SHN_UNDEF) continue;
    m->import_of[i] = m->imports.count;
    vec_push(m->arena, &m->imports, name_of(m, &m->symbols[i]));
  }
}

static bool place_all(ImageMaker *m) {
  size_t at = 0;
  m->offsets = arena_array(m->arena, size_t, m->num_sections + 1);
  for (size_t i = 0; i < m->num_sections; i++) m->offsets[i] = NOWHERE;
  find_imports(m);
  if (!place_sections(m, true, &at)) return false;
  m->stubs = rounded(at, STUB_BYTES);
  m->text_end = rounded(m->stubs + m->imports.count * STUB_BYTES, IMAGE_PAGE);
  at = m->text_end;
  if (!place_sections(m, false, &at)) return false;
  m->table = rounded(at, sizeof(uint64_t));
  m->end = rounded(m->table + m->imports.count * sizeof(uint64_t), IMAGE_PAGE);
  return true;
}

static void put_distance(ImageMaker *m, size_t at, int64_t distance) {
  const int32_t word = (int32_t)distance;
  memcpy(m->bytes + at, &word, sizeof word);
}

// jmp *[rip + distance to the table]
static void write_stubs(ImageMaker *m) {
  for (size_t i = 0; i < m->imports.count; i++) {
    const size_t at = m->stubs + i * STUB_BYTES;
    const size_t entry = m->table + i * sizeof(uint64_t);
    m->bytes[at] = 0xFF;
    m->bytes[at + 1] = 0x25;
    put_distance(m, at + 2, (int64_t)entry - (int64_t)(at + 6));
  }
}

static void copy_sections(ImageMaker *m) {
  m->bytes = arena_alloc(m->arena, m->end, 1, 16);
  for (size_t i = 0; i < m->num_sections; i++) {
    const Elf64_Shdr *section = &m->sections[i];
    if (m->offsets[i] != NOWHERE)
      memcpy(m->bytes + m->offsets[i], m->object + section->sh_offset,
             (size_t)section->sh_size);
  }
  write_stubs(m);
}

// -- Relocations -------------------------------------------------------------

// The offset of a symbol in the image; that of an import is its stub's.
static bool find_symbol(const ImageMaker *m, size_t index, int64_t *out) {
  if (index >= m->num_symbols) return false;
  const Elf64_Sym *symbol = &m->symbols[index];
  if (symbol->st_shndx == SHN_UNDEF) {
    *out = (int64_t)(m->stubs + m->import_of[index] * STUB_BYTES);
    return index > 0;
  }
  if (symbol->st_shndx >= m->num_sections ||
      m->offsets[symbol->st_shndx] == NOWHERE ||
      symbol->st_value > m->sections[symbol->st_shndx].sh_size)
    return false;
  *out = (int64_t)(m->offsets[symbol->st_shndx] + symbol->st_value);
  return true;
}

static bool relocate(ImageMaker *m, const Elf64_Rela *rela, size_t section) {
  const uint64_t type = ELF64_R_TYPE(rela->r_info);
  const size_t index = (size_t)ELF64_R_SYM(rela->r_info);
  const uint64_t size = m->sections[section].sh_size;
  int64_t target;
  if (size < 4 || rela->r_offset > size - 4 || !find_symbol(m, index, &target))
    return false;
  // A call may go through the stub; a function's address may not.
  const bool is_import = m->symbols[index].st_shndx == SHN_UNDEF;
  if (type != R_X86_64_PLT32 && (type != R_X86_64_PC32 || is_import))
    return false;
  if (rela->r_addend > MOST_BYTES || rela->r_addend < -MOST_BYTES) return false;
  const size_t at = m->offsets[section] + (size_t)rela->r_offset;
  put_distance(m, at, target + rela->r_addend - (int64_t)at);
  return true;
}

static bool relocate_section(ImageMaker *m, const Elf64_Shdr *section) {
  const size_t count = (size_t)(section->sh_size / sizeof(Elf64_Rela));
  const size_t of = section->sh_info;
  if (of >= m->num_sections) return false;
  if (m->offsets[of] == NOWHERE) return true; // debug sections
  const Elf64_Rela *rows = read_table(m, section->sh_offset, count,
                                      sizeof *rows, alignof(Elf64_Rela));
  for (size_t i = 0; rows && i < count; i++) {
    if (!relocate(m, &rows[i], of)) return false;
  }
  return rows != NULL;
}

static bool relocate_all(ImageMaker *m) {
  for (size_t i = 0; i < m->num_sections; i++) {
    const Elf64_Shdr *section = &m->sections[i];
    if (section->sh_type == SHT_REL) return false;
    if (section->sh_type == SHT_RELA && !relocate_section(m, section))
      return false;
  }
  return true;
}

// -- The image ---------------------------------------------------------------

static bool find_entry(const ImageMaker *m, const char *name, size_t *out) {
  int64_t at;
  for (size_t i = 1; i < m->num_symbols; i++) {
    if (m->symbols[i].st_shndx == SHN_UNDEF ||
        strcmp(name_of(m, &m->symbols[i]), name) || !find_symbol(m, i, &at))
      continue;
    *out = (size_t)at;
    return *out < m->stubs;
  }
  return false;
}

bool image_make(Arena *arena, const char *object, size_t size,
                const char *symbol, Image *out) {
  ImageMaker m = {.arena = arena, .object = object, .size = size};
  if (!read_head(&m) || !read_symbols(&m) || !place_all(&m)) return false;
  copy_sections(&m);
  if (!relocate_all(&m) || !find_entry(&m, symbol, &out->entry)) return false;
  out->bytes = m.bytes;
  out->size = m.end;
  out->text_size = m.text_end;
  out->table = m.table;
  out->imports = m.imports.items;
  out->num_imports = (int)m.imports.count;
  return true;
}
