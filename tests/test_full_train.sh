#!/bin/sh
# Training killed at ten random moments instead of three.
ROUNDS=10 exec sh "${SOURCE_DIR:?the source directory}/tests/test_train_cli.sh"
