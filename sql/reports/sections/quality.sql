-- Quality of the capture
-- How far the numbers below can be trusted; the worst first.
-- Empty: Every check of the capture is ok.
-- Brief: status, check_name, sentence, remedy
SELECT status, host, check_name, subject, value, sentence, remedy
FROM capture_quality
WHERE run = $run AND status <> 'ok'
ORDER BY CASE status WHEN 'fail' THEN 0 WHEN 'warn' THEN 1 ELSE 2 END, check_name, host, subject
