#!/bin/sh
# style.sh [PART…]: the rules of form that a tool can check, all or the named ones. Names every file that
# breaks one. Tools of PyPI are installed in build-style, in versions that change by a commit.
#   format      clang-format
#   python      ruff, mypy --strict
#   shell       shellcheck
#   spelling    codespell
#   workflows   schemas of the files in .github, CITATION.cff and .pre-commit-config.yaml, zizmor; actionlint where it is installed
#   packages    the recipe of conda; the formula of Homebrew where ruby, or rubocop, is installed
#   tidy        clang-tidy (10 minutes of processor time)
set -eu

[ $# -gt 0 ] || set -- format python shell spelling workflows packages tidy
status=0
tools='ruff==0.17.5 mypy==2.4.1 numpy==2.4.6 check-jsonschema==0.39.0 pre-commit==4.7.0 zizmor==1.32.0 py-rattler-build==0.73.0'

need_tools() {
  [ "$(cat build-style/tools 2>/dev/null)" != "$tools" ] || return 0
  rm -rf build-style
  /usr/bin/python3 -m venv build-style
  # shellcheck disable=SC2086
  build-style/bin/pip install --quiet $tools
  echo "$tools" >build-style/tools
}

# Tables that a tool writes keep their columns.
sources() { git ls-files '*.c' '*.h' | grep -vE '_table\.[ch]$'; }

check_format() { sources | xargs clang-format --dry-run --Werror; }

check_python() {
  need_tools &&
    build-style/bin/ruff check --quiet python tools tests bench &&
    build-style/bin/mypy --no-error-summary python/tacit
}

check_shell() { git ls-files '*.sh' .ci/run | xargs shellcheck --severity=warning; }

check_spelling() {
  git ls-files '*.md' '*.c' '*.h' '*.py' '*.sh' '*.txt' '*.build' '*.toml' |
    grep -vE 'corpus/|_table\.[ch]$|\.ipynb$' | xargs codespell --ignore-words tools/spelling.txt
}

schema() {
  kind=$1
  shift
  build-style/bin/check-jsonschema --quiet --builtin-schema "vendor.$kind" "$@"
}

check_workflows() {
  need_tools &&
    schema github-workflows .github/workflows/*.yml &&
    schema github-issue-forms .github/ISSUE_TEMPLATE/*.yml &&
    schema dependabot .github/dependabot.yml &&
    schema citation-file-format --default-filetype yaml CITATION.cff &&
    build-style/bin/pre-commit validate-config &&
    build-style/bin/zizmor --offline --quiet .github &&
    { ! command -v actionlint >/dev/null 2>&1 || actionlint .github/workflows/*.yml; }
}

# In formulas a path is written as folder/"name".
check_packages() {
  need_tools &&
    build-style/bin/python -c 'import sys; from rattler_build import Stage0Recipe; Stage0Recipe.from_file(sys.argv[1])' \
      packaging/conda/recipe.yaml &&
    { ! command -v ruby >/dev/null 2>&1 || ruby -wc packaging/homebrew/tacit.rb >/dev/null; } &&
    { ! command -v rubocop >/dev/null 2>&1 || rubocop --format emacs --only Lint,Layout,Naming,Security \
      --except Layout/SpaceAroundOperators packaging/homebrew/tacit.rb; }
}

# The headers that are made are made first.
check_tidy() {
  CC=clang tools/configure.sh build-clang -Dtests=enabled -- &&
    ninja -C build-clang --quiet cli_texts.c extra/report/page_texts.h extra/export/export_texts.h || return 1
  run-clang-tidy -quiet -p build-clang "^$PWD/(src|extra|cli|demo|mpi)/" >build-clang/tidy 2>&1 || {
    grep -E 'warning:|error:' build-clang/tidy | sort -u
    return 1
  }
}

# Shells ignore `set -e` in what stands before "||", so the parts above are chains of &&.
for part in "$@"; do
  echo "== $part"
  case $part in
    format | python | shell | spelling | workflows | packages | tidy) "check_$part" || status=1 ;;
    *)
      echo "style.sh: no part '$part'" >&2
      exit 2
      ;;
  esac
done
exit "$status"
