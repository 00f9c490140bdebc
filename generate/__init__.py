"""What this repository has that a program writes: `python -m generate` writes all of it.

Parts of pages, their pictures, the tables that CMake and Bazel read, and the scripts that shells
read are made from the code and from recorded figures (`files.py`).  Three things need more than
that, and have a command each: `generate.parts` (PlatformIO's platforms), `generate.code_table`
(every toolchain, half an hour) and `generate.page_pictures` (Chromium).  `generate.changelog` makes
a version's sections of CHANGELOG.md from the files of `changes/`.
"""
