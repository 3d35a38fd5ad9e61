// What an app's coordinator names beside this room: exit codes and sentences, routes, and what its handlers are told.
@_exported public import MobiusCommand
@_exported public import MobiusProgram

@_exported public import struct MobiusDriver.CoordinatorError
@_exported public import class MobiusRuntime.EffectContext
@_exported public import struct MobiusRuntime.EffectFailed
@_exported public import struct MobiusWire.Attempt
@_exported public import struct MobiusWire.EffectID
@_exported public import struct MobiusWire.LoopID
