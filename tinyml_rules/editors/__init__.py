"""What editors are told of our files, commands and messages."""
