/// The size limit of one payload: of one event, or of the content of one effect.
///
/// A coordinator tells its limit to workers in WELCOME and to clients in STATUS. What is larger is refused with a sentence that
/// names the limit and the option that raises it.
public enum PayloadLimit {
    /// The default limit of coordinators, pools and clients: 4 MiB.
    public static let standard: UInt32 = 4 << 20
    /// The limits that may be set: from 1 KiB to 256 MiB.
    ///
    /// SQLite holds at most 10⁹ bytes in one row, which an event shares with the effects that follow from it.
    public static let range: ClosedRange<UInt32> = 1 << 10...256 << 20

    /// The advice about a payload that is too large to send, for the end of a sentence.
    package static let advice =
        "raise the coordinator's limit (--max-payload, in code maximumPayload), or send a reference or parts"

    /// Returns the reason why a worker's event, or an effect for a worker, is not sent: `what` names it, such as `the
    /// effect`.
    package static func reason(_ what: String, bytes: Int, of limit: UInt32) -> String {
        "\(what) is too large to send: \(bytes) bytes of \(limit) allowed; \(advice)"
    }
}
