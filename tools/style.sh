#!/bin/sh
# style.sh [PART…]: the rules of form that a tool can check, all or the named ones: format (clang-format),
# python (ruff and mypy of PyPI, in build-style), shell (shellcheck), spelling (codespell), workflows
# (actionlint, where it is installed), tidy (clang-tidy; minutes). Names every file that breaks one.
set -eu

[ $# -gt 0 ] || set -- format python shell spelling workflows tidy
status=0

# Tables that a tool writes keep their columns.
sources() { git ls-files '*.c' '*.h' | grep -vE '_table\.[ch]$'; }

check_format() { sources | xargs clang-format --dry-run --Werror; }

check_python() {
  [ -x build-style/bin/ruff ] || {
    /usr/bin/python3 -m venv build-style
    build-style/bin/pip install --quiet 'ruff>=0.9' 'mypy>=1.11' numpy
  }
  build-style/bin/ruff check --quiet python tools tests bench
  build-style/bin/mypy --no-error-summary python/tacit
}

check_shell() { git ls-files '*.sh' .ci/run | xargs shellcheck --severity=warning; }

check_spelling() {
  git ls-files '*.md' '*.c' '*.h' '*.py' '*.sh' '*.txt' '*.build' '*.toml' |
    grep -vE 'corpus/|_table\.[ch]$' | xargs codespell --ignore-words tools/spelling.txt
}

check_workflows() {
  if command -v actionlint >/dev/null 2>&1; then
    actionlint .github/workflows/*.yml
  else
    echo "actionlint is not installed: the lint suite checks the targets that workflows name, nothing more"
  fi
}

check_tidy() {
  CC=clang tools/configure.sh build-clang -Dtests=enabled --
  ninja -C build-clang --quiet cli_texts.c
  run-clang-tidy -quiet -p build-clang '/(src|extra|cli|demo|mpi)/.*\.c$' >build-clang/tidy 2>&1 || {
    grep -E 'warning:|error:' build-clang/tidy | sort -u
    return 1
  }
}

for part in "$@"; do
  echo "== $part"
  case $part in
    format | python | shell | spelling | workflows | tidy) "check_$part" || status=1 ;;
    *)
      echo "style.sh: no part '$part'" >&2
      exit 2
      ;;
  esac
done
exit "$status"
