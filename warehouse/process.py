"""The events of one profiled process, streamed into the tables of its run."""

from .device_planes import DevicePlanes
from .hlo import read_modules
from .host_planes import HostPlanes
from .host_threads import ThreadNames
from .line_reader import LineReader
from .markers import HostSteps
from .opnames import Programs
from .planes import METADATA, device_name


def read_process(reader: LineReader) -> HostSteps:
    """Read every line of the file; returns what its host threads tell about steps. Raises WireError."""
    programs, threads = Programs(), ThreadNames()
    planes = reader.profile.planes
    for plane in planes:
        if plane.name == METADATA:
            for module in read_modules(plane):
                programs.add(module)
    hosts = HostPlanes(reader, programs, threads)
    hosts.read([plane for plane in planes if device_name(plane.name) is None])
    devices = [(name, plane) for plane in planes if (name := device_name(plane.name)) is not None]
    DevicePlanes(reader, programs, threads, hosts.steps).read(devices)
    return hosts.steps
