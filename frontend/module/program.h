// program.h -- files of a program and what they define.
//
// A file is lexed whole and scanned once; its functions and values are parsed
// when they are needed (those of the main file at once, to report their
// errors).
#ifndef TILE_FRONTEND_PROGRAM_H
#define TILE_FRONTEND_PROGRAM_H

#include "frontend/frontend.h"
#include "frontend/module/imports.h"
#include "frontend/syntax/ast.h"
#include "frontend/value/value.h"

typedef enum {
  DEFINES_FUNCTION, // marked jit
  DEFINES_GLOBAL,   // name = value
  DEFINES_IMPORT,
  DEFINES_CLASS, // a NamedTuple or an aggregate
  DEFINES_HOST,  // def or class of host code
} DefinitionKind;

// `from ..module import member as name`: level 2.  `import a.b` defines `a`,
// `import a.b as c` the module.
typedef struct {
  int level;
  const char *module; // dotted, may be ""
  const char *member; // NULL: the module itself
} Import;

// `from module import *`, where it stands among the definitions.
typedef struct {
  Import import;
  uint32_t order;
  SrcLoc loc;
  bool uncertain; // what is not known decides whether it is reached
  Map brought;    // names to definitions that were made for them
} StarImport;

// A name that is looked up, and what led to it.
typedef struct NameLookup {
  const struct NameLookup *outer;
  const struct AstFile *file;
  const char *name;
} NameLookup;

// A star import of `file` that a lookup is asking for a name.
typedef struct StarQuestion {
  const struct AstFile *file;
  uint32_t order;
  const char *name;
  const struct StarQuestion *before; // that led to this one
} StarQuestion;

// Tokens of a field.
typedef struct {
  const char *name;
  bool is_constexpr;
  uint32_t annotation, annotation_end;
  uint32_t begin, end; // of its default; equal: none
} FieldTokens;

typedef struct Definition {
  DefinitionKind kind;
  struct AstFile *file; // that says so
  const char *name;     // interned
  SrcLoc loc;
  struct Definition *before; // of the same name: what this one hides
  bool in_handler;           // below an `except`: does not replace another
  bool unreached;            // it stands below an import that fails
  bool uncertain;            // what is not known decides whether it is reached
  uint32_t order;            // among those of the file, from 1
  bool parsed;               // FUNCTION, GLOBAL, CLASS
  bool changes_arguments;    // HOST: a function that may do so
  bool writes_arguments;     // HOST: to a part of one, by a plain assignment
  bool keeps_arguments;      // HOST: a method that makes them members
  bool is_returned;          // HOST: what it returns is changed
  bool is_looked_into;       // HOST: what it defines is known, too
  bool is_followed;          // it was looked for in what that calls
  bool is_remade;            // HOST: a class; what makes it may change it
  bool is_marked;            // it is changed, and so is what it is a name for
  struct Definition *alias;  // GLOBAL: what it is another name for; NULL: of
                             // nothing, or nobody has asked
  struct Definition *like;   // HOST: a method of that name in another class
  uint32_t begin, end;       // tokens of the function, which may be in another
                             // file, of the value, or of a host class's
                             // bases
  uint32_t decorators;       // FUNCTION: first token of its decorators
  uint32_t target_begin;     // GLOBAL: tokens of the targets that it is one of;
  uint32_t target_end;       // equal: it is the only one
  uint32_t over_begin; // GLOBAL: tokens of what a loop goes over whose target
  uint32_t over_end;   // it is; equal: of none
  uint32_t from_begin; // GLOBAL without a value: tokens of what it may be, in a
  uint32_t from_end;   // loop; equal: nobody knows
  uint32_t note_begin; // GLOBAL: tokens of the annotation; FUNCTION: of the
  uint32_t note_end;   // decorator that was called with `inner`
  const struct Definition *inner; // FUNCTION: as it is without that; or NULL
  AstFunction *function;
  AstGlobal *global;
  AstClass *class;
  Vec(FieldTokens) fields; // CLASS
  const char *base;        // CLASS: the name of the aggregate above; or NULL
  Import import;
} Definition;

// A statement of a module changes in place what the tokens stand for.
typedef struct {
  uint32_t begin, end;
  AstPlace place;     // where that has this meaning
  uint32_t order;     // of the first line that sees the change
  bool is_deep;       // perhaps all that it holds, too
  bool is_by_call;    // of a function, by any line below
  bool is_call;       // which, if it can be computed, changes nothing
  bool is_applied;    // and so is what they make, by more than they say
  bool is_after_loop; // as the loop around it leaves the names, if it is known
  uint32_t after;     // of the first line below that loop; 0: it is in none
  const Definition *run; // what runs the statement that it is in; or NULL
} AstChange;

// The ways in which names of a file may be bound by their text.
typedef enum {
  TEXT_NEVER,    // no line has a word for that
  TEXT_FOLLOWED, // in forms that the scan of its lines follows
  TEXT_ANY,
} TextBinding;

