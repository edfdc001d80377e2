// ast.h -- a source file as a tree.
//
// Nodes live in the arena of their Program and are not changed after parsing.
// Identifiers are interned per Program: compare pointers.
//
// Depth is bounded, so a walk may recurse: an expression is at most
// AST_MAX_DEPTH nodes deep, and blocks nest at most AST_MAX_BLOCKS deep.  Long
// expressions that users write are flat: `a + b - c + ...` is one EXPR_CHAIN,
// `a and b and ...` one EXPR_AND, an `if` with its `elif`s one STMT_IF.
#ifndef TILE_FRONTEND_AST_H
#define TILE_FRONTEND_AST_H

#include "frontend/syntax/token.h"
#include "ir/base/base.h"
#include "ir/base/diag.h"

enum {
  AST_MAX_DEPTH = 200,
  AST_MAX_BLOCKS = 100, // as in Python
};

typedef enum {
#define EXPR(kind, text) EXPR_##kind,
#include "frontend/syntax/ast.def"
  EXPR_COUNT
} ExprKind;

typedef enum {
#define STMT(kind, text, word) STMT_##kind,
#include "frontend/syntax/ast.def"
  STMT_COUNT
} StmtKind;

typedef enum {
#define OPERATOR(kind, text, level, method) OPERATOR_##kind,
#include "frontend/syntax/ast.def"
  OPERATOR_COUNT
} Operator;

typedef enum {
#define UNARY(kind, text) UNARY_##kind,
#include "frontend/syntax/ast.def"
  UNARY_COUNT
} UnaryOperator;

typedef enum {
#define COMPARE(kind, text, method) COMPARE_##kind,
#include "frontend/syntax/ast.def"
  COMPARE_COUNT
} CompareOperator;

// Python's integers, as far as kernels need them.
__extension__ typedef __int128 Integer;

void integer_print(Integer value, Str *out);

extern const char *const expr_kind_text[EXPR_COUNT]; // "a call" without "a"
extern const char *const stmt_kind_text[STMT_COUNT];
extern const char *const operator_text[OPERATOR_COUNT];
extern const char *const unary_text[UNARY_COUNT];
extern const char *const compare_text[COMPARE_COUNT];
// The methods of a class that Python calls for them; NULL: none.
extern const char *const operator_method[OPERATOR_COUNT];
extern const char *const compare_method[COMPARE_COUNT];

typedef struct Expr Expr;
typedef struct Stmt Stmt;
typedef struct AstParam AstParam;
typedef struct AstFunction AstFunction;
typedef struct AstFile AstFile;

typedef struct {
  Expr **items;
  int count;
} ExprList;

// One step of a chain: `... op operand`, at the place of the operator.
typedef struct {
  Operator op;
  SrcLoc loc;
  Expr *operand;
} ChainLink;

typedef struct {
  CompareOperator op;
  SrcLoc loc;
  Expr *operand;
} CompareLink;

typedef enum {
  ARG_POSITIONAL,
  ARG_KEYWORD,     // name=value
  ARG_STAR,        // *value
  ARG_DOUBLE_STAR, // **value
} CallArgKind;

typedef struct {
  CallArgKind kind;
  const char *name; // of a keyword argument, else NULL
  SrcLoc loc;
  Expr *value;
} CallArg;

// A literal piece (`value` is NULL) or `{value!conversion:spec}`.
typedef struct {
  const char *text; // of a literal piece
  size_t length;
  Expr *value;
  const char *source; // of `value`, as written; with `debug` for `{x=}`
  bool debug;
  char conversion; // 'r', 's', 'a' or 0
  Expr *spec;      // an EXPR_FSTRING or NULL
} FStringPart;

typedef struct {
  Expr *key; // NULL: `**value`
  Expr *value;
} DictItem;

// `for target in iterable if conditions...`
typedef struct {
  Expr *target, *iterable;
  ExprList conditions;
  bool is_async;
} ComprehensionFor;

typedef enum { COMP_LIST, COMP_SET, COMP_DICT, COMP_GENERATOR } CompKind;

