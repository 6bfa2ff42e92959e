#!/usr/bin/env bash
# Compares the behaviour of all solvers with what tests/signature.txt says of it.
#   check_signature.sh PROGRAM            fails where they differ
#   check_signature.sh PROGRAM --update   writes the number of this instruction set down
set -euo pipefail
program=$1
file=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/signature.txt

read -r number set <<<"$("$program" bench --signature)"
expected=$(awk -v set="$set" '$2 == set { print $1 }' "$file")
if [ "${2:-}" = --update ]; then
  { awk -v set="$set" '$2 != set' "$file"; echo "$number $set"; } >"$file.new"
  mv "$file.new" "$file"
  echo "signature: $number for $set"
elif [ -z "$expected" ]; then
  echo "signature: $number; none is known for $set: nothing to compare with"
elif [ "$number" = "$expected" ]; then
  echo "signature: $number, as expected"
else
  echo "signature: $number in place of $expected ($set): a solver behaves differently." >&2
  "$program" bench >&2
  echo "If that is meant, say so in the commit and run: tests/check_signature.sh $program --update" >&2
  exit 1
fi
