#!/usr/bin/env bash
# Opens the page of `penumbra report` in a headless Chromium, wide and narrow, and uses it (click_test.js).
#   page_test.sh PROGRAM
# Ends with 77 (skipped) where there is no Chromium.
set -euo pipefail
program=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
  echo "skipped: there is no chromium (on Debian: apt-get install chromium)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

solve() { "$program" solve "$1" --solver "$2" --backups "$3" --episodes 200 --quiet --run "$folder/runs/$4" >/dev/null; }
solve 'rock-sample(n=4,k=3)' sarsop 60 rocks-sarsop
solve 'rock-sample(n=4,k=3)' nvi 60 rocks-nvi
solve light-dark nvi 100 line
"$program" evaluate 'rock-sample(n=4,k=3)' --policy 'despot(simulations=10,scenarios=50,particles=500)' \
  --episodes 10 --quiet --run "$folder/runs/rocks-tree" >/dev/null
solve lidar-roomba nvi 100 room
solve 'light-dark(dimensions=2)' mcvi 60 plane
"$program" report "$folder/runs" -o "$folder/plain.html" --episodes 2 --visits 2000 >/dev/null

# Errors are collected from the very first line on.
{
  echo '<script>var problems = [];'
  # Frames of a headless browser come in real time, its clock runs ahead: a busy machine would draw too late.
  echo 'window.requestAnimationFrame = paint => setTimeout(paint, 16);'
  echo 'addEventListener("error", e => problems.push("error: " + e.message));'
  echo 'addEventListener("unhandledrejection", e => problems.push("error: " + e.reason));'
  echo 'console.error = console.warn = (...words) => problems.push("console: " + words.join(" "));</script>'
  cat "$folder/plain.html"
  echo '<script>'
  cat "$here/click_test.js"
  echo '</script>'
} >"$folder/report.html"

for size in 1280,900 390,800; do
  timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage \
    --user-data-dir="$folder/profile" --window-size=$size --hide-scrollbars \
    --virtual-time-budget=30000 --dump-dom "file://$folder/report.html" \
    >"$folder/page" 2>"$folder/said" || true
  verdict=$(grep -o '<html[^>]*>' "$folder/page" | grep -o 'data-test="[^"]*"' || true)
  echo "window $size: ${verdict:-no answer}"
  if [ "$verdict" != 'data-test="passed"' ]; then
    grep CONSOLE "$folder/said" || true
    exit 1
  fi
done
