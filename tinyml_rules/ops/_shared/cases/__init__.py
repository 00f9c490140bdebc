"""What the test cases of several operators share."""
