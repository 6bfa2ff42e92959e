#!/bin/sh
# Plain comments as doxygen wants them: those at the top are the file's, those behind a declaration
# belong to it, all others to what follows. What looks like a command or a tag is only text.
exec awk '
  function text(s) {
    gsub(/\\/, "\\\\", s); gsub(/@/, "\\@", s); gsub(/</, "\\<", s); gsub(/>/, "\\>", s)
    gsub(/#/, "\\#", s); gsub(/`/, "\047", s); gsub(/"/, "\\\"", s); gsub(/&/, "\\\\&", s)
    return s
  }
  NR == 1 && /^\/\// { print "/// \\file"; top = 1 }
  /^ *\/\// {
    if (/}.*namespace|clang-format|NOLINT/) { print; next }
    at = index($0, "//"); indent = substr($0, 1, at - 1); line = text(substr($0, at + 2))
    print indent "///" line; next
  }
  { if (top) { print ""; top = 0 } }
  /^[^"]*[;,{)] +\/\/ / && !/^ *} *\/\/ namespace/ {
    at = match($0, /[;,{)] +\/\/ /)
    code = substr($0, 1, RSTART); rest = substr($0, RSTART + RLENGTH)
    if (code ~ /[{)]$/) { print code " // " rest; next }
    print code " ///< " text(rest); next
  }
  { print }
' "$1"
