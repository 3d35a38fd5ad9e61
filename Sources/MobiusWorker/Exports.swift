// What the handlers of a worker name beside this room: their context, and how they fail.
@_exported public import MobiusRuntime

@_exported public import struct MobiusKeys.KeyError
@_exported public import struct MobiusKeys.PeerKey
@_exported public import struct MobiusWire.Attempt
@_exported public import struct MobiusWire.EffectID
@_exported public import struct MobiusWire.LoopID
