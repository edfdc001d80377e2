// program.h -- files of a program and their definitions.
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

// `from module import *`, with its position among the definitions.
typedef struct {
  Import import;
  uint32_t order;
  SrcLoc loc;
  bool uncertain; // only the host knows whether it is reached
  Map brought;    // names to the definitions that were made for them
  Map hidden;     // names to their HiddenMeaning, see star_imports.c
} StarImport;

// A name that is being looked up, and the lookup that led to it.
typedef struct NameLookup {
  const struct NameLookup *outer;
  const struct AstFile *file;
  const char *name;
} NameLookup;

// A star import of `file` in which a lookup searches for a name.
typedef struct StarQuestion {
  const struct AstFile *file;
  uint32_t order;
  const char *name;
  const struct StarQuestion *before; // the question that led to this one
} StarQuestion;

// The tokens of a field of a class.
typedef struct {
  const char *name;
  bool is_constexpr;
  uint32_t annotation, annotation_end;
  uint32_t begin, end; // of its default; equal: there is none
} FieldTokens;

typedef struct Definition {
  DefinitionKind kind;
  struct AstFile *file; // the file whose line this is
  const char *name;     // interned
  SrcLoc loc;
  struct Definition *before; // the definition of the same name that this
                             // definition hides
  bool in_handler;           // below an `except`: does not hide one outside
  bool unreached;            // below an import that fails
  bool uncertain;            // only the host knows whether it is reached
  uint32_t order;            // its number in the file, from 1
  bool parsed;               // FUNCTION, GLOBAL, CLASS: the tree was made
  bool changes_arguments;    // HOST: the function may change its arguments
  bool writes_arguments;     // HOST: it assigns to a part of an argument
  bool keeps_arguments;      // HOST: a method that stores them as members
  bool is_returned;          // HOST: the member that it returns is changed
  bool is_looked_into;       // HOST: its inner definitions were scanned
  bool is_followed;          // a search for changed arguments has entered it
  bool is_remade;            // HOST: a class that a decorator may change
  bool is_marked;            // its object was changed, and so were its aliases
  struct Definition *alias;  // GLOBAL: the definition of NAME in `name = NAME`;
                             // NULL: it is no alias, or was not computed yet
  struct Definition *like;   // HOST: next method of the same name, in another
                             // class
  uint32_t begin, end;       // tokens of the function (perhaps in another
                             // file), of the value, or of a host class's bases
  uint32_t decorators;       // FUNCTION: first token of its decorators
  uint32_t target_begin;     // GLOBAL: tokens of all targets in `a, b = value`;
  uint32_t target_end;       // equal: the global is the only target
  uint32_t over_begin; // GLOBAL: tokens of the object that a loop iterates
  uint32_t over_end;   // over, if this is its target; else equal
  uint32_t from_begin; // GLOBAL in a loop: tokens of its possible values;
  uint32_t from_end;   // equal: they are unknown
  uint32_t note_begin; // GLOBAL: tokens of the annotation; FUNCTION: of
  uint32_t note_end;   // the decorator that is called with `inner`
  const struct Definition *inner; // FUNCTION: the function before that call; or
                                  // NULL
  AstFunction *function;
  AstGlobal *global;
  AstClass *class;
  Vec(FieldTokens) fields; // CLASS
  const char *base;        // CLASS: name of the aggregate that is its base; or
                           // NULL
  Import import;
} Definition;

// The ways in which text may bind names of a file: `globals()["x"] = 1`.
typedef enum {
  TEXT_NEVER,    // no line of the file says the name
  TEXT_FOLLOWED, // only in forms that the scan follows
  TEXT_ANY,
} TextBinding;

struct AstFile {
  Source source;      // without a text: see file_read_text()
  const char *folder; // of the file, "" for the current one
  TokenList list;
  Map definitions; // by qualified name: `Class.member`
  uint32_t num_definitions;
  Map rebound; // names that functions or other files assign, to a global
               // without a value
  Map touched; // names whose objects functions change in place
  Vec(const char *) names;     // of the definitions, in the order of the lines
  Vec(Definition *) functions; // in the order of the lines
  Vec(StarImport) star_imports;
  Map called; // names that the functions call
  struct {
    const bool *tokens; // NULL: not computed yet
    size_t num_names;
  } named; // tokens that may be names of the module; see scan.h
  struct {
    const struct Object *all; // its `__all__`; NULL: unknown
    size_t known_with;        // number of definitions then; 0: not
                              // computed
    bool known_aside;         // computed aside, where fewer files may be read
  } exports;
  struct {
    bool is_known, may_change; // see file_changes_configs()
  } configs;
  bool is_package;       // an __init__.py
  bool is_lexed;         // has tokens, if it is `ok`
  bool is_read;          // was lexed and scanned
  bool is_scanned;       // the scan has reached its end
  bool ok;               // could be lexed
  bool is_untold;        // not `ok`, and the errors were not reported
  bool fails;            // importing it raises an exception
  bool may_fail;         // importing it may raise an exception
  bool is_replaced;      // it puts another object into sys.modules in its place
  bool is_given;         // the module object escapes: other code may bind its
                         // names
  TextBinding by_text;   // how text may bind its names
  bool is_followed;      // it is in Program.followed
  bool is_seen;          // its tokens were searched for the following
  size_t num_setters;    // of Program.setters, whose calls in it are known
  bool may_raise;        // a line that is run contains `raise`; see `fails`
  Vec(AstFile *) needed; // files whose failure makes it fail
};

