import ArgumentParser
import Logging
import MobiusJournal
import MobiusProcess
import MobiusTransport
import MobiusWire
import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The ArgumentParser command for a ``CoordinatorCommand``: the app's options and the standard ones.
struct CoordinatorRunner<App: CoordinatorCommand>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let name = ExecutableName.current
        return CommandConfiguration(
            commandName: name, abstract: App.abstract,
            discussion: """
                Examples:
                  \(name) --journal /var/lib/\(App.name)/journal
                  \(name) --bind tcp://0.0.0.0:5701 --keys keys      # see: mobius keys --help
                  \(name) --journal none          # nothing is kept, for trying things out
                  \(name) --verify                # replays the journal and compares it with its snapshots
                  \(name) --replay main --at 12   # prints the model of the loop main after event 12

                Every event is on disk before its effects run: after a crash, run the same command again.
                """,
            version: ExecutableName.version)
    }

    @OptionGroup var app: App
    @OptionGroup(title: "Coordinator") var options: CoordinatorOptions
    @OptionGroup(title: "Telemetry") var telemetry: TelemetryOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        let end = SupervisedEnd()
        do {
            try await FleetExit.reporting { try await coordinate(end) }
        } catch let code as ExitCode where code.rawValue > 128 {
            // The app was interrupted and has logged that.
            end.endBySignal()
            throw code
        }
        end.endBySignal()
    }

    private func coordinate(_ end: SupervisedEnd) async throws {
        let logger = try logging.bootstrap(label: ExecutableName.current, hasTerminalView: App.hasTerminalView)
        var settings = try options.settings(name: App.name)
        settings.http = try telemetry.http()
        settings.announces = true
        settings.runsErrands = true
        app.configure(&settings)
        let functions = app.functions
        guard !functions.eventKinds.isEmpty else {
            throw FleetExit(.software, "\(App.self) lists no programs: name them in `programs`.")
        }
        if options.schema { return print(String(decoding: functions.schema(), as: UTF8.self)) }
        do {
            if options.verify {
                print(try Coordinator<App.Program>.verify(settings, functions, logger: logger))
                return
            }
            if options.replayAll {
                try Coordinator<App.Program>.printReplay(ofAll: settings, functions, digests: options.digests) {
                    print($0)
                }
                return
            }
            if let loop = options.replay.flatMap({ LoopID($0) }) {
                try Coordinator<App.Program>.printReplay(of: loop, settings, functions, at: options.at) {
                    print($0)
                }
                return
            }
            OpenFiles.raiseLimit()  // each connection needs a descriptor, and the usual soft limit is 1024
            let coordinator = Coordinator<App.Program>(settings, functions, logger: logger)
            // Without keys SIGHUP ends the process, as usual when a terminal closes.
            let watch = settings.keys.map { _ in SignalWatch([SIGHUP]) { _, _ in coordinator.reloadKeys() } }
            defer { withExtendedLifetime(watch) {} }
            try await FleetServices.run(
                [coordinator, AppService(app: app, coordinator: coordinator)], logger: logger, onSignal: end.caught)
        } catch let error as JournalError {
            throw FleetExit(error.exitCode, error.description)
        } catch let error as CoordinatorError {
            throw FleetExit(error.exitCode, error.description)
        } catch let error as ZeroMQError {
            throw FleetExit(.unavailable, error.description)  // no sockets, for example without free descriptors
        }
    }
}

/// The app's own code as a service, which is stopped first.
private struct AppService<App: CoordinatorCommand>: Service {
    let app: App
    let coordinator: Coordinator<App.Program>

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await runWhileOurs() }
        } catch is CancellationError {
            // It was asked to stop.
        } catch let error as CoordinatorError where error.code == .stopped {
            // The coordinator ended first and reports the reason itself.
        }
    }

    /// Runs the app's code whenever this process runs the loop `main`, until that code ends by itself.
    private func runWhileOurs() async throws {
        var terms: TermSignal
        repeat {
            terms = self.terms
            for await isOurs in terms.changes {
                // A split may have moved the loop to another shard.
                guard self.terms === terms else { break }
                guard isOurs, let term = terms.term else { continue }
                if try await run(in: term, of: terms) { return }
            }
        } while self.terms !== terms
        try await coordinator.loop.untilStopped()
    }

    /// Runs it until it ends, or the term does, and returns whether it has ended by itself.
    ///
    /// At the end of a term all local effects are cancelled, which may end the app's code before its own task is cancelled.
    private func run(in term: Int, of terms: TermSignal) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool?.self) { group in
            group.addTask {
                do {
                    try await app.run(coordinator.loop)
                } catch let error as CoordinatorError where error.code == .standsBy {
                    return false
                } catch {
                    guard terms.term == term else { return false }
                    throw error
                }
                return terms.term == term
            }
            group.addTask {
                for await isOurs in terms.changes where !isOurs || terms.term != term { return false }
                // The coordinator ends, and reports why; or this task is cancelled, and the app's code says what that means.
                try? await coordinator.loop.untilStopped()
                return nil
            }
            defer { group.cancelAll() }
            while let hasEnded = try await group.next() {
                if let hasEnded { return hasEnded }
            }
            return false
        }
    }

    private var terms: TermSignal { coordinator.contexts.context(of: .main).terms }
}

extension JournalError {
    fileprivate var exitCode: ExitCode {
        switch code {
        case .notWritable: .cannotCreate
        case .damaged, .lost, .foreign: .dataError
        // A lost connection is no damage: the next start reads what there is.
        case .held, .outcomeUnknown, .notReadable: .temporaryFailure
        // A restart would take the journal back from the other coordinator, which would take it back again, and so on.
        case .fenced: .configuration
        case .unsupported: .usage
        default: .software
        }
    }
}

extension CoordinatorError {
    fileprivate var exitCode: ExitCode {
        switch code {
        case .endpoint: .unavailable
        case .impure: .dataError
        case .noJournal: .usage
        case .noEvent: .noInput
        case .security: .configuration
        default: .software
        }
    }
}
