// Types of a client's requests and answers.
@_exported public import struct MobiusKeys.KeyError
@_exported public import struct MobiusKeys.PeerKey
@_exported public import struct MobiusWire.Attempt
@_exported public import struct MobiusWire.DeadLetterSummary
@_exported public import struct MobiusWire.EffectID
@_exported public import struct MobiusWire.EffectSummary
@_exported public import struct MobiusWire.FleetStatus
@_exported public import struct MobiusWire.LoopID
@_exported public import struct MobiusWire.LoopStatus
@_exported public import struct MobiusWire.Payload
@_exported public import struct MobiusWire.PayloadKind
@_exported public import struct MobiusWire.PoolStatus
@_exported public import struct MobiusWire.QuarantineSummary
@_exported public import struct MobiusWire.RandomID
@_exported public import struct MobiusWire.WallTime
@_exported public import struct MobiusWire.WorkerStatus
