#!/bin/sh
# train.sh TACIT PROGRAM: makes a table and trains on it with PROGRAM, the example train.c.
set -eu

tacit=$(realpath "$1")
program=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$tacit" demo --rows 2000 --quiet >/dev/null
"$program" demo-data/train.csv demo-data/schema.json model.json | grep -q '^PRIVATE$'
"$tacit" predict model.json demo-data/test.csv >predictions
test -s predictions
status=0
"$program" demo-data/absent.csv demo-data/schema.json none.json 2>message || status=$?
test "$status" = 1 && grep -q absent.csv message && test ! -e none.json