struct Expr {
  ExprKind kind;
  int depth;          // 1 for a leaf
  bool parenthesized; // `(a)`; tuples: written with parentheses
  SrcLoc loc;         // of the whole expression
  union {
    const char *name; // NAME; of BIG and IMAGINARY, which no kernel has a
                      // value for, what is written
    Integer integer;  // INT
    double number;    // FLOAT
    struct {
      const char *text; // decoded, NUL-terminated, may contain NULs
      size_t length;
      bool is_bytes;
    } string; // STRING
    struct {
      FStringPart *parts;
      int num_parts;
    } fstring;      // FSTRING
    bool truth;     // BOOL
    ExprList items; // TUPLE, LIST, SET, AND, OR
    struct {
      DictItem *items;
      int count;
    } dict; // DICT
    struct {
      Expr *object;
      const char *name;
      SrcLoc name_loc;
    } attribute; // ATTRIBUTE
    struct {
      Expr *object, *index; // `a[i, j]`: index is a TUPLE
    } subscript;            // SUBSCRIPT
    struct {
      Expr *lower, *upper, *step; // each may be NULL
    } slice;                      // SLICE, only as (part of) an index
    struct {
      Expr *callee;
      CallArg *args;
      int num_args;
    } call; // CALL
    struct {
      UnaryOperator op;
      Expr *operand;
    } unary; // UNARY
    struct {
      Expr *first;
      ChainLink *links; // applied from left to right; one for `**`
      int num_links;    // at least 1
    } chain;            // CHAIN
    struct {
      Expr *first;
      CompareLink *links; // more than one: `a < b < c`
      int num_links;
    } compare; // COMPARE
    struct {
      Expr *condition, *then, *otherwise;
    } conditional; // IF
    struct {
      AstParam *params;
      int num_params;
      Expr *body;
    } lambda; // LAMBDA
    struct {
      CompKind kind;
      Expr *key, *value; // key: of a DICT only
      ComprehensionFor *fors;
      int num_fors;
    } comprehension; // COMPREHENSION
    struct {
      Expr *target, *value;
      SrcLoc op_loc; // of the ':='
    } named;         // NAMED; the target is a NAME
    Expr *operand;   // STARRED, AWAIT, YIELD (may be NULL)
  };
};

typedef struct {
  Stmt **items;
  int count;
} StmtList;

// `condition: body` of an `if` or `elif`.
typedef struct {
  SrcLoc loc;
  Expr *condition;
  StmtList body;
} IfBranch;

typedef struct {
  Expr *context, *target; // target may be NULL
} WithItem;

// `except type as name: body`
typedef struct {
  Expr *type;       // NULL: of all
  const char *name; // NULL: none
  StmtList body;
} ExceptHandler;

struct Stmt {
  StmtKind kind;
  SrcLoc loc; // a compound statement: its first line
  union {
    Expr *expr; // EXPR, DEL
    struct {
      ExprList targets; // `a = b = value`: two
      Expr *value;
    } assign; // ASSIGN
    struct {
      Expr *target, *value;
      Operator op;
      SrcLoc op_loc;
    } aug_assign; // AUG_ASSIGN
    struct {
      Expr *target, *annotation, *value; // value may be NULL
    } ann_assign;                        // ANN_ASSIGN
    Expr *result;                        // RETURN; NULL: none
    struct {
      IfBranch *branches; // if, elif, elif, ...
      int num_branches;
      StmtList otherwise; // count 0: none
    } if_;                // IF
    struct {
      Expr *target, *iterable;
      StmtList body, otherwise;
    } for_; // FOR
    struct {
      Expr *condition;
      StmtList body, otherwise;
    } while_; // WHILE
    struct {
      Expr *condition, *message; // message may be NULL
    } assert_;                   // ASSERT
    struct {
      WithItem *items;
      int num_items;
      StmtList body;
    } with; // WITH
    // DEF to DEL are of host code only; see parser_module().
    struct {
      AstFunction *function;
      ExprList decorators; // outermost first
    } def;                 // DEF
    struct {
      const char *name;
      CallArg *args;
      int num_args;
      StmtList body;
      ExprList decorators;
    } class_; // CLASS
    struct {
      StmtList body, otherwise, finally;
      ExceptHandler *handlers;
      int num_handlers;
    } try_; // TRY
    struct {
      Expr *error, *cause; // each may be NULL
    } raise;               // RAISE
    struct {
      const char **names;
      int count;
      bool is_global; // else nonlocal
    } scope;          // SCOPE
    // UNSUPPORTED: "raise", "try", "def", "class", "import", "global", "del",
    // ...; kept unparsed, for only a reached statement is an error.
    struct {
      const char *keyword, *name; // what it defines; NULL: nothing known
      uint32_t token, end;        // its first one, and the one behind it
    } unsupported;
  };
};

typedef enum {
#define PARAM(kind, stars, word) PARAM_##kind,
#include "frontend/syntax/ast.def"
  PARAM_COUNT
} ParamKind;

extern const char *const param_stars[PARAM_COUNT]; // before its name