// `self.name = THING`, which makes an object of the file a member.
typedef struct {
  const char *member, *name;
  struct AstFile *file;
} Held;

// A value of the option -D.
typedef struct {
  const char *name;
  ArgSpec value;
  bool used;       // an object of that name was read
  Symbol of[2];    // that object; a second one of the same name
  bool is_for_all; // for all kernels: a kernel may ignore it
  bool is_spare;   // even if no file has such a name
} Define;

struct Program {
  Arena *arena;
  const Language *language; // for walks, and for names that a star import
                            // brings
  const World *world;
  Map nested; // statements to the functions that they define
  Map marked; // host functions to the results of jit() on them
  Map names;
  FileReader reader;
  const char **include_paths; // each ends with '/' or is ""
  int num_include_paths;
  Vec(AstFile *) files;    // that were scanned, the main one first
  Vec(AstFile *) lexed;    // these, and files that were only run
  Vec(AstFile *) followed; // files whose imports may be followed
  size_t followed_bytes;   // total length of those
  bool is_following;
  int aside;            // > 0: files are read only for their side effects
  size_t aside_bytes;   // total length of such files
  Map sources;          // tokens of a value that is unpacked, to its tree
  Map paths;            // path to AstFile, or to `absent`
  Map folders;          // folder to Map: module to AstFile, or to `absent`
  AstFile absent;       // stands for "no such file"
  AstFile *library;     // library.tile, once it is read
  Map methods;          // names to the last method of that name
  Map changed_members;  // names of members that are changed in place, of
                        // unknown objects
  Map assigned_members; // names of members that are assigned, of unknown
                        // objects
  Map patched_members;  // names of members that setattr() sets, of objects that
                        // nothing else changes
  Map language_members; // qualified names of members of the language's modules
                        // that are set: "triton.language.math.cos"
  Map given_members;    // names of members that are set, of an object that is a
                        // class only if a class has escaped
  bool any_given;       // setattr() with an unknown name sets such a member
  Map given_classes;    // names of classes to whether they have escaped
  Vec(Held) held;       // objects of modules that methods store in members
  Vec(const char *) variables; // environment variables that lines of a file set
  bool any_variable;           // a variable with an unknown name is set
  Vec(const char *) setters;   // functions that set the variable that their
                               // first argument names
  Map enums;                   // definitions of classes to their EnumKind
  const FrontendDefine *given; // the definitions of the options -D
  int num_given;
  Map assumed;               // names to their values of -D in conditions
  Map defines;               // names to their values of -D in kernels
  Vec(Define *) defined;     // in order
  int depth;                 // of nested lookups
  const NameLookup *lookup;  // the innermost lookup
  const StarQuestion *asked; // the innermost star import that is searched
  size_t num_asked;          // searches that did not begin in another one
  size_t num_circles;        // searches that met themselves
  Source source;             // of the main file, as given
  int release;               // see FrontendOptions
  const Target *target;      // target of the code; NULL: unknown
  // A condition of a module has used the GPU's properties; see host/host.h.
  bool is_asked;
  int chip;               // of the target then, as by chip_of()
  struct Program *others; // the same program, read for other GPUs
  void *run;              // owned by frontend/run; NULL before its first use
  DiagList *loud;         // while a file is scanned: gets other files' errors
  bool looked_within;     // inner definitions of host functions were scanned
  bool is_broken;         // syntax errors of a function were reported
};

// The same as frontend_parse(), with the definitions that walks use.
Program *program_parse(Arena *arena, DiagList *diags, const Source *source,
                       const FrontendOptions *options, const Language *language,
                       const World *world);
// Adds a file of the user's without reading it.
AstFile *program_add_file(Program *program, const Source *source);
// Reads the text of the file, if it was found by its length alone.
void file_read_text(Program *program, AstFile *file);
// Lexes the file, once: a run of the modules needs no more of it.
void file_lex(Program *program, DiagList *diags, AstFile *file);
// Lexes and scans the file, once; if it cannot be lexed, `ok` is false.
void file_load(Program *program, DiagList *diags, AstFile *file);
// Could the file be lexed?  If not, reports the error at its first call that is
// not muted, and at later calls that the file is broken.
bool file_is_sound(Program *program, DiagList *diags, AstFile *file,
                   SrcLoc use);
