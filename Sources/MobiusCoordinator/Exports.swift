// Other modules' types that an app's coordinator uses: exit codes and their messages, routes, and parameters of
// handlers.
@_exported public import MobiusProcess
@_exported public import MobiusProgram

@_exported public import struct MobiusDriver.CoordinatorError
@_exported public import struct MobiusJournal.HistoryWindow
@_exported public import enum MobiusJournal.KeptHistory
@_exported public import class MobiusRuntime.EffectContext
@_exported public import struct MobiusRuntime.EffectFailed
@_exported public import struct MobiusWire.Attempt
@_exported public import struct MobiusWire.EffectID
@_exported public import struct MobiusWire.LoopID
