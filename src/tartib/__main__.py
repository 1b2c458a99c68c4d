"""``python -m tartib`` is ``tartib``."""

from tartib.cli import main

if __name__ == "__main__":
    main()
