// What a test writes beside its program: routes, handlers, and the names of things.
@_exported public import MobiusProgram
@_exported public import MobiusRuntime

@_exported public import struct MobiusEngine.CronSchedule
@_exported public import enum MobiusEngine.EffectFailure
@_exported public import struct MobiusEngine.EffectLimit
@_exported public import struct MobiusEngine.EffectPolicy
@_exported public import enum MobiusEngine.EffectTimeout
@_exported public import struct MobiusEngine.EffectTimeouts
@_exported public import struct MobiusEngine.RetryPolicy
@_exported public import struct MobiusEngine.SessionTiming
@_exported public import enum MobiusEngine.TimerSchedule
@_exported public import struct MobiusWire.Attempt
@_exported public import struct MobiusWire.EffectID
@_exported public import struct MobiusWire.LoopID
@_exported public import struct MobiusWire.WallTime
