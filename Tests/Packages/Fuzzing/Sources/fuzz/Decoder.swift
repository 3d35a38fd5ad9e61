import JSONAgreement
import JournalRuns
import MobiusCodec
import MobiusJournal
import MobiusTransport
import MobiusWire

/// Something that reads bytes which others may have written, and must be total: a value or a typed error for any of them.
enum Decoder: String, CaseIterable {
    case worker = "worker-protocol"
    case client = "client-protocol"
    case coordinatorMachine = "coordinator-machine"
    case workerMachine = "worker-machine"
    case run = "journal-run"
    case lists = "journal-lists"
    case breadcrumb
    case json, fast
    case allowList = "allow-list"
    case keyFile = "key-file"
    case endpoint
    case factQuery = "fact-query"
    case fact

    /// Checks an input; traps when what it makes of it does not hold.
    func check(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .worker:
            guard let message = try? AnyMessage(decoding: Array(bytes)) else { return }
            // What was understood is said in one way only, and understood alike.
            let said = message.encoded
            precondition((try? AnyMessage(decoding: said)) == message, "a message is another one when it is said again")
        case .client:
            guard let message = try? ClientMessage(decoding: Array(bytes)) else { return }
            precondition((try? ClientMessage(decoding: message.encoded)) == message, "so is a client's")
        case .coordinatorMachine: MachineInput.checkCoordinator(bytes)
        case .workerMachine: MachineInput.checkWorker(bytes)
        case .run: _ = try? Runs.count(bytes, of: .main)
        case .lists: Self.checkLists(Array(bytes))
        case .breadcrumb: Self.checkBreadcrumb(bytes)
        case .json: Self.checkJSON(bytes)
        case .fast: Self.checkFast(bytes)
        case .allowList:
            guard let list = try? AllowList(text: Self.text(bytes), path: "allowed") else { return }
            precondition(
                (try? AllowList(text: list.text, path: "allowed")) == list, "a list is another one when read again")
        case .keyFile: _ = try? PeerKey(text: Self.text(bytes), path: "key")
        case .endpoint:
            let text = Self.text(bytes)
            _ = (EndpointScope(of: text), ClientEndpoint.beside(text))
            _ = try? EndpointScope.check(toBind: text, hasKeys: false)
        case .factQuery: Self.checkQuery(Self.text(bytes))
        case .fact: Self.checkFact(bytes)
        }
    }

    private static func checkQuery(_ text: String) {
        if let sort = try? FactSort(text) { precondition(FactName.isValid(sort.name), "a sort has no fact") }
        do {
            let query = try FactQuery(text, now: WallTime(milliseconds: 0))
            let facts = Dictionary(uniqueKeysWithValues: query.ranges.map { ($0.name, $0.range.lower) })
            _ = query.matches(facts)
            precondition(Set(facts.keys).isSubset(of: query.names), "a query compares a fact and does not name it")
        } catch {
            precondition(!error.description.isEmpty, "an error has no text")
        }
    }

    private static func checkFact(_ bytes: UnsafeRawBufferPointer) {
        if let value = FactValue(key: bytes) {
            precondition(value.key.elementsEqual(bytes), "a fact has another key than it was read from")
        }
        let text = text(bytes)
        guard let place = FactPlace(text: text) else { return }
        precondition(place.text.utf8.elementsEqual(text.utf8), "a place is another one when it is written again")
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }

    /// The input lies from the state on in a slot of the smallest size, whose sums are right.
    private static func checkBreadcrumb(_ bytes: UnsafeRawBufferPointer) {
        withUnsafeTemporaryAllocation(byteCount: BreadcrumbSlot.minimumSize, alignment: 8) { memory in
            memory.initializeMemory(as: UInt8.self, repeating: 0)
            memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(memory.count)))
            BreadcrumbSlot.sumUp(memory)
            _ = BreadcrumbSlot.read(UnsafeRawBufferPointer(memory))
        }
    }

    private static func checkLists(_ bytes: [UInt8]) {
        func kind(_ number: UInt64) throws(JournalError) -> PayloadKind { PayloadKind(type: "t\(number)") }
        _ = try? PayloadLists.pending(of: .main, from: bytes, kind: kind)
        guard let key = try? SourceKey(bytes, of: .main) else { return }
        precondition((try? SourceKey(key.bytes, of: .main)) == key, "a source key is another one when it is read again")
    }

    private static func checkJSON(_ bytes: UnsafeRawBufferPointer) {
        var agreement = Agreement(seed: 0)
        if let difference = agreement.difference(of: Array(bytes), as: Everything.self) {
            preconditionFailure("Foundation's decoder differs: \(difference)")
        }
        var scratch = CodingScratch()
        let span = RawSpan(_unsafeBytes: bytes)
        guard let value = try? JSONCodec(Everything.self).decode(span, scratch: &scratch) else { return }
        var written: [UInt8] = []
        do {
            try JSONCodec(Everything.self).encode(value, into: &written, scratch: &scratch)
        } catch {
            return  // such as a number too large for JSON
        }
        precondition(
            (try? JSONCodec(Everything.self).decode(written.span.bytes, scratch: &scratch)) == value,
            "a value is another one when it is read again")
    }

    private static func checkFast(_ bytes: UnsafeRawBufferPointer) {
        _ = try? FastText.json(of: RawSpan(_unsafeBytes: bytes))
        guard let value = try? Fast.value(Array(bytes), as: FastEverything.self) else { return }
        do {
            // Compared as bytes, because a NaN is no NaN.
            let written = try Fast.bytes(value, deterministic: true)
            let again = try Fast.bytes(Fast.value(written, as: FastEverything.self), deterministic: true)
            precondition(written == again, "a value is another one when it is read again")
        } catch {
            preconditionFailure("a value cannot be written or read again: \(error)")
        }
    }
}

/// A value with all that JSON has, and enums as programs have them.
struct Everything: Codable, Equatable {
    indirect enum Tree: Codable, Equatable {
        case leaf(Int8)
        case node([Tree], name: String)
        case none
    }

    var tree: Tree?
    var text: String?
    var numbers: [Double]?
    var small: UInt16?
    var large: Int64?
    var flags: [String: Bool]?
    var nested: [Everything]?
}
