" Syntax of .tile files: Python's, and the functions and types of the language.
if exists('b:current_syntax')
  finish
endif
runtime! syntax/python.vim
unlet! b:current_syntax

syntax match tileModule /\<\%(tl\|triton\|libdevice\)\ze\./
syntax match tileFunction /\%(\<tl\.\|\<libdevice\.\|\.\)\@<=\%(@BUILTINS_VIM@\)\>/
syntax keyword tileType @DTYPES@ constexpr tensor
syntax keyword tileDecorator jit autotune heuristics
syntax match tilePointer /\*\%(const \)\?\%(fp\|bf\|i\|u\)\d\+\w*/

highlight default link tileModule Identifier
highlight default link tileFunction Function
highlight default link tileType Type
highlight default link tileDecorator PreProc
highlight default link tilePointer Type

let b:current_syntax = 'tile'