// Adds and reads a file that is not the user's.
AstFile *program_read_file(Program *program, DiagList *diags,
                           const Source *source);
// Is no lookup under way?
bool program_is_idle(const Program *program);
// Finds the definitions of a file; scan.c.
void file_scan(Program *program, AstFile *file);
// All statements of the file, parsed anew.  A statement beyond the grammar is
// an UNSUPPORTED.
StmtList program_statements(Program *program, AstFile *file);
// Finds the definitions within a host function, as `function.name`.
void file_scan_within(Program *program, const Definition *function);
// The condition of the `if` around the definition; no place: there is none.
SrcLoc scan_condition(const Definition *d);

enum { MAX_LOOKUPS = 64 }; // lookups within one another
// Reports that too many lookups are nested, or that they form a circle.
void lookup_too_deep(DiagList *diags, const NameLookup *lookup, SrcLoc use);

// Is its name `*.py`, so that Python reads it, too?
bool file_is_python(const AstFile *file);
// The last definition of the name; also a member of a class that another class
// of the same name hides.
const Definition *file_find(const AstFile *file, const char *name);
// The last definition of `name` in the main file that can be a kernel.
const Definition *program_find_function(const Program *program,
                                        const char *name);
// The definition of `name` that a line sees if fewer than `order` definitions
// are above the line; `order` 0: at the file's end.
Definition *file_find_at(const AstFile *file, const char *name, uint32_t order);
// The definition of `name` that a line at `place` sees: one of its own class or
// function comes first.
Definition *file_find_visible(Arena *arena, const AstFile *file, AstPlace place,
                              const char *name);
// A global whose value only the host knows.
AstGlobal *global_unknown(Arena *arena, const char *name, SrcLoc loc);
// The meaning at `place` of the expression `name` or `name.member`; ABSENT: it
// has another form.
Symbol program_meaning(Program *program, DiagList *diags, AstFile *file,
                       AstPlace place, const Expr *value, SrcLoc use);
// Does the module have names that no line binds: by `__getattr__`, or because
// another object takes its place in sys.modules?
bool file_makes_names(const AstFile *file);
// The unknown value of `name` in such a file; ABSENT if the file is no such
// file.
Symbol symbol_made_by(Program *program, AstFile *file, const char *name);
bool definition_is_class(const Definition *d);
Symbol symbol_of_class(const AstClass *class);
// Members of the class are definitions below this number; 0: all are.  If two
// classes have one name, later lines belong to the second.
uint32_t class_order(const Symbol *class);
// `Class.name` of host code.
Symbol program_class_member(Program *program, DiagList *diags,
                            const Symbol *class, const char *name, SrcLoc use);
// The symbol as file `from` sees it.  If the two files import each other,
// `from` may see the value of a line before the last one: a name that is bound
// more than once is then unknown.
Symbol symbol_seen_from(Program *program, AstFile *from, Symbol symbol);
EnumKind program_enum_kind(Program *program, const Symbol *class);
// Does the host class surely lack the member?
bool program_class_lacks(Program *program, const Symbol *class,
                         const char *name);
// May an assignment to a member of an unknown object set the name?
bool name_may_be_set(Program *program, const AstFile *file, const char *name);
// The symbol that an import in `from` binds.
Symbol program_import(Program *program, DiagList *diags, AstFile *from,
                      const Import *import, SrcLoc use);
// Is it possible that the host does not reach the definition, so that its name
// keeps its earlier meaning?
bool definition_is_doubtful(const Definition *d);
// Warns at `use` that the definition is uncertain, with its condition.
void definition_warn(DiagList *diags, SrcLoc use, const Definition *d);
// Notes the place and the condition of an uncertain definition.
void definition_note(DiagList *diags, const Definition *d);
// The definition of a FUNCTION or HOST; NULL for a class or value of host code.
const Definition *symbol_definition(const Symbol *function);
// Parses the base, if it is an aggregate, and the fields.
void class_parse_fields(Program *program, DiagList *diags, AstFile *file,
                        Definition *d);
// Parses the definition if it is not parsed yet; false: it has syntax errors.
bool definition_parse(Program *program, DiagList *diags, AstFile *file,
                      Definition *definition);

// Is there a `def` or a `class` below each decorator of the module?  Reports
// each decorator without one.
bool decorators_decorate(DiagList *diags, const Source *source,
                         const TokenList *list);
// Does each error concern one function of the main file alone?
bool program_errors_are_local(const Program *program, const Diag *errors);

// An expression of host code; NULL, without a message, if it has errors.
Expr *program_parse_quietly(Program *program, AstFile *file, uint32_t begin,
                            uint32_t end);

#endif