struct AstFile {
  Source source;
  const char *folder; // of the file, "" for the current one
  TokenList list;
  Map definitions; // by qualified name
  uint32_t num_definitions;
  Map rebound; // names to what stands for them: functions or other files
               // assign them
  Map touched; // names of what functions change in place
  Vec(AstChange) changes;      // in order
  Vec(const char *) names;     // of them, in order
  Vec(Definition *) functions; // in order
  Vec(StarImport) star_imports;
  Map called; // names that the functions call
  struct {
    const bool *tokens; // NULL: they were not looked at
    size_t num_names;
  } named; // tokens that may be names of the module; see scan.h
  struct {
    const struct Object *all; // its `__all__`; NULL: it is not known
    size_t known_with;        // of definitions and changes; 0: nobody has asked
    bool known_aside;         // it was asked for aside, where less may be read
  } exports;
  struct {
    bool is_known, may_change; // see file_changes_configs()
  } configs;
  bool is_package;     // an __init__.py
  bool is_read;        // was lexed and scanned
  bool is_scanned;     // to its end
  bool ok;             // could be lexed
  bool is_untold;      // but nobody heard why not
  bool fails;          // when it is imported, it raises something
  bool may_fail;       // so it does, or may do
  bool is_replaced;    // by what it puts in its place
  bool is_given;       // as a whole, to who may bind names of it
  TextBinding by_text; // of its names
  bool is_imported;    // another file's statement led to it
  size_t followed;     // its number among those that importing runs, from 1
};

// `self.name = THING` of a thing of the file.
typedef struct {
  const char *member, *name;
  struct AstFile *file;
} Held;

// A value that -D gives.
typedef struct {
  const char *name;
  ArgSpec value;
  bool used;       // something of that name was read
  Symbol of[2];    // what; another thing of that name
  bool is_for_all; // kernels: one need not read it
} Define;

// A file that is run when the program is imported.
typedef struct {
  AstFile *file;
  Map changed;           // names of what others have and it may change
  Map given;             // or give to what may
  Vec(AstFile *) needed; // without which it fails
  bool may_raise;        // so it may, too; `AstFile.fails` says whether
} Followed;

// `from a import NAME as AS`, `AS = NAME`: both may be one thing.
typedef struct {
  const char *name, *as; // interned
} Renamed;

struct Program {
  Arena *arena;
  const Language *language; // for walks, and for names that a star brings
  const World *world;
  Map nested; // statements to the functions that they define
  Map marked; // functions of the host to those that jit() makes of them
  Map names;
  FileReader reader;
  const char **include_paths;
  int num_include_paths;
  Vec(AstFile *) files;   // the main one first
  size_t bytes;           // of them
  Vec(Followed) followed; // files that importing them runs, and they
  size_t followed_bytes;  // in all of them
  size_t num_followed;    // those whose imports are among them, too
  size_t num_seen;        // files of the program that are
  bool is_following;
  int aside;            // > 0: files are read only for what they may change
  size_t aside_bytes;   // in those
  Vec(Renamed) renamed; // in those
  Map believed;         // names of values whose changes they were asked for
  Map found;            // of others
  Map sources;          // tokens that are unpacked to what they are
  Map paths;            // path to AstFile, or to `absent`
  Map folders;          // folder to Map: module to AstFile, or to `absent`
  AstFile absent;       // stands for "no such file"
  AstFile *library;     // library.tile, once it is needed
  Map methods;          // names to the last of the methods called so
  Map changed_members;  // names of members that are changed in place where
                        // nobody knows whose they are
  Map assigned_members; // the same of those that are assigned
  Map patched_members;  // of those that setattr() gives to a thing that
                        // nothing else changes
  Map language_members; // whole names of members of the language's modules that
                        // are set: "triton.language.math.cos"
  Map given_members;    // of those that are where it is no class unless
                        // that is given away
  bool any_given;       // members are whose names are not known
  Map given_classes;    // names of classes to whether they are
  Vec(Held) held;       // what methods make members
  Vec(const char *) variables; // of the environment, that lines of a file set
  bool any_variable;           // any variable of it may be set
  Map enums;                   // definitions of classes to their EnumKind
  Map kept;                    // globals to whether nothing else is their value
  size_t num_kept;             // files when that was asked
  const FrontendDefine *given; // the definitions of the options
  int num_given;
  Map assumed;               // names to what that gives them in conditions
  Map defines;               // names to what -D gives them in kernels
  Vec(Define *) defined;     // in order
  int depth;                 // of lookups that lead to lookups
  const NameLookup *lookup;  // the latest of them
  const StarQuestion *asked; // the latest first
  int replays;               // statements that conditions of modules had run
  Source source;             // the main file's, as it was given
  int release;               // see FrontendOptions
  const Target *target;      // that code is made for; NULL: it is not known
  bool is_asked;             // conditions of modules were told of a GPU,
  int chip;                  // and of which; see host/host.h
  struct Program *others;    // the same, read for other GPUs
  void *run;                 // frontend/run's, once it was asked
  DiagList *loud;     // while a file is scanned: hears of other files' errors
  bool looked_within; // what functions of the host define has been looked for
  bool is_broken;     // has functions whose syntax errors were told
};

// The same as frontend_parse(), of a program whose walks are given these.
Program *program_parse(Arena *arena, DiagList *diags, const Source *source,
                       const FrontendOptions *options, const Language *language,
                       const World *world);
