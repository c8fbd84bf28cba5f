"""`python -m tribridge`: the commands, as the script `tribridge` runs them."""

from tribridge.cli import main

if __name__ == "__main__":
    main()
