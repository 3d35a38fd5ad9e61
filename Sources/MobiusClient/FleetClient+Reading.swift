import MobiusCodec
public import MobiusCore
public import MobiusProgram
public import MobiusWire
import Synchronization

/// A model of a loop in bytes, and which one it is.
public struct LoopModel: Hashable, Sendable {
    /// The loop.
    public var loop: LoopID
    /// The event after which it was the model, and the journal with that event.
    public var version: ModelVersion
    /// The build of the program that made it.
    public var build: String
    /// The model, in the coding of its program.
    public var payload: Payload
    /// Whether the program masked some of its contents.
    public var isMasked: Bool

    /// Whether the loop is held in quarantine, so that this is its model after the last event that was applied.
    public var isHeld: Bool

    /// Describes a model.
    public init(
        loop: LoopID, version: ModelVersion, build: String, payload: Payload, isMasked: Bool = false,
        isHeld: Bool = false
    ) {
        self.loop = loop
        self.version = version
        self.build = build
        self.payload = payload
        self.isMasked = isMasked
        self.isHeld = isHeld
    }
}

/// A page of loops, in the order of their names' bytes.
public struct LoopPage: Hashable, Sendable {
    /// The loops; with a filter there may be fewer than asked for, or none, although others follow.
    public var loops: [LoopSummary]
    /// The loop behind which to continue; `nil` at the end.
    public var next: LoopID?

    /// Makes a page.
    public init(_ loops: [LoopSummary], next: LoopID?) {
        self.loops = loops
        self.next = next
    }
}

// MARK: - Models

extension FleetClient {
    /// The current model of a loop, read as its program codes it.
    ///
    /// It contains every event that was confirmed before the call, to anyone, and only events that are on disk.
    ///
    /// - Parameters:
    ///   - program: The loop's program, of the same build as the coordinator's or one that reads its models.
    ///   - loop: The loop.
    ///   - event: The number of an event, for the model directly after it. The coordinator computes it from its journal,
    ///     beside its other work; `nil` for the current model.
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    /// - Throws: ``FleetClientError``: `notFound` without the loop, `refused` while it is held or when the journal does not
    ///   keep the event, `unreadable` for a model of another program, `forbidden` for a masked one; `CancellationError`.
    public func model<Program: LoopProgram>(
        of program: Program.Type, loop: LoopID = .main, at event: UInt64? = nil, timeout: Duration? = nil
    ) async throws -> Program.Model {
        try programs.model(await model(of: loop, at: event, timeout: timeout), of: program)
    }

    /// A model of a loop in bytes, which may be masked; otherwise as for a program.
    public func model(of loop: LoopID, at event: UInt64? = nil, timeout: Duration? = nil) async throws -> LoopModel {
        let answer = try await ask(.model(loop, at: event), timeout: timeout)
        guard case .model(let summary, let payload) = answer.answer else {
            throw unexpected(answer.answer, "loop \(loop)")
        }
        return LoopModel(summary, payload)
    }

    /// The models of a loop from now on: the current one, then later ones, read as the loop's program codes them.
    ///
    /// A slow reader gets the newest model and misses those in between, but never the last. Nothing waits or is kept
    /// for
    /// a slow reader. The sequence continues over restarts and losses of the coordinator, however long they take, but the
    /// first model must come within the client's time-out. It ends when the client is closed.
    ///
    /// Iterating throws ``FleetClientError`` as ``model(of:loop:at:timeout:)`` does, and `CancellationError`.
    public func models<Program: LoopProgram>(
        of program: Program.Type, loop: LoopID = .main
    ) -> FleetModels<Program.Model> {
        FleetModels(client: self, loop: loop) { [programs] in try programs.model($0, of: program) }
    }

    /// The models of a loop in bytes; otherwise as for a program.
    public func models(of loop: LoopID) -> FleetModels<LoopModel> {
        FleetModels(client: self, loop: loop) { $0 }
    }

    /// The current model, or the first after the one that was seen.
    fileprivate func nextModel(of loop: LoopID, after seen: ModelVersion?) async throws -> LoopModel {
        while true {
            do {
                let answer = try await ask(.watch(loop, seen: seen), timeout: seen == nil ? nil : .seconds(60))
                switch answer.answer {
                case .model(let summary, let payload): return LoopModel(summary, payload)
                case .unchanged: break
                default: throw unexpected(answer.answer, "loop \(loop)")
                }
            } catch let error as FleetClientError
                where seen != nil && [.timedOut, .unreachable, .busy].contains(error.code)
            {
                // The coordinator is away, and will be back.
            }
        }
    }
}

/// The models of a loop, as ``FleetClient/models(of:loop:)`` gives them.
public struct FleetModels<Element: Sendable>: AsyncSequence, Sendable {
    let client: FleetClient
    let loop: LoopID
    let read: @Sendable (LoopModel) throws -> Element

    /// Asks for one model after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let models: FleetModels
        private var seen: ModelVersion?

        init(_ models: FleetModels) {
            self.models = models
        }

        /// Waits for a model that was not given yet; `nil` when the client is closed.
        public mutating func next() async throws -> Element? {
            do {
                let model = try await models.client.nextModel(of: models.loop, after: seen)
                seen = model.version
                return try models.read(model)
            } catch let error as FleetClientError where error.code == .closed {
                return nil
            }
        }
    }

    /// Begins with the model that is the current one then.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension LoopModel {
    fileprivate init(_ summary: ModelSummary, _ payload: Payload) {
        self.init(
            loop: summary.loop, version: summary.version, build: summary.build, payload: payload,
            isMasked: summary.isMasked, isHeld: summary.isHeld)
    }
}

