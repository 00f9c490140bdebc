"""What a device has in its tensors, beside what a reference has."""
