#!/bin/sh
# packages.sh: tries what `make static deb wheel` made on a fresh Debian without build tools, in
# build-root: the program alone in an empty folder, the packages, and the wheel in a new virtual
# environment. Needs root, debootstrap, the Debian archive and PyPI. Prints TAP.
set -u

root=$PWD/build-root
n=0
failed=0
case_of() { # case_of NAME COMMAND…
  n=$((n + 1))
  name=$1
  shift
  if "$@" >"$root.log" 2>&1; then
    echo "ok $n - $name"
  else
    failed=1
    echo "not ok $n - $name"
    tail -20 "$root.log" | sed 's/^/# /'
  fi
}
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive "$@"; }

fresh_debian() {
  rm -rf "$root"
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
  debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" "$mirror" &&
    cp -r /etc/apt/. "$root/etc/apt/" && cp /etc/resolv.conf "$root/etc/" &&
    inside apt-get update -qq
}
no_build_tools() { ! inside sh -c 'command -v cc || command -v meson'; }
program_alone() {
  rm -rf "$root.empty"
  mkdir "$root.empty" && cp build-onefile/tacit "$root.empty/" &&
    chroot "$root.empty" /tacit demo && test -s "$root.empty/demo-data/private.json"
}
packages_install() {
  mkdir -p "$root/packages" && cp build-deb/*.deb "$root/packages/" && rm -f "$root"/packages/*-dbgsym_* &&
    inside sh -c 'apt-get install -y --no-install-recommends /packages/tacit_*.deb /packages/libtacit1_*.deb /packages/python3-tacit_*.deb'
}
packaged_program() { inside sh -c 'cd /tmp && tacit demo && test -s demo-data/private.json'; }
fit='import numpy, tacit
x = numpy.random.default_rng(1).uniform(-1, 1, (4000, 3))
y = (x[:, 0] > 0).astype(int)
model = tacit.LogisticRegression(epsilon=1.0, classes=[0, 1], data_norm=1.8).fit(x, y)
assert model.score(x, y) > 0.8
print(tacit.__file__)'
packaged_python() { inside python3 -c "$fit"; }
# The packages it needs are fetched outside, so that the inside needs no settings for PyPI.
wheel_installs() {
  inside apt-get install -y --no-install-recommends python3-venv &&
    build-wheel/venv/bin/pip download --quiet -d "$root/wheels" build-wheel/*.whl &&
    inside sh -c 'python3 -m venv /venv && /venv/bin/pip install --quiet --no-index --find-links /wheels tacit'
}
wheel_fits() { inside /venv/bin/python -c "$fit"; }

case_of 'the program alone runs in an empty folder' program_alone
case_of 'a fresh Debian' fresh_debian
case_of 'it has no build tools' no_build_tools
# The wheel comes first: Debian's scikit-learn, which the packages need, brings a compiler along.
case_of 'the wheel installs in a new environment' wheel_installs
case_of 'the Python of the wheel fits' wheel_fits
case_of 'there are still no build tools' no_build_tools
case_of 'the packages install' packages_install
case_of 'the packaged program runs its demo' packaged_program
case_of 'the packaged Python fits' packaged_python
echo "1..$n"
rm -rf "$root" "$root.empty" "$root.log"
exit $failed
