#!/bin/sh
# Training for longer, killed at ten random moments instead of three.
ROUNDS=10 EPOCHS=12 exec sh "${SOURCE_DIR:?the source directory}/tests/train/test_train_cli.sh"
