"""What surrounds a model: raw values of a sensor in front of it, decisions behind it."""
