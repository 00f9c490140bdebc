"""The synthetic keyword spotter: `train.py` writes all its files."""
