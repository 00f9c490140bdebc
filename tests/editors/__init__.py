"""What editors are told: schemas, tasks, and the matcher of messages."""
