import Foundation
import MobiusProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The hidden command `mobius __exec PARENT FILES EXECUTABLE NAME [ARGUMENT…]`: ties the process to `mobius up`, resets
/// its limit of open files to the one that `mobius up` had before it raised its own, then executes the command under the
/// name, which is the command's first word.
///
/// On Linux the kernel kills the process when the thread that started it ends (PR_SET_PDEATHSIG), so a SIGKILL of
/// `mobius up` leaves no orphans. swift-subprocess starts all processes on one thread of its own that lives as long as
/// `mobius up`, which makes that safe. Elsewhere the shim only executes the command. Exit codes are those of `env` and
/// `nohup`: 126 when the file cannot be executed, 127 when it does not exist.
enum ExecShim {
    static let commandName = "__exec"

    /// The executable that contains the shim: this one, even when its file was replaced meanwhile.
    static var executable: String {
        #if os(Linux)
            "/proc/self/exe"
        #else
            OwnExecutable.path
        #endif
    }

    /// The arguments with which ``executable`` executes a command, which is named like its executable by default.
    static func arguments(executable: String, name: String? = nil, _ arguments: [String]) -> [String] {
        [commandName, "\(getpid())", "\(OpenFiles.inherited)", executable, name ?? executable] + arguments
    }

    /// Executes the command, or exits; `arguments` are those after the command name.
    static func run(_ arguments: [String]) -> Never {
        guard arguments.count >= 4, let parent = Int32(arguments[0]), let openFiles = Int(arguments[1]) else {
            StandardError.write("mobius: \(commandName) is for mobius up only\n")
            exit(64)
        }
        dieWithParent(parent)
        OpenFiles.setLimit(openFiles)
        let executable = arguments[2]
        var words: [UnsafeMutablePointer<CChar>?] = arguments.dropFirst(3).map { strdup($0) }
        words.append(nil)
        execv(executable, &words)
        let code = errno
        StandardError.write("mobius: cannot start \(executable): \(String(cString: strerror(code)))\n")
        exit(code == ENOENT ? 127 : 126)
    }

    private static func dieWithParent(_ parent: Int32) {
        #if os(Linux)
            // Swift does not import variadic C functions; with integer arguments the call is the same.
            typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
            let setParentDeathSignal: Int32 = 1
            if let symbol = dlsym(nil, "prctl") {
                let control = unsafeBitCast(symbol, to: Control.self)
                _ = control(setParentDeathSignal, UInt(SIGKILL), 0, 0, 0)
            }
            // The parent may have died before the line above.
            guard getppid() == parent else { exit(128 + SIGKILL) }
        #endif
    }
}

/// The path of the `mobius` executable.
package enum OwnExecutable {
    /// Its absolute path, with symbolic links resolved.
    package static var path: String {
        #if os(Linux)
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        #else
            Bundle.main.executablePath ?? CommandLine.arguments[0]
        #endif
    }

    /// Its folder.
    package static var directory: String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }
}
