#if HTTP
    import MobiusClient
    import MobiusCodec
    import MobiusWire

    /// The contents of a file that `mobius export` has written.
    ///
    /// The file may be anybody's: what does not hold together is refused with its line. It is in memory as a whole; entries of histories
    /// are decoded again when they are asked for.
    package struct ExportFile: Sendable {
        /// A loop of the file.
        struct Loop: Sendable {
            let summary: LoopSummary
            var waits: LoopWaits?
            var effects: [EffectSummary] = []
            var letters: [DeadLetterSummary] = []
            /// The history in its order.
            var entries: [(place: HistoryPlace, bytes: Range<Int>)] = []
        }

        let head: ExportLine.Head
        private(set) var schema: JSONFragment?
        private(set) var status: FleetStatus?
        /// In the order of their names' bytes.
        private(set) var loops: [Loop] = []
        /// Whether the file has its end; one without it was cut.
        package private(set) var isWhole = false
        private let bytes: [UInt8]

        /// Reads the bytes of a file, which is named in errors.
        ///
        /// - Throws: ``ExportFileError``.
        package init(_ bytes: [UInt8], path: String) throws(ExportFileError) {
            self.bytes = bytes
            var head: ExportLine.Head?
            var (start, number) = (0, 0)
            var parts = (schema: JSONFragment?.none, status: FleetStatus?.none, loops: [Loop](), isWhole: false)
            while start < bytes.count {
                number += 1
                let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                let range = start..<end
                start = end + 1
                guard !range.isEmpty else { continue }
                guard let line = Self.line(bytes, range) else {
                    // What a full disk or a broken download leaves.
                    if end == bytes.count, head != nil { break }
                    throw ExportFileError(
                        "\(path) is no export of mobius export: line \(number) is none of its lines. Decompress it if it is compressed."
                    )
                }
                if let found = line.head {
                    guard head == nil else { throw ExportFileError("\(path) has two beginnings: line \(number).") }
                    guard found.version == ExportLine.Head.version else {
                        throw ExportFileError(
                            "\(path) is of version \(found.version), which this build of mobius cannot read.")
                    }
                    head = found
                }
                guard head != nil else {
                    throw ExportFileError(
                        "\(path) is no export of mobius export: its first line is not the one that it writes.")
                }
                guard Self.add(line, at: range, to: &parts) else {
                    throw ExportFileError(
                        "\(path) does not hold together: line \(number) is not of the loop before it, or out of order.")
                }
            }
            guard let head else { throw ExportFileError("\(path) is no export of mobius export: it is empty.") }
            self.head = head
            (schema, status, loops, isWhole) = parts
        }

        /// An entry of a loop's history.
        func entry(_ range: Range<Int>) -> HistoryEntry? { Self.line(bytes, range)?.entry }

        private static func line(_ bytes: [UInt8], _ range: Range<Int>) -> ExportLine? {
            var scratch = CodingScratch()
            return try? JSONCodec(ExportLine.self).decode(bytes.span.bytes.extracting(range), scratch: &scratch)
        }

        /// Adds a line; returns whether it fits to those before.
        private static func add(
            _ line: ExportLine, at range: Range<Int>,
            to parts: inout (schema: JSONFragment?, status: FleetStatus?, loops: [Loop], isWhole: Bool)
        ) -> Bool {
            if let schema = line.schema { parts.schema = schema }
            if let status = line.status { parts.status = status }
            if line.end != nil { parts.isWhole = true }
            if let summary = line.loop {
                if let last = parts.loops.last, !last.summary.loop.precedes(summary.loop) { return false }
                parts.loops.append(Loop(summary: summary))
            }
            let named = [line.waits?.loop, line.effect?.id.loop, line.letter?.id.loop, line.entry?.loop].compactMap(
                \.self)
            guard !named.isEmpty else { return true }
            let last = parts.loops.count - 1
            guard last >= 0, named.allSatisfy({ $0 == parts.loops[last].summary.loop }) else { return false }
            if let waits = line.waits { parts.loops[last].waits = waits }
            if let effect = line.effect { parts.loops[last].effects.append(effect) }
            if let letter = line.letter { parts.loops[last].letters.append(letter) }
            if let entry = line.entry {
                if let before = parts.loops[last].entries.last, entry.place <= before.place { return false }
                parts.loops[last].entries.append((entry.place, range))
            }
            return true
        }
    }

    /// The reason why a file cannot be shown, in a sentence for its user.
    package struct ExportFileError: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) {
            self.description = description
        }
    }
#endif
