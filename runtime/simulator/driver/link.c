// link.c -- linking PTX.
//
// The result is PTX, too: the texts one after the other, with the directives of
// the first.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/driver/jit.h"

typedef struct Link {
  DriverObject object;
  JitOptions jit;
  char *text;
  size_t length;
  unsigned num_texts;
} Link;

void link_clear(DriverObject *link) {
  free(((Link *)link)->text);
}

CUresult locked_cuLinkCreate_v2(unsigned num_options, int *options,
                                void **values, CUlinkState *out) {
  Context *context;
  JitOptions jit;
  CUresult error = context_check(&context);
  if (!error && !out) error = CUDA_ERROR_INVALID_VALUE;
  if (!error) error = jit_read(&jit, num_options, options, values);
  if (error) return error;
  Link *link = object_create(HANDLE_LINK, sizeof *link, context);
  if (!link) return CUDA_ERROR_OUT_OF_MEMORY;
  link->jit = jit;
  *out = link->object.handle;
  return CUDA_SUCCESS;
}

CUresult locked_cuLinkDestroy(CUlinkState handle) {
  Link *link;
  const CUresult error = object_check(HANDLE_LINK, handle, &link);
  if (!error) object_destroy(&link->object);
  return error;
}

// -- Texts -------------------------------------------------------------------

static bool parses(const char *text, PtxError *error) {
  PtxProgram program = {.file_name = NULL};
  program.ptx.pool = &program.pool;
  if (setjmp(program.pool.out_of_memory))
    ptx_error(error, 0, "out of memory");
  else
    ptx_parse(text, &program.ptx, error);
  pool_free(&program.pool);
  return !*error->text;
}

// Overwrites directives that a module has only once by blanks.
static void blank_head(char *text) {
  static const char *const words[] = {".version", ".target", ".address_size"};
  for (char *line = text; *line;
       line += strcspn(line, "\n"), line += *line != 0) {
    const char *word = line + strspn(line, " \t\r");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
      if (strncmp(word, words[i], strlen(words[i])) == 0)
        memset(line, ' ', strcspn(line, "\n"));
    }
  }
}

// -- Names -------------------------------------------------------------------

// Variables without `.visible`, `.weak` or `.extern` are local to a text;
// another text may use the same names.
typedef struct {
  const char *start;
  size_t length;
} Name;

static size_t name_length(const char *text) {
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) || (text[n] && strchr("_$", text[n])))
    n++;
  return n;
}

// The name in `.global .align 1 .b8 $str[3]`; empty: none.
static Name name_after(const char *text) {
  while (*text && *text != '\n') {
    const size_t length = name_length(text);
    if (length && !isdigit((unsigned char)*text)) return (Name){text, length};
    if (*text == '.') text++;
    text += name_length(text);
    text += strcspn(text, " \t\n");
    text += strspn(text, " \t");
  }
  return (Name){text, 0};
}

// Finds local names as long as there is room; the rest keep their names.
static size_t find_own(const char *text, Name *names, size_t room) {
  size_t count = 0;
  int depth = 0;
  for (const char *line = text; *line;) {
    const bool is_own =
        strncmp(line, ".global", 7) == 0 || strncmp(line, ".const", 6) == 0;
    const Name name = name_after(line);
    if (!depth && is_own && name.length && count < room) names[count++] = name;
    for (; *line && *line != '\n'; line++)
      depth += (*line == '{') - (*line == '}');
    line += *line != 0;
  }
  return count;
}

static bool is_among(const Name *names, size_t count, const char *word,
                     size_t length) {
  for (size_t i = 0; i < count; i++) {
    if (names[i].length == length && memcmp(names[i].start, word, length) == 0)
      return true;
  }
  return false;
}

