#!/usr/bin/env bash
# Checks who includes whom against the tables of ARCHITECTURE.md. `check_layers.sh [ROOT]`.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

# folder: the folders it may include, besides itself.
table='
penumbra/penumbra.h: penumbra/base penumbra/model
penumbra/base:
penumbra/nn:       penumbra/base
penumbra/model:    penumbra/base
penumbra/belief:   penumbra/base penumbra/model
penumbra/policy:   penumbra/base penumbra/nn penumbra/model penumbra/belief
penumbra/evaluate: penumbra/base penumbra/model penumbra/belief penumbra/policy
penumbra/bounds:   penumbra/base penumbra/nn penumbra/model penumbra/belief penumbra/policy
penumbra/search:   penumbra/base penumbra/nn penumbra/model penumbra/belief penumbra/policy penumbra/bounds
penumbra/solvers:  penumbra/base penumbra/nn penumbra/model penumbra/belief penumbra/policy penumbra/evaluate penumbra/bounds penumbra/search
penumbra/io:       penumbra/base penumbra/nn penumbra/model penumbra/policy penumbra/evaluate
penumbra/runs:     penumbra/base penumbra/nn penumbra/model penumbra/belief penumbra/policy penumbra/evaluate penumbra/bounds penumbra/search penumbra/solvers penumbra/io domains yardsticks
domains:           penumbra/base penumbra/model
yardsticks:        penumbra/base penumbra/model penumbra/policy domains
cluster:           penumbra/base cli
'
# The same inside penumbra/solvers, where "." is the files that are in no folder of it: every folder
# may include these, and a solver what solvers share, but never another solver.
inside_solvers='
.:               points
points:          .
cells:           .
anchors:         . cells
value_iteration: .
controller:      .
habits:          . controller
mcvi:            . points cells anchors value_iteration controller habits
nvi:             . points cells anchors value_iteration controller habits
pomcgs:          . points cells anchors value_iteration controller habits
ppo:             . points cells anchors value_iteration controller habits
sarsop:          . points cells anchors value_iteration controller habits
'

for folder in penumbra domains yardsticks cli cluster tests bench examples; do
  [ ! -d $folder ] ||
    grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.h' --include='*.cpp' $folder || true
done |
  awk -v table="$table" -v inside_solvers="$inside_solvers" '
    # penumbra/nn/simd/x.h -> penumbra/nn; domains/tiger.h -> domains
    function layer_of(path,   part) {
      if (split(path, part, "/") < 2) return ""
      return part[1] == "penumbra" ? part[1] "/" part[2] : part[1]
    }
    # penumbra/solvers/nvi/x.h -> nvi; penumbra/solvers/x.h -> .
    function room_of(path,   part) {
      return split(path, part, "/") > 3 ? part[3] : "."
    }
    function complain(text) {
      print where ": " text > "/dev/stderr"
      bad = 1
    }
    function read_table(text, known, allowed,   rows, row, r, words, word, w) {
      rows = split(text, row, "\n")
      for (r = 1; r <= rows; ++r) {
        words = split(row[r], word, /[: ]+/)
        known[word[1]] = allowed[word[1], word[1]] = 1
        for (w = 2; w <= words; ++w) allowed[word[1], word[w]] = 1
      }
    }
    BEGIN {
      read_table(table, known, allowed)
      read_table(inside_solvers, room_known, room_allowed)
    }
    {
      split($0, place, ":")
      where = place[1] ":" place[2]
      from = layer_of(place[1])
      match($0, /["<][^">]*[">]/)
      header = substr($0, RSTART + 1, RLENGTH - 2)
      to = layer_of(header)
      if (header == "mpi.h" && from != "cluster")
        complain("only cluster may include mpi.h")
      if (from ~ /^(cli|tests|bench|examples)$/) next
      if (substr($0, RSTART, 1) == "\"" && to == "")
        complain("\"" header "\" must be included by its full path")
      if (to !~ /^(penumbra\/.*|domains|yardsticks|cli|tests|bench|examples|cluster|python|web)$/) next
      if (!(from in known))
        complain("the folder " from " is not in the table of tests/check_layers.sh")
      else if (!((from, to) in allowed))
        complain(from " may not include " to " (" header ")")
      # The registry names every solver.
      if (from != "penumbra/solvers" || to != from || place[1] == from "/registry.cpp") next
      room = room_of(place[1])
      to_room = room_of(header)
      if (!(room in room_known))
        complain("the folder " from "/" room " is not in the table of tests/check_layers.sh")
      else if (!((room, to_room) in room_allowed))
        complain(from "/" room " may not include " to "/" to_room " (" header ")")
    }
    END {
      if (!bad) print "layers: every include is allowed"
      exit bad
    }'
