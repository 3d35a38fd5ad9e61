/// The commands of `mobius` that only `mobius up` starts.
package enum HiddenCommand {
    /// Becomes the command that the first argument names; returns when it is none of them.
    ///
    /// For the first line of `main`: ArgumentParser must not interpret the arguments of what the shim becomes.
    package static func run(_ arguments: [String]) {
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        case ExecShim.word: ExecShim.run(rest)
        case GuardProcess.word: GuardProcess.run(rest)
        default: return
        }
    }
}
