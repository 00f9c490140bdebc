"""The program of the action TinymlCompile: the command line, as a script in a folder of its own."""

from tinyml_rules.cli import entry

if __name__ == "__main__":
    entry()
