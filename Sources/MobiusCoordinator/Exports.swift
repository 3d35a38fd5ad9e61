// What an app's coordinator names beside this room: exit codes and sentences, and how effects fail.
@_exported public import MobiusCommand

@_exported public import enum MobiusEngine.EffectFailure