// The text with a number behind each of its local names; NULL without memory.
static char *with_own_names(const char *text, unsigned number) {
  enum { MOST_NAMES = 4096 };
  char *out = NULL;
  size_t size = 0;
  Name *names = malloc(MOST_NAMES * sizeof *names);
  FILE *file = names ? open_memstream(&out, &size) : NULL;
  const size_t count = file ? find_own(text, names, MOST_NAMES) : 0;
  while (file && *text) {
    const size_t length = name_length(text);
    fwrite(text, 1, length ? length : 1, file);
    if (length && is_among(names, count, text, length))
      fprintf(file, "$%u", number);
    text += length ? length : 1;
  }
  free(names);
  if (file) fclose(file);
  return out;
}

static CUresult append(Link *link, const char *original) {
  char *text = with_own_names(original, ++link->num_texts);
  const size_t more = text ? strlen(text) + 1 : 0; // with a line break
  char *bigger = text ? realloc(link->text, link->length + more + 1) : NULL;
  if (!bigger) {
    free(text);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  link->text = bigger;
  char *end = bigger + link->length;
  memcpy(end, text, more - 1);
  memcpy(end + more - 1, "\n", 2);
  if (link->length) blank_head(end);
  link->length += more;
  free(text);
  return CUDA_SUCCESS;
}

// -- Links -------------------------------------------------------------------

static CUresult add_text(Link *link, int type, const char *text) {
  enum { TYPE_PTX = 1 };
  PtxError error = {""};
  if (type != TYPE_PTX) {
    jit_write(&link->jit.error, "only PTX can be linked\n");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  if (parses(text, &error)) return append(link, text);
  jit_write(&link->jit.error, "ptxas application ptx input, %s\n", error.text);
  return CUDA_ERROR_INVALID_PTX;
}

// Options of one text have the same effect as those of the link.
static CUresult check_options(int type, unsigned count, const int *options,
                              void **values) {
  enum { MOST_TYPE = 6 };
  JitOptions ignored;
  if (type < 0 || type > MOST_TYPE) return CUDA_ERROR_INVALID_VALUE;
  return jit_read(&ignored, count, options, values);
}

CUresult locked_cuLinkAddData_v2(CUlinkState handle, int type, void *data,
                                 size_t size, const char *name,
                                 unsigned num_options, int *options,
                                 void **values) {
  Link *link;
  CUresult error = object_check(HANDLE_LINK, handle, &link);
  (void)name;
  if (!error && (!data || !size)) error = CUDA_ERROR_INVALID_VALUE;
  if (!error) error = check_options(type, num_options, options, values);
  if (error) return error;
  char *text = strndup(data, size);
  error = text ? add_text(link, type, text) : CUDA_ERROR_OUT_OF_MEMORY;
  free(text);
  jit_finish(&link->jit);
  return error;
}

CUresult locked_cuLinkAddFile_v2(CUlinkState handle, int type, const char *path,
                                 unsigned num_options, int *options,
                                 void **values) {
  Link *link;
  char *text = NULL;
  CUresult error = object_check(HANDLE_LINK, handle, &link);
  if (!error && !path) error = CUDA_ERROR_INVALID_VALUE;
  if (!error) error = check_options(type, num_options, options, values);
  if (!error) error = module_read(path, &text);
  if (error) return error;
  error = add_text(link, type, text);
  free(text);
  jit_finish(&link->jit);
  return error;
}

// Undefined names show when the result is loaded, so it is loaded on trial.
CUresult locked_cuLinkComplete(CUlinkState handle, void **image, size_t *size) {
  Link *link;
  CUmodule module;
  CUresult error = object_check(HANDLE_LINK, handle, &link);
  if (!error && (!image || !link->text)) error = CUDA_ERROR_INVALID_VALUE;
  if (error) return error;
  error =
      module_load(link->object.context, &module, link->text, NULL, &link->jit);
  if (error) return error;
  object_destroy(handle_find(&sim_driver.handles, HANDLE_MODULE, module));
  *image = link->text;
  if (size) *size = link->length + 1;
  return CUDA_SUCCESS;
}
