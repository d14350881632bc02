"""xprof's own events converter: `python xprof_events.py FOLDER FILE...` writes FOLDER/<file name>.parquet.

Runs in a process of its own: once its library is loaded, other imports have crashed the interpreter.
"""

import sys
from pathlib import Path

from xprof.convert.events_db.python import pywrap_events_db_c_api

if __name__ == "__main__":
    for file in map(Path, sys.argv[2:]):
        output = Path(sys.argv[1]) / f"{file.name}.parquet"
        pywrap_events_db_c_api.xspace_to_parquet(input_path=str(file), output_path=str(output))
