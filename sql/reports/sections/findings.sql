-- Findings
-- What costs time, by fixed rules over the views below; the costliest first.
-- Brief: finding, evidence, try_next
SELECT rank, finding, value, threshold, evidence, try_next, evidence_view
FROM findings
WHERE run = $run
ORDER BY rank
