// What a test writes beside its program: routes, handlers, and the names of things.
@_exported public import MobiusProgram
@_exported public import MobiusRuntime

@_exported public import struct MobiusEngine.SessionTiming
@_exported public import struct MobiusWire.Attempt
@_exported public import struct MobiusWire.EffectID
@_exported public import struct MobiusWire.LoopID
