#!/bin/sh
# Installs the build folder below a temporary one and uses it as a stranger would: C
# through pkg-config (shared and static) and CMake, one version that must be refused,
# headers alone, and the names the libraries show. Prints TAP.
# Environment: BUILD, PREFIX, LIBDIR, INCLUDEDIR, VERSION, SANITIZE, CC, LIBRARY (both, shared
# or static: what is installed), FORTIFIED (true or false).
set -u

here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
stage=$tmp/stage
lib=$stage$PREFIX/$LIBDIR
include=$stage$PREFIX/$INCLUDEDIR
flags='-std=c11 -Wall -Wextra -Wpedantic -Werror'
# Meson puts ccache before the compiler where it is installed; CMake takes one word.
case $CC in *ccache\ *) CC=${CC#* } ;; esac
sanitize=
# A sanitized library works only in a program with the same runtime.
[ "$SANITIZE" = none ] || sanitize="-fsanitize=$SANITIZE"
series=$(echo "$VERSION" | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
unset LD_LIBRARY_PATH # of the build folder: what is installed must stand alone
export PKG_CONFIG_PATH="$lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$stage"

n=0
case_of() { # case_of NAME COMMAND…: one TAP line; the output is shown on failure
  n=$((n + 1))
  name=$1
  shift
  if "$@" >"$tmp/log" 2>&1; then
    echo "ok $n - $name"
  else
    echo "not ok $n - $name"
    sed 's/^/# /' "$tmp/log"
  fi
}
skip() {
  n=$((n + 1))
  echo "ok $n - $1 # SKIP $2"
}

installs() {
  meson install -C "$BUILD" --no-rebuild --quiet --destdir "$stage" &&
    { [ "$LIBRARY" = static ] || test -f "$lib/libtacit.so.1"; } &&
    { [ "$LIBRARY" = shared ] || test -f "$lib/libtacit.a"; } &&
    test -f "$include/tacit/version.h"
}

# shellcheck disable=SC2046,SC2086
shared_consumer() {
  $CC $flags $sanitize "$here/consumer.c" -o "$tmp/shared" \
    $(pkg-config --cflags --libs tacit) &&
    test "$(LD_LIBRARY_PATH=$lib "$tmp/shared")" = "tacit $VERSION" &&
    readelf -d "$tmp/shared" | grep -q 'NEEDED.*libtacit\.so\.1\]'
}

# shellcheck disable=SC2046,SC2086
static_consumer() {
  $CC $flags $sanitize "$here/consumer.c" -o "$tmp/static" \
    $(pkg-config --static --cflags --libs tacit | sed 's/-ltacit/-l:libtacit.a/') &&
    test "$("$tmp/static")" = "tacit $VERSION" &&
    ! readelf -d "$tmp/static" | grep -q 'NEEDED.*libtacit'
}

pkg_config_knows_its_version() {
  pkg-config --exists "tacit = $VERSION" && ! pkg-config --exists 'tacit >= 99'
}

pip_and_debian_spell_it() {
  version=$here/../../tools/version.sh
  release=${VERSION%-dev}
  case $VERSION in
    *-dev) test "$("$version" pip) $("$version" debian)" = "$release.dev0 $release~dev" ;;
    *) test "$("$version" pip) $("$version" debian)" = "$VERSION $VERSION" ;;
  esac && test "$("$version")" = "$VERSION"
}
one_version_everywhere() {
  seq 40 | awk '{ print 2 * ($1 % 2) - 1, "1:0." $1 }' >"$tmp/rows.svm"
  test "$("$BUILD/tacit" --version)" = "tacit $VERSION" &&
    "$BUILD/tacit" version | grep -qx "version $VERSION" &&
    "$BUILD/tacit" train -q --epsilon 1 --features 1 -o "$tmp/model.json" "$tmp/rows.svm" &&
    grep -q "\"version\": \"$VERSION\"" "$tmp/model.json" &&
    "$BUILD/tacit" show "$tmp/model.json" | grep -q "Tacit $VERSION" &&
    grep -q "define TACIT_VERSION \"$VERSION\"" "$include/tacit/version.h" &&
    test "$(pkg-config --modversion tacit)" = "$VERSION"
}
cmake_configure() { # cmake_configure FOLDER VERSION
  CC=$CC cmake -S "$here/cmake" -B "$tmp/$1" -G Ninja -DCMAKE_C_FLAGS="$sanitize" \
    -DCMAKE_PREFIX_PATH="$stage$PREFIX" -DASK="$2" \
    -DCONSUMER="$here/consumer.c"
}
cmake_consumer() {
  cmake_configure cmake "$series" && cmake --build "$tmp/cmake" &&
    test "$("$tmp/cmake/consumer")" = "tacit $VERSION"
}
cmake_refuses() {
  # The package must be seen and turned down, not just be out of sight.
  ! cmake_configure "refused-$1" "$1" >"$tmp/refused" 2>&1 &&
    grep -q 'tacit-config.cmake, version: ' "$tmp/refused"
}

