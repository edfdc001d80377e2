// driver_link.c -- linking PTX.
//
// The result is PTX, too: the texts in a row, under the first one's directives.
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/driver_jit.h"

typedef struct Link {
  Object object;
  JitOptions jit;
  char *text;
  size_t length;
} Link;

void link_clear(Object *link) {
  free(((Link *)link)->text);
}

CUresult cuLinkCreate_v2(unsigned num_options, int *options, void **values,
                         CUlinkState *out) {
  Context *context;
  JitOptions jit;
  CUresult error = context_enter(&context);
  if (!error && !out) error = CUDA_ERROR_INVALID_VALUE;
  if (!error) error = jit_read(&jit, num_options, options, values);
  if (error) return driver_leave(error);
  Link *link = object_create(HANDLE_LINK, sizeof *link, context);
  if (!link) return driver_leave(CUDA_ERROR_OUT_OF_MEMORY);
  link->jit = jit;
  *out = link->object.handle;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuLinkDestroy(CUlinkState handle) {
  Link *link;
  const CUresult error = object_enter(HANDLE_LINK, handle, &link);
  if (!error) object_destroy(&link->object);
  return driver_leave(error);
}

// -- Texts -------------------------------------------------------------------

static bool parses(const char *text, PtxError *error) {
  Program program = {.file_name = NULL};
  program.ptx.pool = &program.pool;
  if (setjmp(program.pool.out_of_memory))
    ptx_error(error, 0, "out of memory");
  else
    ptx_parse(text, &program.ptx, error);
  pool_free(&program.pool);
  return !*error->text;
}

// Blanks the directives that a text may have once.
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

static CUresult append(Link *link, const char *text) {
  const size_t more = strlen(text) + 1; // and the end of a line
  char *bigger = realloc(link->text, link->length + more + 1);
  if (!bigger) return CUDA_ERROR_OUT_OF_MEMORY;
  link->text = bigger;
  char *end = bigger + link->length;
  memcpy(end, text, more - 1);
  memcpy(end + more - 1, "\n", 2);
  if (link->length) blank_head(end);
  link->length += more;
  return CUDA_SUCCESS;
}

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

// Options of one text do what those of the link do.
static CUresult check_options(int type, unsigned count, const int *options,
                              void **values) {
  enum { MOST_TYPE = 6 };
  JitOptions ignored;
  if (type < 0 || type > MOST_TYPE) return CUDA_ERROR_INVALID_VALUE;
  return jit_read(&ignored, count, options, values);
}

CUresult cuLinkAddData_v2(CUlinkState handle, int type, void *data, size_t size,
                          const char *name, unsigned num_options, int *options,
                          void **values) {
  Link *link;
  CUresult error = object_enter(HANDLE_LINK, handle, &link);
  (void)name;
  if (!error && (!data || !size)) error = CUDA_ERROR_INVALID_VALUE;
  if (!error) error = check_options(type, num_options, options, values);
  if (error) return driver_leave(error);
  char *text = strndup(data, size);
  error = text ? add_text(link, type, text) : CUDA_ERROR_OUT_OF_MEMORY;
  free(text);
  jit_finish(&link->jit);
  return driver_leave(error);
}

CUresult cuLinkAddFile_v2(CUlinkState handle, int type, const char *path,
                          unsigned num_options, int *options, void **values) {
  Link *link;
  char *text = NULL;
  CUresult error = object_enter(HANDLE_LINK, handle, &link);
  if (!error && !path) error = CUDA_ERROR_INVALID_VALUE;
  if (!error) error = check_options(type, num_options, options, values);
  if (!error) error = module_read(path, &text);
  if (error) return driver_leave(error);
  error = add_text(link, type, text);
  free(text);
  jit_finish(&link->jit);
  return driver_leave(error);
}

// What is still missing shows when the whole is loaded, so that is tried.
CUresult cuLinkComplete(CUlinkState handle, void **image, size_t *size) {
  Link *link;
  CUmodule module;
  CUresult error = object_enter(HANDLE_LINK, handle, &link);
  if (!error && (!image || !link->text)) error = CUDA_ERROR_INVALID_VALUE;
  if (error) return driver_leave(error);
  error =
      module_load(link->object.context, &module, link->text, NULL, &link->jit);
  if (error) return driver_leave(error);
  object_destroy(handle_find(&sim_driver.handles, HANDLE_MODULE, module));
  *image = link->text;
  if (size) *size = link->length + 1;
  return driver_leave(CUDA_SUCCESS);
}
