#!/usr/bin/env bash
# Builds the site of the docs: no dead link, no dead heading, no page that cannot be found, no warning of doxygen.
#   build_test.sh PROGRAM FOLDER
# Ends with 77 (skipped) where there is no mkdocs with the theme material.
set -euo pipefail
program=$1 folder=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if ! command -v mkdocs >/dev/null || ! [ -d /usr/share/mkdocs/themes/material ]; then
  echo "skipped: there is no mkdocs (on Debian: apt-get install mkdocs mkdocs-material)"
  exit 77
fi
cd "$root"
PENUMBRA=$program mkdocs build --strict -d "$folder" 2>&1 | grep -E 'WARNING|ERROR|Abort|Error' && exit 1
[ -f "$folder/index.html" ]
grep -q 'penumbra evaluate' "$folder/reference/commands.html"
echo "built: $(find "$folder" -name '*.html' -not -path '*/api/*' | wc -l) pages"
