#!/bin/sh
# docs.sh BUILD: renders the pages, the man pages of the program in BUILD and the Python package as one
# site, build-docs/site, which needs no server. A dead link is an error. MkDocs is PyPI's, in build-docs.
set -eu

venv=build-docs/venv
[ -x "$venv/bin/mkdocs" ] || {
  mkdir -p build-docs
  /usr/bin/python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet 'mkdocs>=1.6,<2' 'mkdocs-material>=9.5,<10' 'mkdocstrings[python]>=0.26'
}
/usr/bin/python3 tools/docs.py "$1" build-docs/pages
# With --quiet, MkDocs would not count the warnings that --strict makes errors.
NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --strict --clean --config-file build-docs/mkdocs.yml >build-docs/log 2>&1 || {
  grep -E 'WARNING|ERROR|Aborted' build-docs/log >&2
  exit 1
}
if grep -E 'contains a link|not found' build-docs/log >&2; then
  exit 1
fi
if grep -rlE '<(script|link)[^>]+(src|href)="https?:' build-docs/site --include='*.html' | head -n 3 | grep . >&2; then
  echo 'these pages load something from the network' >&2
  exit 1
fi
echo "build-docs/site/index.html: $(find build-docs/site -name '*.html' | wc -l) pages"
