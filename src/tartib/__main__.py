"""The command ``tartib``, and ``python -m tartib``.

Modules are imported when the signals are caught: nothing has been begun then that would have to be
cleared away.
"""

import os
import signal
from types import FrameType
from typing import NoReturn


def _stop_at_once(number: int, _: FrameType | None) -> NoReturn:
    """End while modules are imported, which would make a traceback of an exception."""
    try:
        os.write(2, b"tartib: interrupted: no output file was written\n")
    finally:
        os._exit(128 + number)


def main() -> None:
    """Run the command line."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop_at_once)
    from tartib.cli import main as run  # which catches the signals itself when it can

    run()


if __name__ == "__main__":
    main()
