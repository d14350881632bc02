"""Trace viewer exports of XLA's profiler (HOST.trace.json.gz), read as the XPlanes that they were made of."""
