#!/usr/bin/env bash
# Checks who includes whom against the table of ARCHITECTURE.md. `check_layers.sh [ROOT]`.
set -euo pipefail
root=${1:-$(dirname "${BASH_SOURCE[0]}")/..}
cd "$root"

# folder: the folders it may include, besides itself.
declare -A may=(
  [penumbra/base]=""
  [penumbra/nn]="penumbra/base"
  [penumbra/model]="penumbra/base"
  [penumbra/belief]="penumbra/base penumbra/model"
  [penumbra/policy]="penumbra/base penumbra/nn penumbra/model penumbra/belief"
  [penumbra/bounds]="penumbra/base penumbra/nn penumbra/model penumbra/belief penumbra/policy"
  [penumbra/solvers]="penumbra/base penumbra/nn penumbra/model penumbra/belief penumbra/policy
    penumbra/bounds"
  [penumbra/evaluate]="penumbra/base penumbra/model penumbra/belief penumbra/policy"
  [penumbra/io]="penumbra/base penumbra/nn penumbra/model penumbra/policy penumbra/evaluate"
  [domains]="penumbra/base penumbra/model"
)

# penumbra/nn/simd/x.h -> penumbra/nn; domains/tiger.h -> domains
layer_of() {
  case $1 in
    penumbra/*/*) echo "$1" | cut -d/ -f1,2 ;;
    */*) echo "${1%%/*}" ;;
  esac
}

bad=0
complain() {
  echo "$1" >&2
  bad=1
}

while IFS=: read -r file line text; do
  from=$(layer_of "$file")
  header=$(sed -E 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]([^">]*)[">].*/\1/' <<<"$text")
  # Our own headers are named by their full path in quotes.
  if [[ $text == *\"* && $header != */* ]]; then
    complain "$file:$line: \"$header\" must be included by its full path"
    continue
  fi
  to=$(layer_of "$header")
  case $to in
    penumbra/* | domains | cli | tests | bench | examples | cluster | python | web) ;;
    *) continue ;;  # a library of somebody else
  esac
  if [[ -z ${may[$from]+known} ]]; then
    complain "$file:$line: the folder $from is not in the table of tests/check_layers.sh"
  elif [[ $from != "$to" && ! " $(echo ${may[$from]}) " == *" $to "* ]]; then
    complain "$file:$line: $from may not include $to ($header)"
  fi
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.h' --include='*.cpp' \
  penumbra domains)

[ $bad -eq 0 ] && echo "layers: every include is allowed"
exit $bad
