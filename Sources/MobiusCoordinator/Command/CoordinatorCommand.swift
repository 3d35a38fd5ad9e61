// Re-exported, because conforming takes ArgumentParser's members: an app needs no dependency of its own for them.
@_exported public import ArgumentParser
import Logging
import MobiusCommand
public import MobiusCore
import MobiusJournal

/// A coordinator as a command: name a program, write its routes, put `@main` on it.
///
/// ```swift
/// struct GreeterCoordinator: CoordinatorCommand {
///     typealias Program = Greeter
///
///     var routes: Routes {
///         Routes().routeCase(Greeter.Effect.greet).toWorkers("greeters", timeout: .seconds(5)) { name, failure in
///             .greetingFailed(name, failure.description)
///         }
///     }
/// }
/// ```
/// It has the options `--bind`, `--keys`, `--journal`, `--max-payload` and `--log-level`, and those that the type declares with
/// ArgumentParser's property wrappers. SIGTERM and SIGINT stop it orderly; a second signal ends it at once, which loses nothing either. With
/// keys, SIGHUP reads the allow-list again at once; it is read within a second of any change anyway.
///
/// Exit codes: 0 orderly stop, 64 usage, 69 the endpoint cannot be bound, 70 a mistake in the program, 73 the journal
/// cannot be written, 74 the journal is damaged or another program's, 75 another coordinator holds the journal, 78 other
/// hosts could connect without keys, or the keys cannot be used.
public protocol CoordinatorCommand: ParsableArguments, Sendable {
    /// The pure half that it runs.
    associatedtype Program: LoopProgram

    /// The type of ``routes``.
    typealias Routes = EffectRouter<Program.Effect, Program.Event>

    /// The command's name; also names its journal. Default: the type's name in lower case with hyphens.
    static var name: String { get }

    /// One line for `--help`.
    static var abstract: String { get }

    /// Where each effect goes: exactly one route for each.
    var routes: Routes { get }

    /// Changes what the command line has no option for, such as timing, or whether clients' events begin loops by themselves
    /// (``CoordinatorSettings/loopsBeginByThemselves``); called once, before anything runs.
    ///
    /// The default changes nothing.
    func configure(_ settings: inout CoordinatorSettings)

    /// What the process does beside the loop; when it returns, the coordinator stops orderly.
    ///
    /// The default waits until the process is told to stop. It is cancelled then.
    ///
    /// - Throws: a `FleetExit` or ArgumentParser's `ExitCode` to end the process with that code.
    func run(_ loop: LoopHandle<Program>) async throws
}

extension CoordinatorCommand {
    /// The type's name in lower case with hyphens, without `-coordinator`: `SiteAuditCoordinator` is `site-audit`.
    public static var name: String {
        var name = ""
        for character in "\(Self.self)" {
            if character.isUppercase, !name.isEmpty { name += "-" }
            name += character.lowercased()
        }
        let suffix = "-coordinator"
        return name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    }

    /// Names the program.
    public static var abstract: String {
        "Coordinates \(name): holds its model, journals every event, hands out effects."
    }

    /// Changes nothing.
    public func configure(_ settings: inout CoordinatorSettings) {}

    /// Waits until the process is told to stop.
    public func run(_ loop: LoopHandle<Program>) async throws {
        try await loop.untilStopped()
    }

    /// Parses the command line and runs the coordinator; `@main` calls it.
    @concurrent public static func main() async {
        await CoordinatorRunner<Self>.main()
    }
}