struct AstParam {
  const char *name;
  SrcLoc loc;
  ParamKind kind;
  Expr *annotation, *value;    // type and default; NULL: none
  const char *annotation_text; // as written; NULL: none.  `x: *fp32` is a
                               // STARRED annotation with the text "*fp32"
  bool is_constexpr;           // tl.constexpr, constexpr, "tl.constexpr"
};

// The place in its file at which a line is run.  A name has the meaning that
// the lines above it gave it; in the body of a class, the class's own names
// come first.
typedef struct {
  const char *prefix; // "Class." or ""; NULL: ""
  bool is_nested; // in a comprehension there, or in a function that it calls:
                  // the names that the class has are not seen
  const char *within; // in a function that is not run, "function.": what its
                      // names have in front; NULL
  uint32_t order; // of the first definition that is below; 0: the file's end
  const struct Locals *locals; // in a function: what it has bound; or NULL
} AstPlace;

typedef struct Decorator {
  SrcLoc loc;
  const char *name; // last part of its dotted name: "jit", "autotune"
  Expr *expr;       // NULL where it is more than we can parse
  AstFile *file;    // where it is written
  AstPlace place;   // where it is evaluated
  const struct Definition *maker; // the function that makes what tunes; or NULL
  const Expr *made;               // what that gives
  bool is_partial;                // of partial(), which a call adds to
  bool unknown;                   // the host alone knows what it gives
  struct Decorator *inner;        // that which is applied before it; NULL: none
} Decorator;

// A function marked jit.  Functions in a class are named `Class.name`.
struct AstFunction {
  AstFile *file;
  const char *name;
  SrcLoc loc;     // of the name
  AstPlace place; // the place where its defaults are evaluated
  AstParam *params;
  int num_params;
  Decorator *decorators; // outermost first, the jit one included
  int num_decorators;
  Expr *returns;         // `-> annotation` or NULL
  const char *docstring; // NULL: none.  Not in `body`.
  StmtList body;
  bool returns_value; // has a `return value`, reached or not
  bool ok;            // false: has syntax errors, already reported
  bool is_constant;   // a constexpr_function: numbers in it stay constants
  // `around`: the bindings of the function that this one is made in.  The
  // fields up to `end` are set for such functions only, and for those that a
  // call of jit() makes.
  const struct Locals *around;
  const struct Object *const *defaults; // by parameter; NULL: to be evaluated
  uint32_t decorators_begin, begin, end;
  Vec(const char *) hidden; // of a lambda: names of comprehensions around it
};

// A statement at module level that is run for what it binds and changes, in
// the tokens of `function`.
typedef struct {
  AstFunction function; // of that body
  const char **changed; // in place: names
  int num_changed;
} AstRun;

// `NAME = value` at module level, parsed when first asked for.
typedef struct AstGlobal {
  const char *name;
  SrcLoc loc;
  AstPlace place;
  Expr *annotation; // NULL: none
  Expr *value;      // NULL: more than we can parse, or as below
  Expr *source;     // what the two below are made from, then `value` is NULL
  Expr *target;     // `A, *B = source`: the left side; else NULL
  Operator op;      // `NAME += source`; else OPERATOR_COUNT
  AstRun *run;      // gives the value, then there is no other; or NULL
  const struct AstGlobal *continues; // the one that it changes; NULL: none
  bool is_changed;                   // in place, by a statement below
  bool is_continued;                 // by one that is run, where that is known
  bool is_updated;                   // by an operator, perhaps in place
  bool is_patched; // setattr() gave it members whose names are known
} AstGlobal;

// `name: annotation = value` in a class.
typedef struct {
  const char *name;
  Expr *value;       // its default; NULL: none
  bool is_constexpr; // annotated so: of an aggregate, stays a constant
  Expr *annotation;  // read in `file`; NULL: none, or it cannot be read
  AstFile *file;
} AstField;

// A class of which kernels may make values: a NamedTuple or an aggregate.  Its
// methods are functions named `Class.method`.
typedef struct AstClass {
  AstFile *file;
  const char *name;
  SrcLoc loc;
  const struct AstClass *base; // whose methods it has, too; NULL: none
  bool is_circular;            // made from itself: no value of it is
  bool is_aggregate;           // its numbers stay what they are
  AstField *fields;
  int num_fields;
} AstClass;

// One statement a line, nested by two spaces; for --emit=ast and tests.  Not
// for functions that are not `ok`: their trees may be too deep to walk.
void ast_print_function(const AstFunction *function, Str *out);

// Source-like text of an expression, for messages; long ones are cut at
// `limit` bytes with "...".
void ast_unparse(const Expr *expr, size_t limit, Str *out);

#endif
