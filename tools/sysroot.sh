#!/bin/sh
# sysroot.sh ARCH DIR: downloads Debian's libraries for another processor (ARCH as dpkg names it)
# to DIR/root. Nothing else on this machine changes: apt uses DIR as a separate, empty system, so
# no architecture is added to dpkg, root is not needed, and versions that differ between
# processors do not conflict.
set -eu

arch=$1
dir=$2
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
libraries='libc6-dev libsodium-dev libjansson-dev zlib1g-dev libzstd-dev libsqlite3-dev libcmocka-dev libmpfr-dev'
[ ! -e "$dir/root/complete" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  echo "Libraries for $arch come from Debian with apt-get, which is not here." >&2
  exit 1
fi
rm -rf "$dir/root" "$dir/apt"
mkdir -p "$dir/root" "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial"
: >"$dir/apt/status"
cat >"$dir/apt/apt.conf" <<END
Dir::State "$dir/apt";
Dir::State::status "$dir/apt/status";
Dir::Cache "$dir/apt/cache";
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
END
export APT_CONFIG="$dir/apt/apt.conf"
log=$dir/apt/log
echo "Fetching Debian's libraries for $arch into $dir/root"
# Some package sources may lack this processor: the next command decides.
apt-get update -qq >"$log" 2>&1 || true
# shellcheck disable=SC2086
if ! apt-get install -y --no-install-recommends --download-only $libraries >>"$log" 2>&1; then
  cat "$log" >&2
  echo "Could not fetch Debian's libraries for $arch: see above." >&2
  exit 1
fi
for package in "$dir"/apt/cache/archives/*.deb; do dpkg-deb -x "$package" "$dir/root"; done
# Absolute links point to files below root.
find "$dir/root" -type l -lname '/*' | while read -r link; do
  ln -sfn "$dir/root$(readlink "$link")" "$link"
done
rm -rf "$dir/apt"
touch "$dir/root/complete"
