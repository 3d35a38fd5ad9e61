// Re-exported, because a conformance needs ArgumentParser's members: an app then needs no dependency on it.
@_exported public import ArgumentParser
import Logging
public import MobiusCore
import MobiusJournal
import MobiusProcess

/// A coordinator as a command-line program: name a program, write its routes, and add `@main`.
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
/// It has the options `--bind`, `--keys`, `--journal`, `--max-payload` and `--log-level`, and those that the type
/// declares with ArgumentParser's property wrappers. SIGTERM and SIGINT shut it down gracefully; a second signal ends
/// it at once, which loses nothing acknowledged either. Under `mobius up` it then ends by that signal, so that it is
/// restarted unless the whole fleet stops. With keys, SIGHUP reloads the allow-list at once; without
/// SIGHUP a change is loaded within a second.
///
/// Exit codes: 0 graceful shutdown, 64 usage, 69 the endpoint cannot be bound, 70 an error in the program, 73 the
/// journal cannot be written, 74 the journal is damaged or belongs to another program, 75 another coordinator holds the
/// journal, or its database does not answer at the start, 78 other hosts could connect without keys, or the keys cannot be
/// used.
public protocol CoordinatorCommand: ParsableArguments, Sendable {
    /// The program that it runs: model, events, effects and `update`.
    ///
    /// `Programs` for a command that lists ``programs``.
    associatedtype Program: LoopProgram = Programs

    /// The type of ``routes``, for the program's effects and events.
    typealias Routes = EffectRouter<Program.Effect, Program.Event>

    /// The program's name, as in its journal and in `mobius status`.
    ///
    /// `--help`, `--version` and the log use the name of the executable instead, whatever the type is called.
    /// The default is the type's name in lower case with hyphens, without the suffix `-coordinator`.
    static var name: String { get }

    /// A one-line description for `--help`.
    static var abstract: String { get }

    /// Whether ``run(_:)`` shows a view on the terminal.
    ///
    /// Then log lines that would go to the same terminal wait until the process exits; `--log-file` shows them at once, in
    /// a file. The default is `false`.
    static var hasTerminalView: Bool { get }

    /// The route of each effect; every effect needs exactly one.
    var routes: Routes { get }

    /// The programs, in place of one program and its ``routes``.
    ///
    /// It is also read in a process that parses no options: let routes that depend on some be those of
    /// `FleetProgram.routed(by:)`, which are read later.
    @ProgramsBuilder var programs: Programs { get }

    /// Changes settings without a command-line option, such as the timing or
    /// ``CoordinatorSettings/clientsMayStartLoops``; called once, before anything runs.
    ///
    /// The default changes nothing.
    func configure(_ settings: inout CoordinatorSettings)

    /// Runs the app's own code beside the loops; when it returns, the coordinator shuts down.
    ///
    /// Its task is cancelled when the process is asked to stop. The default waits for that. Where several coordinators share
    /// a journal, it is called whenever this process becomes the one that runs the loops, and its task is also cancelled when
    /// another does.
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

    /// `false`: log lines go to standard error at once.
    public static var hasTerminalView: Bool { false }

    /// A description with the command's name.
    public static var abstract: String {
        "Coordinates \(name): holds its model, journals every event, hands out effects."
    }

    /// None: the command has one program, and ``routes``.
    public var programs: Programs { Programs {} }

    /// The functions of its program, or programs.
    var functions: any ProgramFunctions<Program> {
        Self.several(programs) ?? SingleProgram<Program>(routes)
    }

    /// The functions without a route.
    private static var errandFunctions: any ProgramFunctions<Program> {
        guard Program.self == Programs.self else { return SingleProgram<Program>(EffectRouter()) }
        return several(Self().programs, isRouted: false) ?? SingleProgram<Program>(EffectRouter())
    }

    private static func several(_ programs: Programs, isRouted: Bool = true) -> (any ProgramFunctions<Program>)? {
        SeveralPrograms(programs, isRouted: isRouted) as? any ProgramFunctions<Program>
    }

    /// Changes nothing.
    public func configure(_ settings: inout CoordinatorSettings) {}

    /// Waits until the process is asked to stop.
    public func run(_ loop: LoopHandle<Program>) async throws {
        try await loop.untilStopped()
    }

    /// Parses the command line and runs the coordinator; `@main` calls it.
    @concurrent public static func main() async {
        StandardOutput.checkAtExit()
        if ProgramProcess.isDone(by: Self.errandFunctions) { return }
        await CoordinatorRunner<Self>.main()
    }
}

extension CoordinatorCommand where Program == Programs {
    /// None: each of the ``programs`` has its own.
    public var routes: Routes { EffectRouter() }
}
