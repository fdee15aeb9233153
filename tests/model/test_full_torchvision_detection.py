"""torchvision's detectors and ours, the larger comparison."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", "model"))
import test_torchvision_detection as detection  # beside this file

if __name__ == "__main__":
    sys.exit(detection.main([detection.RetinaNet], full=True))
