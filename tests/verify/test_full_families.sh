#!/bin/sh
# The families under every shift, square and not.
exec sh "$(dirname "$0")/test_verify_families.sh" all '32 64x32'
