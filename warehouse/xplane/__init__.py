"""The XPlane decoder: file bytes in, columns out. Nothing here knows what an op or a step is."""
