"""`python -m qa` is `beleg`."""

from qa.cli import main

if __name__ == "__main__":
    main()
