"""Tests of what deals with files and programs of this computer."""
