#!/usr/bin/env bash
# The site and a report under the rules of axe, in light and dark colours, with the console watched, and by keyboard alone.
#   accessibility.sh PROGRAM [SITE]
# Builds the site into SITE (build/site) first where it is not there. Needs chromium, node and, the first time, npm's registry;
# ends with 77 (skipped) where something of that is missing. About a minute: run by hand, not by ./test.
set -euo pipefail
program=$(readlink -f "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
site=${2:-$root/build/site}
for tool in chromium node npm; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
modules=$root/build/site-check
mkdir -p "$modules"
cp "$here/package.json" "$modules"
[ -d "$modules/node_modules/axe-core" ] && [ -d "$modules/node_modules/puppeteer-core" ] ||
  (cd "$modules" && npm install --no-audit --no-fund --silent) ||
  { echo "skipped: npm could not install axe-core and puppeteer-core"; exit 77; }
[ -f "$site/index.html" ] || (cd "$root" && PENUMBRA=$program mkdocs build --quiet --strict -d "$site")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" solve 'rock-sample(n=4,k=3)' --solver nvi --backups 60 --episodes 200 --quiet --run "$folder/runs/rocks" >/dev/null
"$program" solve light-dark --solver nvi --backups 100 --episodes 200 --quiet --run "$folder/runs/line" >/dev/null
"$program" report "$folder/runs" -o "$folder/report.html" --episodes 2 --visits 2000 --quiet
cp "$here/accessibility.mjs" "$modules"
timeout 300 node "$modules/accessibility.mjs" "$(command -v chromium)" "$site" "$folder/report.html"
