"""A guest in a training loop: when to profile and where the profile lands."""
