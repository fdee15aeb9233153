"""More of torchvision's networks, the large ones among them: see test_torchvision.py."""
import sys

import test_torchvision

sys.exit(test_torchvision.main(full=True))
