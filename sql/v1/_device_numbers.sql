-- One row per (run, host, device): a short number for the device, so that sweeps sort by integers.
CREATE VIEW _device_numbers AS
SELECT run, host, device, row_number() OVER (ORDER BY run, host, device) AS device_number FROM devices;
