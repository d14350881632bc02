-- Findings
-- What costs time, by fixed rules over the views below; the costliest first.
-- Brief: finding, evidence, try_next
-- Report: rank, finding, evidence, try_next, evidence_view
-- Empty: No rule found anything that costs much time.
SELECT rank, finding, value, threshold, evidence, try_next, evidence_view
FROM findings
WHERE run = $run
ORDER BY rank
