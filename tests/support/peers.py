"""Python modules that tests compare with, from whichever interpreter has them."""
import importlib
import os
import subprocess
import sys

SYSTEM_PYTHON = "/usr/bin/python3"  # distributions put their packages beside it; it need not be the first in the path


def lack(what):
    """Ends the test: skipped, or failed where it must not be."""
    sys.stdout.flush()
    sys.exit(subprocess.call(["sh", os.path.join(os.environ["SOURCE_DIR"], "tests", "support", "lack.sh"), what]))


def there(module):
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def need(*modules):
    """Goes on if the modules are there, here or in the system's interpreter, which then runs the test instead."""
    missing = [name for name in modules if not there(name)]
    if not missing:
        return
    if os.path.exists(SYSTEM_PYTHON) and "TIPS_RETRIED" not in os.environ:
        os.environ["TIPS_RETRIED"] = "1"
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON] + sys.argv)
    packages = " ".join(f"python3-{name}" for name in missing)
    lack(f"{sys.executable} has no {', '.join(missing)} (Debian: {packages})")


def need_libraries(*names):
    """Goes on if the command was built with these optional libraries, by their linker's names."""
    built = os.environ.get("TIPS_LIBRARIES", " ".join(names)).split()
    missing = [name for name in names if name not in built]
    if missing:
        lack(f"a build with {', '.join(missing)}")