// MARK: - Loops and histories

extension FleetClient {
    /// A page of loops, in the order of their names' bytes; at most 1,000.
    ///
    /// - Parameters:
    ///   - prefix: Only loops whose names begin with it.
    ///   - state: Only loops in this state.
    ///   - after: Only loops behind this one: the last page's ``LoopPage/next``.
    ///   - limit: The largest number of loops.
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    public func loops(
        prefix: String = "", state: LoopSummary.State? = nil, after: LoopID? = nil, limit: Int = 1000,
        timeout: Duration? = nil
    ) async throws -> LoopPage {
        guard prefix.utf8.count <= LoopID.maximumLength else { return LoopPage([], next: nil) }
        let request = ClientRequest.loops(prefix: prefix, state: state, after: after, limit: Self.page(limit))
        let answer = try await ask(request, timeout: timeout)
        guard case .loops(let loops, let next) = answer.answer else { throw unexpected(answer.answer) }
        return LoopPage(loops, next: next)
    }

    /// A page of a loop's history: events with their cause and the effects that they asked for, and notes on effects, in
    /// journal order.
    ///
    /// A journal keeps all events with `--keep-history`, otherwise those that recovery needs. `HistoryPage.first` says from
    /// which event on the past is known. A page has at most a few hundred entries, and fewer large ones; large payloads are
    /// left out.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - first: The first event; `nil` for the first that is kept.
    ///   - last: The last event; `nil` for the newest.
    ///   - after: Only entries behind this place: the last one's of the previous page.
    ///   - limit: The largest number of entries.
    ///   - models: Whether each event comes with the model after it, which the coordinator computes beside its other work. A page then
    ///     ends after some megabytes of them; a coordinator of an earlier build leaves them out.
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    /// - Throws: ``FleetClientError`` with `notFound` without the loop.
    public func history(
        of loop: LoopID = .main, from first: UInt64? = nil, to last: UInt64? = nil, after: HistoryPlace? = nil,
        limit: Int = 1000, models: Bool = false, timeout: Duration? = nil
    ) async throws -> HistoryPage {
        let request = HistoryRequest(
            loop, first: first, last: last, after: after, limit: Self.page(limit), models: models)
        let answer = try await ask(.history(request), timeout: timeout)
        guard case .history(let page) = answer.answer else { throw unexpected(answer.answer, "loop \(loop)") }
        return page
    }
}

// MARK: - Programs

extension FleetClient {
    /// The forms of the program's events, effects and models in JSON, as a JSON Schema (draft 2020-12).
    ///
    /// The document is the schema of an event. Its `$defs` contains `Event`, `Effect`, `Model` and the types that they consist
    /// of. Where a type decodes by hand, it says so in a `$comment`.
    ///
    /// - Throws: ``FleetClientError``, with `refused` from a coordinator of an earlier build.
    public func schema(timeout: Duration? = nil) async throws -> String {
        let answer = try await ask(.schema, timeout: timeout)
        guard case .schema(let json) = answer.answer else { throw unexpected(answer.answer) }
        return String(decoding: json, as: UTF8.self)
    }

    /// Sends an event of a program to one of its loops, in the program's coding and under its type's name and version;
    /// otherwise as ``send(_:type:loop:key:begins:timeout:)``.
    @discardableResult
    public func send<Program: LoopProgram>(
        _ event: Program.Event, of program: Program.Type, loop: LoopID = .main, key: String? = nil, begins: Bool = true,
        timeout: Duration? = nil
    ) async throws -> SentEvent {
        try await send(
            try programs.payload(event, of: program), loop: loop, key: key, begins: begins, timeout: timeout)
    }
}

/// The codings of the programs that a client was used with, because making them takes longer than using them.
final class ProgramCodings: Sendable {
    private let codings = Mutex<[ObjectIdentifier: any Sendable]>([:])

    func model<Program: LoopProgram>(
        _ model: LoopModel, of program: Program.Type
    ) throws(FleetClientError) -> Program.Model {
        guard !model.isMasked else {
            throw FleetClientError(
                .forbidden,
                "The model of loop \(model.loop) is masked: this client's key lacks the right 'unmasked', or it is a client for people."
            )
        }
        do throws(CodingFailure) {
            return try codecs(program).models.decode(model.payload)
        } catch {
            throw FleetClientError(
                .unreadable,
                "The model of loop \(model.loop) cannot be read: \(error). It was made by the build \(model.build).")
        }
    }

    func payload<Program: LoopProgram>(
        _ event: Program.Event, of program: Program.Type
    ) throws(FleetClientError) -> Payload {
        do throws(CodingFailure) {
            return try codecs(program).events.encode(event)
        } catch {
            throw FleetClientError(.invalidEvent, "The event cannot be written: \(error).")
        }
    }

    private func codecs<Program: LoopProgram>(_ program: Program.Type) -> ProgramCodecs<Program> {
        codings.withLock { codings in
            if let known = codings[ObjectIdentifier(program)] as? ProgramCodecs<Program> { return known }
            let codecs = ProgramCodecs<Program>()
            codings[ObjectIdentifier(program)] = codecs
            return codecs
        }
    }
}
