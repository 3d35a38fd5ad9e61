import ArgumentParser
import Foundation
import MobiusClient
import MobiusCodec
import MobiusLauncher
import MobiusProcess
import MobiusWire

/// The command `mobius send EVENT`.
struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sends an event to a loop, and returns when it is applied and on disk.",
        discussion: """
            The event is JSON, as the loop's program encodes it. With --content-type it is bytes in another coding \
            that the program reads, from standard input. Prints 'applied to', the loop and the event's number, or 'already applied to' when an event with the \
            same key was applied to the loop before, then the program's answer, if it gives one, as JSON. Prints 'refused by \
            the program' with the reason when it refuses the event, which is on disk nevertheless, unless it would begin the loop. With a key of your own the command may be repeated until it \
            succeeds, also after a crash, and the event is applied exactly once. A W3C trace context in TRACEPARENT is \
            sent with the event, so that its effects belong to that trace. A loop that does not exist is begun only \
            with --new, or if the program's loops begin by themselves, because no command removes a loop. Prints \
            'dropped' when an operator dropped the event with the same key.

            Keys of the event that the program does not read are warned of, and refused with --strict. An event of \
            another type or version than the program's own is named with --type and --type-version.

            With --file, or '-' and several lines, each line is an event, or an object with it, such as \
            {"loop":"shop/42","key":"order-7","event":{…}}. Many events are on the way at once; those of one loop are \
            applied in the order of their lines, and each counts once it is on disk. Those that the program refuses are on disk, too: \
            they are counted apart, and the first ten are reported with their lines and reasons. When a line is no event, \
            nothing behind it is sent. When the coordinator refuses one, nothing more is sent, but lines behind it may be \
            applied or be refused, too, because they were on the way: the error names the refused lines and how to \
            continue. Running the same command again \
            sends nothing twice: an event is the same if its file's path, its line's number and its line are. For \
            another import from the same path, and for standard input, choose a --key-prefix.

            Exit codes: 0 when it is on disk; 3 when the program refused it, or one of several; \(ClientOptions.exitCodes)

            Examples, the first for greeter-coordinator:
              mobius send '{"guestArrived":{"_0":"Ada"}}' --key visit-4711
              curl -s https://example.org/order | mobius send - --loop shop/42 --new --key order-7
              mobius send - --content-type application/vnd.mobius.fast < visited.fast
              mobius send shop/42 '{"guestArrived":{"_0":"Ada"}}'
              mobius send --file guests.jsonl --new --key-prefix 2026-03-01
            """)

    @Argument(
        help: ArgumentHelp(
            "The event as JSON, and before it its loop, instead of --loop; '-' reads the event, or one event per line, "
                + "from standard input.", valueName: "loop> <event"))
    var words: [String] = []

    @Option(
        name: .customLong("loop"),
        help: ArgumentHelp(
            "The loop; it must exist, unless the program's loops begin by themselves (default: main).",
            valueName: "loop"))
    var commandLineLoop: LoopID?

    var event: String { words.last ?? "-" }
    var loop: LoopID { (words.count > 1 ? LoopID(words[0]) : commandLineLoop) ?? .main }

    @Flag(name: .customLong("new"), help: "Begin the loop with this event if it does not exist.")
    var begins = false

    @Option(help: ArgumentHelp("Makes it safe to repeat the command (default: a random key).", valueName: "key"))
    var key: String?

    @Option(help: ArgumentHelp("The name of the event's type (default: the loop's own type).", valueName: "name"))
    var type: String?

    @Option(
        name: .customLong("type-version"),
        help: ArgumentHelp(
            "With --type: the version in which the event is written (default: the newest).", valueName: "number"))
    var typeVersion: UInt16?

    @Flag(help: "Refuse an event with keys that the program does not read; otherwise they are warned of.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "The event's content type, such as application/vnd.mobius.fast (default: application/json).",
            valueName: "media-type"
        ))
    var contentType = PayloadKind.jsonContentType

    @Option(
        name: .customLong("max-payload"),
        help: ArgumentHelp(
            "The largest event to send, like the coordinator's option (default: MOBIUS_MAX_PAYLOAD, or 4MiB).",
            valueName: "size"))
    var commandLineMaxPayload: SizeArgument?

    @OptionGroup(title: "Many events") var bulk: BulkOptions
    @OptionGroup var outcome: OutcomeOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func validate() throws {
        guard words.isEmpty != (bulk.file == nil), words.count <= 2 else {
            throw ValidationError("Name an event, a loop and an event, or a file with --file.")
        }
        if words.count == 2 {
            guard commandLineLoop == nil else { throw ValidationError("Name the loop once: LOOP EVENT, or --loop.") }
            guard LoopID(words[0]) != nil else { throw ValidationError("A loop's name has 1 to 128 bytes.") }
        }
        if let option = bulk.strayOption, bulk.file == nil, event != "-" {
            throw ValidationError("\(option) goes with several lines: --file FILE, or '-'.")
        }
        guard contentType == PayloadKind.jsonContentType || bulk.file == nil else {
            throw ValidationError("Lines are JSON, not \(contentType).")
        }
        guard contentType == PayloadKind.jsonContentType || event == "-" else {
            throw ValidationError("An event in \(contentType) is read from standard input: mobius send - < FILE.")
        }
        guard typeVersion == nil || type != nil else { throw ValidationError("--type-version goes with --type.") }
        guard typeVersion != 0 else { throw ValidationError("Versions count from 1.") }
        guard (1...255).contains(contentType.utf8.count) else {
            throw ValidationError("A media type has 1 to 255 bytes.")
        }
    }

    func run() async throws {
        try await FleetExit.reporting { try await sendAll() }
    }

    private func sendAll() async throws {
        let limit = try FleetEnvironment.value(
            commandLineMaxPayload, "MOBIUS_MAX_PAYLOAD", default: SizeArgument(bytes: Int(PayloadLimit.standard)))
        if let file = bulk.file { return try await sendLines(nil, from: file, limit: limit.bytes) }
        var bytes = Array(event.utf8)
        if event == "-" {
            bytes = []
            if contentType != PayloadKind.jsonContentType {
                bytes = try standardInput()
            } else {
                switch try Self.input(limit: limit.bytes) {
                case .single(let whole): bytes = whole
                case .lines(let reader): return try await sendLines(reader, from: "-", limit: limit.bytes)
                }
            }
        }
        if let option = bulk.strayOption { throw FleetExit(.usage, "\(option) goes with several lines.") }
        try await send(bytes, limit: limit.bytes)
    }

    private func send(_ bytes: [UInt8], limit: Int) async throws {
        try await options.withClient(maximumPayload: limit) { client, target in
            // The version 0 stands for the newest.
            let kind = PayloadKind(type: type ?? "", version: typeVersion ?? 0, contentType: contentType)
            let payload = Payload(kind: kind, bytes: bytes)
            if contentType == PayloadKind.jsonContentType, let problem = PayloadText.problem(withJSON: bytes) {
                throw FleetExit(
                    .usage,
                    "The event is not JSON: \(problem). Quote it for the shell: mobius send '{\"name\":{}}'.")
            }
            let key = key ?? UUID().uuidString
            do {
                try await check(payload, key: key, client)
                let (sent, refusal) = try await client.deliver(
                    payload, loop: loop, key: key, begins: begins, traceparent: traceparent)
                let report = SendReport(sent, refusal: refusal, place: target.place(of: loop))
                outcome.show(report.sentence) { line in
                    report.set(in: &line)
                    line.set("loop", loop.name)
                    line.set("key", key)
                    line.set("target", target.label)
                }
                if refusal != nil { throw ExitCode.refusedByProgram }
            } catch let error as FleetClientError where error.code == .notFound {
                let nearest = try? await nearestLoop(client)
                let meant = nearest.map { " Did you mean \($0)?" } ?? ""
                throw FleetClientError(
                    error.code, error.message + meant + " Correct --loop, or begin the loop with this event: --new.")
            } catch let error as FleetClientError where [.timedOut, .busy].contains(error.code) && self.key == nil {
                throw FleetClientError(
                    error.code, error.message + " To find out, repeat the command with --key \(key).")
            }
        }
    }

    /// Has the coordinator read the event, and compares it with what the program would write.
    ///
    /// - Throws: what the send would throw for an event that cannot be read; `FleetExit` 1 for unknown keys if `--strict` is
    ///   given.
    private func check(_ event: Payload, key: String, _ client: FleetClient) async throws {
        guard contentType == PayloadKind.jsonContentType, key.utf8.count <= ClientRequest.maximumKey else { return }
        guard let written = try await client.checked(event, loop: loop, key: key) else {
            guard strict else { return }
            throw FleetExit(.unavailable, "This coordinator cannot check an event: leave --strict out, or update it.")
        }
        // An event of an earlier version is written differently.
        if let typeVersion, typeVersion != written.kind.version { return }
        let unknown = UnknownKeys.of(event.bytes, writtenAs: written.bytes)
        guard !unknown.isEmpty else { return }
        let words = "The program does not read \(unknown.map(TerminalText.line).joined(separator: "; "))."
        if strict { throw FleetExit(.negativeAnswer, "\(words) Nothing was applied.") }
        StandardError.write("Warning: \(words) Refuse such events with --strict.\n")
    }

    /// The W3C trace context of the command, as scripts and build servers pass it in the environment.
    private var traceparent: String { ProcessInfo.processInfo.environment["TRACEPARENT"] ?? "" }

    /// The loop that was probably meant, among the first thousand.
    private func nearestLoop(_ client: FleetClient) async throws -> String? {
        NearestName.of(loop.name, in: try await client.status().loops.map(\.loop.name))
    }

    private func standardInput() throws -> [UInt8] {
        Array(try FileHandle.standardInput.readToEnd() ?? Data())
    }
}
