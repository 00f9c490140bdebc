"""What a program writes of this repository is up to date, and says what it is to say."""
