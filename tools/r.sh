#!/bin/sh
# r.sh install|test BUILD: installs the R package of r/ against the library in BUILD, or builds it and runs
# R CMD check --as-cran, without the network, and its tests, with R's collector at every allocation for some.
# Everything is made in build-r.
set -eu

what=$1
TACIT_SOURCE=$PWD
TACIT_BUILD=$(realpath "$2")
export TACIT_SOURCE TACIT_BUILD TACIT_TORTURE=1
export _R_CHECK_CRAN_INCOMING_REMOTE_=false _R_CHECK_FORCE_SUGGESTS_=false
if [ "$what" = install ]; then
  R CMD INSTALL --clean r
  exit 0
fi
# The model of Python is compared if `make python-test` or `make test` has built the package.
[ ! -x build-python/debian/bin/python ] || TACIT_PYTHON=$PWD/build-python/debian/bin/python
export TACIT_PYTHON="${TACIT_PYTHON:-}"
rm -rf build-r
mkdir -p build-r
cp -r r build-r/tacit
(cd build-r && rm -f tacit/src/Makevars tacit/src/*.o tacit/src/*.so && R CMD build tacit)
(cd build-r && R CMD check --as-cran --no-manual --no-build-vignettes tacit_*.tar.gz) || {
  cat build-r/tacit.Rcheck/00install.out build-r/tacit.Rcheck/tests/*.fail 2>/dev/null | tail -60
  exit 1
}
if grep -E '^Status:.*(ERROR|WARNING)' build-r/tacit.Rcheck/00check.log; then
  exit 1
fi
tail -n 3 build-r/tacit.Rcheck/tests/testthat.Rout
