// What an app's coordinator names beside this room: exit codes and sentences, routes, and how effects fail.
@_exported public import MobiusCommand
@_exported public import MobiusProgram

@_exported public import struct MobiusEngine.CronSchedule
@_exported public import enum MobiusEngine.EffectFailure
@_exported public import struct MobiusEngine.EffectLimit
@_exported public import struct MobiusEngine.EffectPolicy
@_exported public import enum MobiusEngine.EffectTimeout
@_exported public import struct MobiusEngine.EffectTimeouts
@_exported public import struct MobiusEngine.RetryPolicy
@_exported public import enum MobiusEngine.TimerSchedule
@_exported public import class MobiusRuntime.EffectContext
@_exported public import struct MobiusRuntime.EffectFailed
@_exported public import struct MobiusWire.Attempt
@_exported public import struct MobiusWire.EffectID
@_exported public import struct MobiusWire.LoopID
@_exported public import struct MobiusWire.WallTime
