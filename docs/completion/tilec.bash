# tilec.bash -- completion of tilec's commands, options and their values.
#
# Bash cuts words at `=`, so a value is a word of its own, behind `=`.
_tilec() {
  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
  local options='' values=''
  COMPREPLY=()
  if [[ $current == = ]]; then
    current=''
  elif [[ $option == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $option in
@BASH_VALUES@  esac
  if [[ -n $values ]]; then
    local head=''
    # A list goes on behind its last comma.
    [[ $current == *,* ]] && head=${current%,*},
    COMPREPLY=($(compgen -P "$head" -W "$values" -- "${current##*,}"))
    return
  fi
  case ${COMP_WORDS[1]} in
@BASH_OPTIONS@  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    return
  fi
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '@COMMANDS@' -- "$current"))
  elif [[ ${COMP_WORDS[1]} == cache ]]; then
    COMPREPLY=($(compgen -W '@CACHE_ACTIONS@' -- "$current"))
    return
  fi
  local IFS=$'\n' # names may have blanks
  COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _tilec tilec
