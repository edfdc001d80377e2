// lexer_string.c -- strings, which are scanned in pieces.
//
// A stack of frames holds the scanner's state: in a string, in a replacement
// field `{...}` of an f-string, or in a format specification behind ':'.  Only
// the outermost string becomes a token.  Its fields are marked, so that the
// parser does not have to search for them.
#include "frontend/errors.h"
#include "frontend/syntax/lexer.h"

#include <assert.h>
#include <string.h>

static StringFrame *top_frame(Lexer *lexer) {
  assert(lexer->frames.count > 0 && "no string is open"); // I9
  return &lexer->frames.items[lexer->frames.count - 1];
}

static void mark(Lexer *lexer, MarkKind kind, uint32_t offset) {
  if (top_frame(lexer)->nested) return;
  assert(lexer->line_begin <= offset); // I7
  const FStringMark entry = {offset, lexer->line,
                             offset - lexer->line_begin + 1, kind};
  vec_push(lexer->arena, &lexer->out->marks, entry);
}

static void push_frame(Lexer *lexer, FrameKind kind) {
  StringFrame frame = *top_frame(lexer);
  frame.kind = kind;
  frame.brackets = 0;
  vec_push(lexer->arena, &lexer->frames, frame);
}

ScanState lexer_string_open(Lexer *lexer, Lexeme at) {
  const char *text = lexer->source->text + at.begin;
  const size_t length = at.end - at.begin, prefix = strcspn(text, "'\"");
  const StringFrame frame = {.kind = FRAME_STRING,
                             .quote = text[prefix],
                             .triple = length - prefix == 3,
                             .formatted = memchr(text, 'f', prefix) ||
                                          memchr(text, 'F', prefix),
                             .nested = lexer->frames.count > 0,
                             .begin = at.begin,
                             .line = lexer->line,
                             .column = at.begin - lexer->line_begin + 1,
                             .marks = (uint32_t)lexer->out->marks.count};
  vec_push(lexer->arena, &lexer->frames, frame);
  return SCAN_STRING;
}

static void put_string(Lexer *lexer, const StringFrame *frame, uint32_t end) {
  assert(!frame->nested && frame->begin < end);    // I9
  assert(frame->marks <= lexer->out->marks.count); // I9
  const Token token = {
      .kind = frame->formatted ? TOKEN_FSTRING : TOKEN_STRING,
      .marks = frame->marks,
      .begin = frame->begin,
      .end = end,
      .line = frame->line,
      .column = frame->column,
  };
  vec_push(lexer->arena, &lexer->out->tokens, token);
}

static ScanState fail(Lexer *lexer, uint32_t end, const char *what) {
  const StringFrame *frame = &lexer->frames.items[0];
  const char *text = lexer->source->text + frame->begin;
  size_t length = 0; // of the part on the first line
  while (length < end - frame->begin && text[length] != '\n' &&
         text[length] != '\r')
    length++;
  const SrcLoc loc = {lexer->source->name, (int)frame->line, (int)frame->column,
                      (int)length};
  diag_error_text(lexer->diags, loc, what);
  const Token token = {.kind = TOKEN_INVALID,
                       .problem = PROBLEM_REPORTED,
                       .begin = frame->begin,
                       .end = end,
                       .line = frame->line,
                       .column = frame->column};
  vec_push(lexer->arena, &lexer->out->tokens, token);
  lexer->frames.count = 0;
  for (size_t i = 0; i < lexer->brackets.count; i++)
    lexer->brackets.items[i].hidden = true;
  return SCAN_CODE;
}

// Do the quotes close the string?  Sets the number of quotes that belong to its
// end.
static bool closes(const StringFrame *frame, char quote, uint32_t length,
                   uint32_t *used) {
  *used = length;
  if (quote != frame->quote) return false;
  if (frame->triple) return length == 3;
  *used = 1;
  return true;
}

ScanState lexer_string_quotes(Lexer *lexer, Lexeme at, uint32_t *used) {
  const StringFrame frame = *top_frame(lexer);
  const char quote = lexer->source->text[at.begin];
  if (!closes(&frame, quote, at.end - at.begin, used)) return SCAN_STRING;
  const uint32_t end = at.begin + *used;
  if (frame.kind == FRAME_SPEC) {
    return fail(lexer, end, ERROR_f_string_never_closed);
  }
  lexer->frames.count--;
  if (lexer->frames.count) return SCAN_FIELD;
  put_string(lexer, &frame, end);
  return SCAN_CODE;
}

static ScanState end_field(Lexer *lexer, uint32_t offset) {
  mark(lexer, MARK_END, offset);
  assert(top_frame(lexer)->kind == FRAME_FIELD); // I9
  lexer->frames.count--;
  return SCAN_STRING;
}

ScanState lexer_string_brace(Lexer *lexer, Lexeme at, uint32_t *used) {
  const StringFrame *frame = top_frame(lexer);
  const bool opens = lexer->source->text[at.begin] == '{';
  *used = at.end - at.begin;
  if (!frame->formatted) return SCAN_STRING;
  if (frame->kind == FRAME_STRING && (*used == 2 || !opens)) return SCAN_STRING;
  *used = 1;
  if (opens) {
    mark(lexer, MARK_FIELD, at.begin);
    push_frame(lexer, FRAME_FIELD);
    return SCAN_FIELD;
  }
  assert(frame->kind == FRAME_SPEC); // I9
  lexer->frames.count--;             // ends with its field
  return end_field(lexer, at.begin);
}

ScanState lexer_string_line_end(Lexer *lexer, Lexeme at) {
  if (top_frame(lexer)->triple) {
    lexer_next_line(lexer, at);
    return SCAN_STRING;
  }
  fail(lexer, at.begin, ERROR_string_not_closed_on_its);
  return lexer_line_end(lexer, at);
}

ScanState lexer_field(Lexer *lexer, Lexeme at) {
  StringFrame *frame = top_frame(lexer);
  assert(frame->kind == FRAME_FIELD); // I9
  const char c = lexer->source->text[at.begin];
  if (c == '(' || c == '[' || c == '{') {
    frame->brackets++;
  } else if (frame->brackets) {
    frame->brackets -= c == ')' || c == ']' || c == '}';
  } else if (c == '}') {
    return end_field(lexer, at.begin);
  } else if (c == ':') {
    mark(lexer, MARK_SPEC, at.begin);
    push_frame(lexer, FRAME_SPEC);
    return SCAN_STRING;
  } else if (c == '!') {
    mark(lexer, MARK_CONVERSION, at.begin);
  }
  return SCAN_FIELD;
}
