"""The forms of a program that programmers and boot loaders take."""
