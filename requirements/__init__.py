"""Pinned packages, and the set-up that installs them."""
