"""What editors read: schemas, tasks, and the matcher of messages."""
