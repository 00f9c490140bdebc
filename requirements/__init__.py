"""What sets up a clone: pinned packages and the tools of apt."""
