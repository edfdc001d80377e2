// find_file.c -- finds the files of modules.
#include "frontend/module/find_file.h"

#include "frontend/module/import_statement.h"
#include "frontend/syntax/parser.h"
#include "ir/base/base.h"

#include <string.h>

// A file or a function is parsed only once.  A condition of a module is
// evaluated with muted diagnostics, but if the condition is the first to need a
// file, the file's errors must be reported now: it is not parsed again.
DiagList *program_audience(Program *program, DiagList *diags) {
  return diags->muted && program->loud ? program->loud : diags;
}

// The length of the file, whose text is read when it is loaded; or its text.
static bool find_source(Program *program, Source *source) {
  const FileReader *reader = &program->reader;
  if (reader->find)
    return reader->find(reader->ctx, source->name, &source->length);
  source->text = reader->read ? reader->read(reader->ctx, source->name,
                                             program->arena, &source->length)
                              : NULL;
  return source->text != NULL;
}

// The file of that path, whether it was read or not; NULL if there is none.
static AstFile *find_path(Program *program, const char *path) {
  AstFile *known = map_get_text(&program->paths, path, strlen(path));
  if (known) return known == &program->absent ? NULL : known;
  Source source = {.name = path};
  if (!find_source(program, &source)) {
    map_put_text(&program->paths, program->arena, path, strlen(path),
                 &program->absent);
    return NULL;
  }
  return program_add_file(program, &source);
}

void file_read_text(Program *program, AstFile *file) {
  const FileReader *reader = &program->reader;
  if (file->source.text) return;
  Source source = {.name = file->source.name};
  source.text =
      reader->read(reader->ctx, source.name, program->arena, &source.length);
  if (!source.text) source = (Source){.name = source.name, .text = ""}; // gone
  file->source = source_as_utf8(program->arena, &source);
}

// `a..b`, `.`: excluded, as one file would be found under many paths.
static bool lacks_part(const char *dotted) {
  const size_t length = strlen(dotted);
  return length &&
         (*dotted == '.' || dotted[length - 1] == '.' || strstr(dotted, ".."));
}

static AstFile *look_in_folder(Program *program, const char *folder,
                               const char *dotted) {
  static const char *const endings[] = {"/__init__.py", ".py", ".tile"};
  if (lacks_part(dotted)) return NULL;
  const size_t above = strlen(folder), length = above + strlen(dotted);
  const size_t count = *dotted ? sizeof endings / sizeof *endings : 1;
  for (size_t i = 0; i < count; i++) {
    const char *ending = *dotted ? endings[i] : endings[i] + 1;
    char *path =
        arena_array(program->arena, char, length + strlen(endings[0]) + 1);
    memcpy(path, folder, above);
    for (size_t k = above; k < length; k++)
      path[k] = dotted[k - above] == '.' ? '/' : dotted[k - above];
    memcpy(path + length, ending, strlen(ending));
    AstFile *file = find_path(program, path);
    if (file) return file;
  }
  return NULL;
}

// The cache of files that were found in this folder.
static Map *found_in(Program *program, const char *folder) {
  const size_t length = strlen(folder);
  Map *found = map_get_text(&program->folders, folder, length);
  if (found) return found;
  found = arena_new(program->arena, Map);
  map_put_text(&program->folders, program->arena, folder, length, found);
  return found;
}

// Cached, since the files of a package import the same modules again and again.
AstFile *locate_in_folder(Program *program, const char *folder,
                          const char *dotted) {
  const size_t length = strlen(dotted);
  Map *found = found_in(program, folder);
  AstFile *file = map_get_text(found, dotted, length);
  if (!file) {
    file = look_in_folder(program, folder, dotted);
    if (!file) file = &program->absent;
    map_put_text(found, program->arena, dotted, length, file);
  }
  return file == &program->absent ? NULL : file;
}

// The folder above `folder`; both end with '/' or are "".
static const char *parent_folder(Program *program, const char *folder) {
  size_t length = strlen(folder);
  if (!length) return "../";
  if (length >= 3 && !strcmp(folder + length - 3, "../")) {
    return arena_printf(program->arena, "%s../", folder);
  }
  for (length--; length && folder[length - 1] != '/';) length--;
  return arena_strndup(program->arena, folder, length);
}

// Within a package, `import package.module` means that package: looks for the
// folder with the name of the first part, around the file.
static AstFile *find_around(Program *program, const AstFile *from,
                            const char *dotted) {
  const size_t root = strcspn(dotted, ".");
  for (const char *folder = from->folder; *folder;) {
    const char *above = parent_folder(program, folder);
    const size_t skip = strlen(above);
    if (skip >= strlen(folder)) return NULL; // "../" repeated
    if (!strncmp(folder + skip, dotted, root) && folder[skip + root] == '/') {
      return locate_in_folder(program, above, dotted);
    }
    folder = above;
  }
  return NULL;
}

// The public modules of PyTorch and NumPy are host code, and host/facts.c knows
// their values by name; only private modules, such as `torch._inductor`,
// contain kernels.
static bool is_host_package(const char *dotted) {
  static const char *const packages[] = {"numpy", "torch"};
  return names_have_span(packages, sizeof packages / sizeof *packages, dotted,
                         strcspn(dotted, ".")) &&
         !strstr(dotted, "._");
}

AstFile *locate_absolute(Program *program, const AstFile *from,
                         const char *dotted) {
  AstFile *file = locate_in_folder(program, from->folder, dotted);
  if (file || is_host_package(dotted)) return file;
  file = find_around(program, from, dotted);
  const AstFile *main = program_main_file(program);
  if (!file && !locate_in_folder(program, main->folder, ""))
    file = locate_in_folder(program, main->folder, dotted);
  for (int i = 0; !file && i < program->num_include_paths; i++)
    file = locate_in_folder(program, program->include_paths[i], dotted);
  return file;
}

AstFile *locate_import(Program *program, const AstFile *from,
                       const Import *import) {
  const char *dotted = import->module;
  if (import->member)
    dotted = *dotted
                 ? arena_printf(program->arena, "%s.%s", dotted, import->member)
                 : import->member;
  if (import->level)
    return locate_in_folder(
        program, folder_of_relative(program, from, import->level), dotted);
  return is_language(dotted) ? NULL : locate_absolute(program, from, dotted);
}

// While `aside` > 0, files are read only for their side effects, up to a limit
// of bytes in all.  The limit is lower for files that are read on behalf of
// such a file (`aside` > 1).
bool file_is_affordable(Program *program, const AstFile *file) {
  enum { MOST_ASIDE = 1 << 20, MOST_FURTHER_ASIDE = 1 << 19 };
  const size_t most = program->aside > 1 ? MOST_FURTHER_ASIDE : MOST_ASIDE;
  if (file->is_read || !program->aside) return true;
  if (program->aside_bytes + file->source.length > most) return false;
  program->aside_bytes += file->source.length;
  return true;
}

// Errors of the file are reported when the kernel needs a name of it.
static AstFile *read(Program *program, AstFile *file) {
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  if (!file || !file_is_affordable(program, file)) return NULL;
  file_load(program, &quiet, file);
  return file;
}

AstFile *file_in_folder(Program *program, const char *folder,
                        const char *dotted) {
  return read(program, locate_in_folder(program, folder, dotted));
}

AstFile *file_absolute(Program *program, const AstFile *from,
                       const char *dotted) {
  return read(program, locate_absolute(program, from, dotted));
}

const char *folder_of_relative(Program *program, const AstFile *from,
                               int level) {
  const char *folder = from->folder;
  for (int i = 1; i < level; i++) folder = parent_folder(program, folder);
  return folder;
}
