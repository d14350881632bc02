-- One row per (run, name): what the host events of a name are, where they are not the host's own work.
CREATE VIEW _host_roles AS
SELECT DISTINCT run, name, role FROM host_stats WHERE role IS NOT NULL;