// A file of the user's, which is not read.
AstFile *program_add_file(Program *program, const Source *source);
// Lexes and scans, once; the file may be broken (`ok`).
void file_load(Program *program, DiagList *diags, AstFile *file);
// Could it be lexed?  Says why not, and when that is known, that it could not.
bool file_is_sound(Program *program, DiagList *diags, AstFile *file,
                   SrcLoc use);
// The same for a file that is not the user's.
AstFile *program_read_file(Program *program, DiagList *diags,
                           const Source *source);
// Is no lookup under way?
bool program_is_idle(const Program *program);
// Finds what a file defines; scan.c.
void file_scan(Program *program, AstFile *file);
// All statements of the file, parsed anew; one beyond the grammar is an
// UNSUPPORTED.
StmtList program_statements(Program *program, AstFile *file);
// Finds what a function of the host defines, as `function.name`.
void file_scan_within(Program *program, const Definition *function);
// The condition that the definition stands below; no place: there is none.
SrcLoc scan_condition(const Definition *d);

enum { MAX_LOOKUPS = 64 }; // that lead to one another
// Says that there are more, or that they go in a circle.
void lookup_too_deep(DiagList *diags, const NameLookup *lookup, SrcLoc use);

// Is its name `*.py`, so that Python reads it, too?
bool file_is_python(const AstFile *file);
// The last of the name, be it a member of a class that another one hides.
const Definition *file_find(const AstFile *file, const char *name);
// The last one of the main file that a kernel may be.
const Definition *program_find_function(const Program *program,
                                        const char *name);
// The definition of `name` at the file's end, or that below fewer than `order`
// definitions; 0: at the end.
Definition *file_find_at(const AstFile *file, const char *name, uint32_t order);
// The definition of `name` that a line at `place` sees: that of its own class
// or function comes first.
Definition *file_find_visible(Arena *arena, const AstFile *file, AstPlace place,
                              const char *name);
// One whose value only the host knows.
AstGlobal *global_unknown(Arena *arena, const char *name, SrcLoc loc);
// The meaning of the expression `name` or `name.member` there; ABSENT: it has
// another form.
Symbol program_meaning(Program *program, DiagList *diags, AstFile *file,
                       AstPlace place, const Expr *value, SrcLoc use);
// Does it answer for names that no line binds: by a `__getattr__`, or as
// another thing in its place?
bool file_makes_names(const AstFile *file);
// The unknown value that such a file gives for `name`; ABSENT: it gives none.
Symbol symbol_made_by(Program *program, AstFile *file, const char *name);
bool definition_is_class(const Definition *d);
Symbol symbol_of_class(const AstClass *class);
// The first of the definitions that the class's members may not be; 0: each
// may.  If two classes have one name, the lines below the second mean that one.
uint32_t class_order(const Symbol *class);
// `Class.name` of host code.
Symbol program_class_member(Program *program, DiagList *diags,
                            const Symbol *class, const char *name, SrcLoc use);
// The symbol as file `from` sees it.  If the two files import each other,
// `from` may see a value that is bound before the last line: a name that is
// bound more than once is then not known.
Symbol symbol_seen_from(Program *program, const AstFile *from, Symbol symbol);
EnumKind program_enum_kind(Program *program, const Symbol *class);
// Is it known that the class, of host code, has no such member?
bool program_class_lacks(Program *program, const Symbol *class,
                         const char *name);
// Is the name set where it is not known whose it is?
bool name_may_be_set(Program *program, const AstFile *file, const char *name);
// The symbol that an import in `from` binds.
Symbol program_import(Program *program, DiagList *diags, AstFile *from,
                      const Import *import, SrcLoc use);
// May the host not reach it, so that the name may mean what it did before?
bool definition_is_doubtful(const Definition *d);
// Says so at `use`, of one that is doubtful, and what would decide.
void definition_warn(DiagList *diags, SrcLoc use, const Definition *d);
// Notes where it is, and what would decide.
void definition_note(DiagList *diags, const Definition *d);
// The definition of a FUNCTION or HOST; NULL: of a class or value of host code.
const Definition *symbol_definition(const Symbol *function);
// Its base, if that is a class of the kind, and its fields.
void class_parse_fields(Program *program, DiagList *diags, AstFile *file,
                        Definition *d);
// Parses what has not been parsed; false if it has syntax errors.
bool definition_parse(Program *program, DiagList *diags, AstFile *file,
                      Definition *definition);

// Can nothing but the name of this global stand for its value: a list that is
// written out, which no line gives away?
bool program_keeps(Program *program, const Symbol *symbol);

// Does a `def` or a `class` stand below each decorator of the module?  If not,
// that is reported.
bool decorators_decorate(DiagList *diags, const Source *source,
                         const TokenList *list);
// Does each of them concern one function of the main file alone?
bool program_errors_are_local(const Program *program, const Diag *errors);

// An expression of host code, or NULL: nobody hears of its errors.
Expr *program_parse_quietly(Program *program, AstFile *file, uint32_t begin,
                            uint32_t end);

#endif
