#!/bin/sh
# example_pages.sh PROGRAM FOLDER: the pages that the documentation shows, from a fresh demo:
# FOLDER/report.html, FOLDER/plan.html, and FOLDER/report.png if Chromium is installed.
set -eu
program=$(realpath "$1")
folder=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$program" demo -q >out
"$program" report demo-data/private.json --eval demo-data/eval.json --ledger demo-data/demo-ledger.db \
  --dataset registry --title "Readmission within 30 days: a model for the wards" \
  --institution "An example hospital" --purpose "to choose whom the ward calls after discharge" \
  --contact "the data protection officer" --date 2026-07-01 \
  --bounds "the data dictionary of the registry, of 2019" -o demo-data/report.html
"$program" plan --rows 100000 --schema demo-data/schema.json --epsilon 1 --html plan.html >out
# The ledger names the user and the host that made it, and when: before the date of the page.
sed -E "s/$(id -un)@$(hostname)/anna@web1/g; s/$(date -u +%Y-%m-%d) [0-9:]{5}/2026-06-30 14:05/g" demo-data/report.html >"$folder/report.html"
cp plan.html "$folder"
command -v chromium >/dev/null || exit 0
chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
  --disable-background-networking --disable-component-update --disable-sync --hide-scrollbars \
  --user-data-dir="$work/profile" --blink-settings=preferredColorScheme=1 \
  --window-size=1000,1150 --screenshot="$folder/report.png" "file://$folder/report.html" >out 2>&1
