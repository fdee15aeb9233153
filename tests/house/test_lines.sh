#!/bin/sh
# No line of C is longer than 120 columns.
set -u
cd "${SOURCE_DIR:?the source directory}" || exit 1
! find include src cli tests examples bench -name '*.[ch]' -exec grep -nE '^.{121,}' {} + | cut -c1-160 | grep . || exit 1
