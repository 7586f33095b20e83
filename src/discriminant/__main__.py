"""`python -m discriminant` is the command."""

from discriminant.cli.main import main

if __name__ == "__main__":
    main()