# shellcheck disable=SC2086
headers_alone() { # headers_alone COMPILER LANGUAGE STANDARD
  status=0
  for header in "$include"/tacit/*.h "$include"/tacit/extra/*.h; do
    # The declaration is there because a file of macros alone is no translation unit.
    printf '#include <%s>\nextern int something;\n' "${header#"$include"/}" |
      $1 -x "$2" -std="$3" -Wall -Wextra -Wpedantic -Werror -I"$include" \
        -fsyntax-only - || status=1
  done
  return $status
}

# Sanitizers add symbols of their own, in the space reserved for the implementation.
foreign_symbols() { grep -v -e '^tacit_' -e '^__asan' -e '^__odr_asan' -e '^__ubsan'; }
shared_symbols() {
  nm -D --defined-only "$lib/libtacit.so" | awk '{ print $NF }' >"$tmp/names"
  grep -qx tacit_version "$tmp/names" && ! foreign_symbols <"$tmp/names"
}
static_symbols() {
  nm -g --defined-only "$lib/libtacit.a" | awk 'NF == 3 { print $3 }' >"$tmp/names"
  grep -qx tacit_version "$tmp/names" && ! foreign_symbols <"$tmp/names"
}
hidden_symbols() { # every exported function is declared in an installed header
  nm -D --defined-only "$lib/libtacit.so" | awk '{ print $NF }' | grep '^tacit_' >"$tmp/names"
  while read -r symbol; do
    grep -qrw "$symbol" "$include/tacit" || echo "$symbol"
  done <"$tmp/names" >"$tmp/undeclared"
  cat "$tmp/undeclared"
  test ! -s "$tmp/undeclared"
}
no_mutable_globals() {
  # Writable sections of the library's own objects; constant tables with addresses in
  # them live in .data.rel.ro, which is read-only once loaded.
  objdump -h "$lib/libtacit.a" |
    awk '/file format/ { object = $1 }
         $2 ~ /^\.(data|bss|tdata|tbss)(\..*)?$/ && $2 !~ /^\.data\.rel\.ro/ &&
           $3 !~ /^0+$/ { print object, $2, $3; bad = 1 }
         END { exit bad }'
}

# What strangers' bytes meet: the program and the shared library.
hardened_files() {
  ls "$stage$PREFIX/bin/tacit" "$lib/libtacit.so.1" 2>/dev/null
}
full_relro() {
  for file in $(hardened_files); do
    readelf -lW "$file" | grep -q GNU_RELRO && readelf -dW "$file" | grep -q BIND_NOW ||
      { echo "$file"; return 1; }
  done
}
position_independent() {
  for file in $(hardened_files); do
    readelf -hW "$file" | grep -q 'Type:.*DYN' || { echo "$file"; return 1; }
  done
}
imports() { # imports PATTERN: every file calls a function of that name
  for file in $(hardened_files); do
    readelf --dyn-syms -W "$file" | grep -qE " UND $1(@|\$| )" || { echo "$file"; return 1; }
  done
}
has_canary() { imports '__stack_chk_fail'; }
is_fortified() { imports '__(memcpy|snprintf|vsnprintf|fprintf|vfprintf|printf|read|strcpy)_chk'; }

# Every command of the program has its page, and the pages are those of commands.
pages_of_commands() {
  "$stage$PREFIX/bin/tacit" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/tacit-\1.1/p' |
    { cat; echo tacit.1; } | sort >"$tmp/commands"
  find "$stage$PREFIX" -name 'tacit*.1' ! -name 'tacit-mpi.1' -exec basename {} \; | sort >"$tmp/pages"
  diff "$tmp/commands" "$tmp/pages"
}

# completes EXPECTED WORD…: what bash offers for the last word, in one line
completes() {
  expected=$1
  shift
  found=$(bash -c 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tacit
    echo "${COMPREPLY[*]}"' "$stage$PREFIX/share/bash-completion/completions/tacit" "$@")
  test "$found" = "$expected" || { echo "$*: $found"; return 1; }
}
bash_completion() {
  completes train tacit tra &&
    completes '--epsilon' tacit train --eps &&
    completes 'replace' tacit train --adjacency rep &&
    completes 'replace' tacit train --adjacency = rep &&
    completes 'init' tacit ledger ini &&
    completes "$here/consumer.c" tacit train --schema "$here/consum" &&
    completes '' tacit train --epsilon ''
}
parses() { # parses SHELL FILE: the shell reads the script without running it
  "$1" -n "$stage$PREFIX/share/$2"
}

case_of 'installs below DESTDIR' installs
if [ -x "$stage$PREFIX/bin/tacit" ]; then
  case_of 'a man page for every command' pages_of_commands
  if command -v bash >/dev/null 2>&1; then
    case_of 'bash completes commands, options, values and files' bash_completion
  else
    skip 'bash completes commands, options, values and files' 'no bash here'
  fi
  for shell in 'zsh zsh/site-functions/_tacit' 'fish fish/vendor_completions.d/tacit.fish'; do
    if command -v "${shell% *}" >/dev/null 2>&1; then
      case_of "${shell% *} reads its completion" parses "${shell% *}" "${shell#* }"
    else
      skip "${shell% *} reads its completion" "no ${shell% *} here"
    fi
  done
fi
if [ "$LIBRARY" != static ]; then
  case_of 'C program, pkg-config, shared library' shared_consumer
fi
if [ "$LIBRARY" != shared ]; then
  case_of 'C program, pkg-config, static library' static_consumer
fi
case_of 'no table of addresses can be written: full RELRO' full_relro
case_of 'loads anywhere: position independent' position_independent
case_of 'a canary on the stack' has_canary
if [ "$FORTIFIED" = true ]; then
  case_of 'fortified calls' is_fortified
fi
case_of 'pkg-config knows the version' pkg_config_knows_its_version
case_of 'pip and Debian spell the version in their ways' pip_and_debian_spell_it
if [ -x "$BUILD/tacit" ]; then
  case_of 'program, model, statement, header and pkg-config say one version' one_version_everywhere
fi
if command -v cmake >/dev/null 2>&1; then
  case_of 'C program, CMake' cmake_consumer
  case_of 'CMake refuses version 99' cmake_refuses 99
  case_of 'CMake refuses the next minor version' cmake_refuses "${series%.*}.$((${series#*.} + 1))"
else
  skip 'C program, CMake' 'no cmake here'
fi
case_of 'headers alone, C11' headers_alone "$CC" c c11
if command -v c++ >/dev/null 2>&1; then
  case_of 'headers alone, C++17' headers_alone c++ c++ c++17
else
  skip 'headers alone, C++17' 'no C++ compiler here'
fi
if [ "$LIBRARY" != static ]; then
  case_of 'shared library shows tacit_ names only' shared_symbols
  case_of 'what is exported is in the headers' hidden_symbols
fi
if [ "$LIBRARY" = shared ]; then
  skip 'no mutable globals' 'no static library to look into'
else
  case_of 'static library defines tacit_ names only' static_symbols
fi
if [ "$LIBRARY" != shared ] && [ "$SANITIZE" = none ]; then
  case_of 'no mutable globals' no_mutable_globals
elif [ "$LIBRARY" != shared ]; then
  skip 'no mutable globals' 'the sanitizer adds some'
fi
echo "1..$n"
