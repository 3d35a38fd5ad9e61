// Re-exported, because handlers use their context and its ids, and throw `EffectFailed`.
@_exported public import MobiusRuntime

@_exported public import struct MobiusTransport.KeyError
@_exported public import struct MobiusTransport.PeerKey
@_exported public import struct MobiusWire.Attempt
@_exported public import struct MobiusWire.EffectID
@_exported public import struct MobiusWire.LoopID
