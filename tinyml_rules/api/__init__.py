"""The functions of `import tinyml_rules`: one module each, on which the commands are written.

They print nothing, change neither the current folder nor the environment, and keep no state, so
that several may run at the same time in threads.  The package hands their names on
(`tinyml_rules/__init__.py`), with options in messages as Python writes them (`spelled.py`).
"""
