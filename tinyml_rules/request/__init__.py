"""What a compilation is asked to do, and the words that ask for it."""
