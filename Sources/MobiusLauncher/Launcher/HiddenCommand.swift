/// The commands of `mobius` that only `mobius up` starts.
package enum HiddenCommand {
    /// Runs the hidden command that the first argument names; returns when it names none.
    ///
    /// Must be the first line of `main`: ArgumentParser must not interpret the arguments of the command that the shim
    /// executes.
    package static func run(_ arguments: [String]) {
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        case ExecShim.commandName: ExecShim.run(rest)
        case GuardProcess.commandName: GuardProcess.run(rest)
        default: return
        }
    }
}
