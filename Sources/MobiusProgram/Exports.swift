// Types that routes use: effects' policies and failures.
@_exported public import struct MobiusEngine.CronSchedule
@_exported public import enum MobiusEngine.EffectFailure
@_exported public import struct MobiusEngine.EffectLimit
@_exported public import struct MobiusEngine.EffectPolicy
@_exported public import enum MobiusEngine.EffectTimeout
@_exported public import struct MobiusEngine.EffectTimeouts
@_exported public import struct MobiusEngine.RetryPolicy
@_exported public import enum MobiusEngine.TimerSchedule
// Facts, by which loops are found.
@_exported public import protocol MobiusWire.FactConvertible
@_exported public import enum MobiusWire.FactValue
@_exported public import struct MobiusWire.Facts
@_exported public import struct MobiusWire.WallTime
