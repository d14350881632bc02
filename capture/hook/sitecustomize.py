"""Python runs this when it starts, because `profdb capture -- PROGRAM` puts this folder on PYTHONPATH.

It needs nothing installed: capture is loaded from the folder above, under a name of its own.
"""

import importlib
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_NAME = "_profdb_capture"


def _run_the_one_that_this_hides() -> None:
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _attach() -> None:
    folder = os.path.dirname(_HERE)
    spec = importlib.util.spec_from_file_location(
        _NAME, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = module
    spec.loader.exec_module(module)
    importlib.import_module(f"{_NAME}.attach").attach()


try:
    _attach()
except Exception as error:  # the program matters more than its profile
    sys.stderr.write(f"profdb: this Python cannot be profiled: {error}\n")
_run_the_one_that_this_hides()
