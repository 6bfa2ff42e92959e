# Completion of penumbra for bash. The program itself says what can stand where (cli/completions.h).
_penumbra() {
  local current=${COMP_WORDS[COMP_CWORD]} word details ending i
  local -a words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  # Quotes are the shell's; the last word may have an open one.
  for i in "${!words[@]}"; do
    words[i]=${words[i]#[\'\"]}
    words[i]=${words[i]%[\'\"]}
  done
  current=${current#[\'\"]}
  [[ $current == = ]] && current=
  COMPREPLY=()
  while IFS=$'\t' read -r word details; do
    case $word in
      :files)
        compopt -o filenames 2>/dev/null
        if [[ -z $details ]]; then
          mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
          continue
        fi
        for ending in $details; do
          mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X "!*$ending" -- "$current")
        done
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current")
        ;;
      :folders)
        compopt -o filenames 2>/dev/null
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current")
        ;;
      *) COMPREPLY+=("$word") ;;
    esac
  done < <("${COMP_WORDS[0]}" complete "${words[@]}" 2>/dev/null)
  # A parameter goes on with its value. Readline would close the quote after a single candidate.
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
    compopt -o nospace 2>/dev/null
    COMPREPLY+=("${COMPREPLY[0]}VALUE")
  fi
  return 0
}
complete -F _penumbra penumbra
