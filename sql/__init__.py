"""What every number means: tables, views, their docs and checks."""
