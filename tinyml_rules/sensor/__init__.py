"""The description of a sensor: raw values before a model, decisions after it."""
