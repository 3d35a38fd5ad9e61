import ArgumentParser
import MobiusProcess

#if HTTP
    import Foundation
    import Logging
    import MobiusHTTP
    import MobiusTransport
#endif

/// The command `mobius view`, which `mobius` runs this executable for.
struct ViewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mobius view",
        abstract: "Shows an export of loops in a browser.",
        discussion: """
            It needs no coordinator and no journal: the pages are those of `mobius serve`, for reading only. Other processes of this \
            machine can read the file's contents there while it runs.

            Exit codes: 64 wrong usage; 66 the file cannot be read, or is no export; 69 it cannot listen there.

            Example:
              mobius view order-4711.jsonl
            """,
        version: FleetVersion.current)

    @Argument(help: ArgumentHelp("A file that `mobius export` has written.", valueName: "file"))
    var file: String

    @Option(
        help: ArgumentHelp(
            "Where to listen: a port of loopback (default: a free one).", valueName: "address"))
    var listen = "127.0.0.1:0"

    @OptionGroup var logging: LoggingOptions

    /// The largest file in bytes: it is read into memory.
    private static let maximumBytes = 1 << 30

    func run() async throws {
        #if HTTP
            try await FleetExit.reporting { try await view() }
        #else
            throw MobiusServeCommand.noServer.report()
        #endif
    }

    #if HTTP
        private func view() async throws {
            let address = try MobiusServeCommand.address(listen)
            guard EndpointScope(of: "tcp://\(address)") == .thisMachine else {
                throw FleetExit(.configuration, "An export is shown to this machine only: listen at 127.0.0.1.")
            }
            let logger = try logging.bootstrap(label: "mobius-view")
            let export: ExportFile
            do throws(ExportFileError) {
                export = try ExportFile(try bytes(), path: file)
            } catch {
                throw FleetExit(.noInput, error.description)
            }
            if !export.isWhole { logger.warning("the file was cut: its last events are missing") }
            let loops = ExportedLoops(export)
            try await MobiusServeCommand.serve(HTTPServer(address, loops, loops.probes, logger: logger), logger)
        }

        private func bytes() throws(ExportFileError) -> [UInt8] {
            // A pipe, too, so not as the contents of a URL.
            guard let handle = FileHandle(forReadingAtPath: file) else {
                throw ExportFileError("\(file) cannot be read: there is no such file, or it is not yours.")
            }
            do {
                let data = try handle.read(upToCount: Self.maximumBytes + 1) ?? Data()
                if data.count <= Self.maximumBytes { return Array(data) }
            } catch {
                throw ExportFileError("\(file) cannot be read: \(error.localizedDescription)")
            }
            throw ExportFileError(
                "\(file) has more than 1 GiB: export fewer loops, or a part of their events with --from.")
        }
    #endif
}
