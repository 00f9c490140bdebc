"""Proofs of the generated C by Frama-C: of each portable kernel, and of whole models."""
