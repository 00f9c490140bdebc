"""Tests of the proofs by Frama-C."""
