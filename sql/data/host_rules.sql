-- One row per rule that tells from its name what a host event is: a wait, a launch of a program or the profiler's own.
-- Events that no rule matches are the host's own work. What runs inside a wait waits too.
CREATE TABLE host_rules (
  -- Regular expression (RE2) that the whole name must match.
  pattern VARCHAR NOT NULL,
  -- wait: the thread waits for a device or for threads that work for one; launch: it dispatches a program to devices;
  -- profiler: it starts or ends the capture.
  role VARCHAR NOT NULL,
  -- What such an event does.
  meaning VARCHAR NOT NULL
);
