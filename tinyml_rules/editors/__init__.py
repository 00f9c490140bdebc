"""What editors read of our files, commands and messages."""
