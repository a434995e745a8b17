"""`python -m mercer`: the command `mercer`."""

from mercer.cli import main

main()
