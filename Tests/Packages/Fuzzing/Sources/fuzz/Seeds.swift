import Foundation
import MobiusJournal
import MobiusTransport
import MobiusWire

extension Decoder {
    /// Inputs that make sense, for a corpus that is still empty.
    func seeds() -> [[UInt8]] {
        var generator = SeededGenerator(state: 7)
        switch self {
        case .worker:
            return (0..<4).flatMap { _ in Command.allCases.map { generator.message($0).encoded } }
                .filter { $0.count < 600 }
        case .client:
            return (0..<4).flatMap { _ in ClientCommand.allCases.map { generator.clientMessage($0).encoded } }
                .filter { $0.count < 600 }
        case .coordinatorMachine:
            return MachineInput.seeds({ $0.envelope($0.workerMessage()) }, { $0.encode(into: &$1) })
        case .workerMachine:
            return MachineInput.seeds({ $0.envelope($0.coordinatorMessage()) }, { $0.encode(into: &$1) })
        case .json:
            return [
                #"{"tree":{"node":{"_0":[{"leaf":{"_0":-1}},{"none":{}}],"name":"\u00e9\ud83d\ude00"}},"small":7}"#,
                #"{"numbers":[1e3,-0.5,1E-9],"flags":{"a":true,"b":false},"nested":[{"text":null,"large":-9e2}]}"#,
            ].map { Array($0.utf8) }
        case .fast: return Self.fastSeeds()
        case .allowList, .keyFile:
            let key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
            return [
                "# people\nada \(key) worker=a,b client=send,read,admin\n",
                "name ada\npublic \(key)\nsecret D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs\ncoordinator \(key)\n",
            ].map { Array($0.utf8) }
        case .endpoint: return ["tcp://127.0.0.1:5701", "tcp://[::1]:1", "ipc:///run/x"].map { Array($0.utf8) }
        case .breadcrumb:
            return [SourceKey.outside("key"), .start, .failure(EffectID(loop: .main, sequence: 1, index: 2), round: 3)]
                .map { source in
                    var bytes = [UInt8](repeating: 0, count: BreadcrumbSlot.minimumSize)
                    bytes.withUnsafeMutableBytes { memory in
                        var slot = BreadcrumbSlot(
                            memory, journal: JournalID(high: 1, low: 2), epoch: 3, build: "b")
                        slot.record(
                            loop: .main, source: source, event: Payload(kind: PayloadKind(type: "t"), bytes: [1, 2]),
                            replayed: 4)
                    }
                    return Array(bytes.prefix(400))
                }
        case .factQuery:
            return [
                "stage = waitingForApproval and total > 100", "not (a in ('x', \"y\", -1.5e3) or has b) and c != true",
                "due < now+2h or due >= 2026-12-01T10:00:00.250Z", "customer begins with 'Ada''s'", "due desc", "-due",
            ].map { Array($0.utf8) }
        case .fact:
            let values: [FactValue] = [
                .bool(true), .integer(.max), .number(1.5), .time(WallTime(milliseconds: 0)), .text("é"),
            ]
            return values.flatMap { [$0.key, Array(FactPlace(key: $0.key, loop: .main).text.utf8)] }
        case .run, .lists: return [[0], [1, 1, 0, 0], [3, 65, 66]]
        }
    }
    private static func fastSeeds() -> [[UInt8]] {
        var value = FastEverything()
        value.signed = [-70000, 5]
        value.widest = 1 << 100
        value.flags = [true]
        value.bytes = [1, 2, 3]
        value.date = Date(timeIntervalSinceReferenceDate: 0.5)
        value.uuid = UUID()
        value.url = URL(string: "a:b")
        value.decimal = 3
        value.colors = [.red: .low]
        value.twice = .some(nil)
        value.holes = [nil, 4]
        value.tables = [1: ["k": [0.5]]]
        value.steps = [.all([.fetched(FastPage("u", 3, note: ""), after: 1)], named: ["s": .stopped])]
        return [FastEverything(), value].compactMap { try? Fast.bytes($0) }
    }
}
