// The type whose value an executable sets.
@_exported public import struct MobiusTelemetry.TelemetryServer
