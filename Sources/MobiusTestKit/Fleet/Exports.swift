// Re-exported, because tests declare routes and handlers and use ids.
@_exported public import MobiusProgram
@_exported public import MobiusRuntime

@_exported public import struct MobiusEngine.SessionTiming
@_exported public import struct MobiusWire.Attempt
@_exported public import struct MobiusWire.EffectID
@_exported public import struct MobiusWire.LoopID
