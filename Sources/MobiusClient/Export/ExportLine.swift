package import MobiusCodec
package import MobiusWire

/// A line of an export: loops with their histories and models as a file of JSON lines, which `mobius export` writes and `mobius view` opens.
///
/// Each line is an object with one key. The first has ``head``; then come ``schema`` and ``status``; then for each loop one with ``loop``, one
/// with ``waits`` where it is known, its ``effect`` and ``letter`` lines, and its history, an ``entry`` each; the last line has ``end``,
/// so that a file that was cut is told from a whole one. Readers skip keys that they do not know.
package struct ExportLine: Codable, Sendable {
    /// The beginning of the file.
    package struct Head: Codable, Sendable {
        /// The version of the format.
        package static let version = 1

        /// The version of the file; readers refuse later ones.
        package let version: Int
        /// The time at which the export began.
        package let time: WallTime
        /// The journal that numbered the events.
        package let journal: JournalID
        /// Whether what the program masks is masked here.
        package let isMasked: Bool

        package init(time: WallTime, journal: JournalID, isMasked: Bool) {
            (version, self.time, self.journal, self.isMasked) = (Self.version, time, journal, isMasked)
        }
    }

    /// The end of a whole file.
    package struct End: Codable, Sendable {
        /// The number of loops in the file.
        package var loops = 0
        /// The number of events.
        package var events = 0
    }

    package private(set) var head: Head?
    /// The forms of the program's types, as a JSON Schema.
    package private(set) var schema: JSONFragment?
    /// The fleet at the time of the export.
    package private(set) var status: FleetStatus?
    /// A loop, of which the following lines are.
    package private(set) var loop: LoopSummary?
    /// What it waited for.
    package private(set) var waits: LoopWaits?
    /// An effect of it that was pending.
    package private(set) var effect: EffectSummary?
    /// A dead letter of it.
    package private(set) var letter: DeadLetterSummary?
    /// An event with the model after it, or a note.
    package private(set) var entry: HistoryEntry?
    package private(set) var end: End?

    package static func head(_ head: Head) -> ExportLine { ExportLine(head: head) }
    package static func schema(_ json: JSONFragment) -> ExportLine { ExportLine(schema: json) }
    package static func status(_ status: FleetStatus) -> ExportLine { ExportLine(status: status) }
    package static func loop(_ loop: LoopSummary) -> ExportLine { ExportLine(loop: loop) }
    package static func waits(_ waits: LoopWaits) -> ExportLine { ExportLine(waits: waits) }
    package static func effect(_ effect: EffectSummary) -> ExportLine { ExportLine(effect: effect) }
    package static func letter(_ letter: DeadLetterSummary) -> ExportLine { ExportLine(letter: letter) }
    package static func entry(_ entry: HistoryEntry) -> ExportLine { ExportLine(entry: entry) }
    package static func end(_ end: End) -> ExportLine { ExportLine(end: end) }
}
