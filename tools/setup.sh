#!/bin/sh
# setup.sh GROUP…: makes sure that the tools and libraries of the groups (build, test, python,
# spark, browser, check, style, fuzz, coverage, docs, cross, deb, wheel, packages, bench) are installed. If some are missing, it installs
# them as root on Debian; otherwise it prints the command to run and fails.
set -eu

# group, Debian package, and what shows that it is installed: a command, a pkg-config module
# ("lib:NAME"), a C header ("header:NAME"), a module of Debian's Python ("py:NAME") or, of a package
# without any of these, the package itself ("package:NAME").
packages='
build gcc            gcc
build libc6-dev      header:stdio.h
build make           make
build meson          meson
build ninja-build    ninja
build pkg-config     pkg-config
build libsodium-dev  lib:libsodium
build libjansson-dev lib:jansson
build zlib1g-dev     lib:zlib
build libzstd-dev    lib:libzstd
build libsqlite3-dev lib:sqlite3
test  libcmocka-dev  lib:cmocka
test  libmpfr-dev    header:mpfr.h
test  python3        python3
test  cmake          cmake
test  gzip           gzip
test  zstd           zstd
test  mandoc         mandoc
test  binutils       nm
test  libpq-dev      lib:libpq
test  postgresql     pg_lsclusters
test  libopenmpi-dev mpicc
test  openmpi-bin    mpirun
python python3-dev     lib:python3
python python3-pip     py:pip
python python3-mesonpy py:mesonpy
python python3-numpy   py:numpy
python python3-scipy   py:scipy
python python3-sklearn py:sklearn
python python3-pandas  py:pandas
python python3-pytest  py:pytest
spark default-jre-headless java
browser chromium        chromium
browser chromium-driver chromedriver
browser fonts-dejavu-core package:fonts-dejavu-core
check valgrind       valgrind
check python3-pip    py:pip
deb   build-essential package:build-essential
deb   libpq-dev      lib:libpq
deb   python3-dev    lib:python3
deb   dpkg-dev       dpkg-buildpackage
deb   debhelper      dh
deb   dh-python      dh_python3
deb   lintian        lintian
wheel python3-venv   py:ensurepip
packages debootstrap debootstrap
style clang-format   clang-format
style clang-tidy     clang-tidy
style clang          clang
style shellcheck     shellcheck
style codespell      codespell
style git            git
style python3-venv   py:ensurepip
fuzz  clang          clang
fuzz  libclang-rt-14-dev package:libclang-rt-14-dev
coverage gcovr       gcovr
docs  mandoc         mandoc
docs  git            git
docs  python3-venv   py:ensurepip
cross gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc
cross gcc-s390x-linux-gnu   s390x-linux-gnu-gcc
cross qemu-user             qemu-s390x
bench liblinear-tools liblinear-train
bench valgrind       valgrind
bench linux-perf     perf
bench binutils       nm
bench python3-venv   py:ensurepip
'

is_there() {
  case $1 in
    lib:*) pkg-config --exists "${1#lib:}" 2>/dev/null ;;
    package:*) dpkg-query -W -f '${Status}' "${1#package:}" 2>/dev/null | grep -q 'ok installed' ;;
    header:*) echo "#include <${1#header:}>" | ${CC:-cc} -E - >/dev/null 2>&1 ;;
    py:*) /usr/bin/python3 -c "import importlib.util as i, sys
sys.exit(i.find_spec('${1#py:}') is None)" 2>/dev/null ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

missing_of() {
  echo "$packages" | while read -r group package probe; do
    case " $* " in
      *" ${group:-none} "*) is_there "$probe" || echo "$package" ;;
    esac
  done | paste -s -d ' ' -
}

missing=$(missing_of "$@")
[ -n "$missing" ] || exit 0

command="apt-get install -y --no-install-recommends $missing"
if ! command -v apt-get >/dev/null 2>&1; then
  echo "Missing. Install what these Debian packages hold: $missing" >&2
  exit 1
fi
if [ "$(id -u)" != 0 ]; then
  echo "Missing packages. Run: sudo apt-get update && sudo $command" >&2
  exit 1
fi

echo "Installing: $missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
# An old or incomplete package index may still be enough: the installation decides.
apt-get update -qq >"$log" 2>&1 || true
# Another installation may hold dpkg's lock, for example the nightly updates of a machine.
if ! $command -o DPkg::Lock::Timeout=300 >>"$log" 2>&1; then
  cat "$log" >&2
  echo "Could not install the packages. Run: $command" >&2
  exit 1
fi
missing=$(missing_of "$@")
if [ -n "$missing" ]; then
  echo "Still missing after the installation: $missing" >&2
  exit 1
fi
