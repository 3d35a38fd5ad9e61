import MobiusWire
import TestTraits
import Testing

@Suite("Strings beyond their limit")
struct StringLimitTests {
    @Test("are cut at a character, never inside one", arguments: ["a", "ü", "漢", "🦊", "e\u{301}", "👨‍👩‍👧‍👦", "\r\n"])
    func cut(character: String) throws {
        let long = String(repeating: character, count: 300)
        let trace = try sentTrace(long)
        #expect(trace == String(long.prefix(255 / character.utf8.count)))
        #expect(trace.utf8.count > 255 - character.utf8.count)
    }

    @Test("of exactly the limit are not cut")
    func exact() throws {
        let text = String(repeating: "a", count: 251) + "🦊"
        #expect(try sentTrace(text) == text)
        #expect(try sentTrace("b" + text) == "b" + text.dropLast())
    }

    @Test("of one character become empty")
    func oneCharacter() throws {
        #expect(try sentTrace("a" + String(repeating: "\u{301}", count: 200)) == "")
    }

    @Test("a reason to reject has up to 65,535 bytes")
    func longString() throws {
        let message = AnyMessage.coordinator(
            Envelope(epoch: 1, session: 0, message: .reject(String(repeating: "漢", count: 30_000))))
        let cut = AnyMessage.coordinator(
            Envelope(epoch: 1, session: 0, message: .reject(String(repeating: "漢", count: 21_845))))
        #expect(try AnyMessage(decoding: message.encoded) == cut)
    }

    @Test("a reason of failure has up to 1,024 bytes, whoever made it longer")
    func reasonOfFailure() throws {
        let long = String(repeating: "🦊", count: 1000)
        var report = FailureReport(
            id: ReportID(attempt: Examples.old, number: 1), retryable: false, reason: long)
        #expect(report.reason == String(long.prefix(256)))
        let cut = AnyMessage.worker(Envelope(epoch: 1, session: 1, message: .failures(creditTotal: 0, [report])))
        report.reason = long
        let uncut = AnyMessage.worker(Envelope(epoch: 1, session: 1, message: .failures(creditTotal: 0, [report])))
        #expect(uncut.encoded == cut.encoded)
        // A writer in another language sends them all the same: length 0x0FA0 = 4,000 ahead of as many bytes.
        var sent: [UInt8] = cut.encoded.dropLast(2 + 1024)
        sent += [0xA0, 0x0F] + Array(long.utf8)
        #expect(try AnyMessage(decoding: sent) == cut)
    }

    /// Minutes when each byte back costs a look at the whole character.
    @Test("is cut in one go where it is one huge character", .patient)
    func hugeCharacter() {
        let reason = "no, a" + String(repeating: "\u{301}", count: 300_000)
        let report = FailureReport(id: ReportID(attempt: Examples.old, number: 1), retryable: false, reason: reason)
        #expect(report.reason == "no, ")
    }

    private func sentTrace(_ trace: String) throws -> String {
        let order = EffectOrder(
            id: Examples.fresh, traceparent: trace, effect: Payload(kind: PayloadKind(type: "T"), bytes: []))
        let sent = AnyMessage.coordinator(Envelope(epoch: 1, session: 1, message: .effects(after: 0, [order])))
        guard case .coordinator(let envelope) = try AnyMessage(decoding: sent.encoded),
            case .effects(_, let orders) = envelope.message, let first = orders.first
        else { return "no order came" }
        return first.traceparent
    }
}
