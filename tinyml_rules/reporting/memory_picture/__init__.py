"""Schedule and plan -> the memory plan as a picture, `<name>.memory.svg`, fitted to a page."""
