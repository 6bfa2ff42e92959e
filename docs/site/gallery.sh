#!/usr/bin/env bash
# Makes the moving pictures of docs/gallery: solves, writes reports, draws one episode of each as a column of frames in
# a headless Chromium, and puts them together. Needs chromium, ffmpeg and gifsicle (Debian packages).
#   docs/site/gallery.sh [NAME...]      all, or some of: rock-sample light-dark lidar-roomba laser-tag
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
program=${PENUMBRA:-$root/build/release/penumbra}
out=$root/docs/gallery
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$out"
for tool in chromium ffmpeg gifsicle; do
  command -v $tool >/dev/null || { echo "$0 needs $tool: apt-get install $tool" >&2; exit 1; }
done

width=860

# NAME DOMAIN EPISODE FRAMES HEIGHT SOLVE-OPTION...: work, not time, so that the same pictures come out again.
picture() {
  local name=$1 domain=$2 episode=$3 frames=$4 height=$5
  shift 5
  "$program" solve "$domain" "$@" --episodes 10000 --quiet --run "$folder/$name"
  "$program" report "$folder/$name" -o "$folder/$name.html" --episodes $((episode + 1)) --quiet
  # The page's script is one function: what is added stands at its end, where its names are known.
  awk -v added="$here/gallery.js" '{ line[NR] = $0 } /^\}\)\(\);/ { last = NR } END {
    for (i = 1; i <= NR; ++i) { if (i == last) while ((getline text < added) > 0) print text; print line[i] } }' \
    "$folder/$name.html" >"$folder/$name-sheet.html"
  local address="file://$folder/$name-sheet.html?episode=$episode&frames=$frames&height=$height"
  local browser=(chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage
    "--user-data-dir=$folder/profile" --hide-scrollbars --virtual-time-budget=5000)
  frames=$("${browser[@]}" --window-size=$width,$height --dump-dom "$address" 2>/dev/null |
    sed -n 's/.*<title>\([0-9]*\) frames.*/\1/p')
  [ -n "$frames" ] || { echo "$name: the frames were not drawn" >&2; exit 1; }
  "${browser[@]}" --window-size=$width,$((frames * height)) --screenshot="$folder/$name.png" "$address" 2>/dev/null
  ffmpeg -v error -y -loop 1 -i "$folder/$name.png" -frames:v "$frames" -vf "crop=$width:$height:0:n*$height" \
    "$folder/$name-%03d.png"
  # The last frame stays longer. Few colours: drawings have few.
  ffmpeg -v error -y -i "$folder/$name-%03d.png" -vf \
    "split[a][b];[a]palettegen=max_colors=96:stats_mode=full[p];[b][p]paletteuse=dither=none" "$folder/$name.gif"
  gifsicle -O3 --lossy=8 --loopcount=forever --delay 110 "$folder/$name.gif" "#0--2" --delay 350 "#-1" \
    -o "$out/$name.gif"
  # For those who do not want things to move: the frame in the middle.
  cp "$(printf '%s/%s-%03d.png' "$folder" "$name" $((frames / 2)))" "$out/$name.png"
  echo "$name: $frames frames, $(stat -c %s "$out/$name.gif") bytes"
}

all=(rock-sample light-dark lidar-roomba laser-tag)
for name in "${@:-${all[@]}}"; do
  case $name in
    rock-sample) picture rock-sample 'rock-sample(n=7,k=8,map_seed=1)' 1 38 430 --solver nvi --backups 4000 ;;
    light-dark) picture light-dark 'light-dark(clusters=50)' 2 24 250 --solver cells --backups 4000 ;;
    lidar-roomba) picture lidar-roomba 'lidar-roomba(quirks=true,clusters=10)' 1 36 400 --solver nvi --backups 4000 ;;
    laser-tag) picture laser-tag laser-tag 6 36 400 --solver nvi --backups 2000 ;;
    *) echo "there is no picture '$name'; there are ${all[*]}" >&2; exit 1 ;;
  esac
done
