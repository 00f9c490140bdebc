"""What a device has in its tensors, beside TFLM."""
