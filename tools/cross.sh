#!/bin/sh
# cross.sh BUILD JOBS: builds for aarch64 and for s390x, which is big-endian, and runs the unit
# and contract tests, the golden cases and seeded runs under qemu. The results of seeded runs
# must have the same bytes as those of BUILD, the build for this processor.
set -eu

jobs=$2
TACIT_HERE=$PWD/$1/tacit
export TACIT_HERE
SLOWER=40 # Emulated programs are some twenty times slower.
export SLOWER
status=0
for pair in aarch64:arm64 s390x:s390x; do
  cpu=${pair%:*}
  dir=$PWD/build-cross/$cpu
  echo "== $cpu"
  tools/sysroot.sh "${pair#*:}" "$dir"
  printf "[constants]\nroot = '%s'\n" "$dir/root" >"$dir/root.ini"
  tools/configure.sh "$dir/build" -Dtests=enabled -Dmpi=disabled -- \
    --cross-file "$dir/root.ini" --cross-file "tools/cross/$cpu.ini"
  tools/test.sh "$dir/build" "$jobs" '--suite unit --suite contract --suite cross' || status=1
done
exit "$status"
