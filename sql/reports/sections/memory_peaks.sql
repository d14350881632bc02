-- Memory
-- The peak of each allocator, as its events tell.
SELECT host, allocator, device, allocation_count, deallocation_count, peak_bytes, peak_at_ps, reserved_bytes,
       available_bytes, peak_share, fragmentation_ratio, process_peak_bytes
FROM memory_peaks
WHERE run = $run
ORDER BY peak_bytes DESC NULLS LAST, host, allocator, device
