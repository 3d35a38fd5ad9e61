import MobiusWire

/// The byte layout of a ``BreadcrumbSlot``.
///
///      0 state (1)    8 magic    16 journal (16)    32 epoch    40 build's length (2)    42 build
///    248 sum of 8…247
///    256 sum of 264…the end
///    264 length of what follows 272 (4)    268 flags    269 source's tag    270 version (2)
///    272 replayed   280 effect's sequence   288 epoch or time   296 effect's index (4)    300 attempt or round (4)
///    304 number (4) 308 loop's length (2)   310 type's length (2)   312 content type's length (2)
///    314 key's length (2)   316 event's length (4)   320 loop, key, type, content type, event
///
/// The key of an event that another loop sent is that loop's name.
enum BreadcrumbLayout {
    private static let magic: UInt64 = 0x3162_6d72_436f_624d  // "MobCrmb1"
    private static let headSum = 248
    private static let maximumBuild = headSum - 42
    private static let bodySum = 256
    private static let body = 264
    private static let strings = 320

    private enum Flag {
        static let replayed: UInt8 = 1
        static let event: UInt8 = 2
        static let cut: UInt8 = 4
    }

    // MARK: What stays the same while a process runs

    static func writeHead(
        to memory: UnsafeMutableRawBufferPointer, journal: JournalID, epoch: UInt64, build: String
    ) {
        for index in 8..<bodySum { memory[index] = 0 }
        memory.storeBytes(of: magic, toByteOffset: 8, as: UInt64.self)
        memory.storeBytes(of: journal.high, toByteOffset: 16, as: UInt64.self)
        memory.storeBytes(of: journal.low, toByteOffset: 24, as: UInt64.self)
        memory.storeBytes(of: epoch, toByteOffset: 32, as: UInt64.self)
        let build = build.utf8.prefix(maximumBuild)
        memory.storeBytes(of: UInt16(build.count), toByteOffset: 40, as: UInt16.self)
        for (index, byte) in build.enumerated() { memory[42 + index] = byte }
        memory.storeBytes(of: sum(UnsafeRawBufferPointer(memory)[8..<headSum]), toByteOffset: headSum, as: UInt64.self)
    }

    static func readHead(_ memory: UnsafeRawBufferPointer) -> (journal: JournalID, epoch: UInt64, build: String)? {
        guard memory.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == magic,
            memory.loadUnaligned(fromByteOffset: headSum, as: UInt64.self) == sum(memory[8..<headSum])
        else { return nil }
        let length = Int(memory.loadUnaligned(fromByteOffset: 40, as: UInt16.self))
        guard length <= maximumBuild else { return nil }
        let build = String(decoding: memory[42..<42 + length], as: UTF8.self)
        let journal = JournalID(
            high: memory.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
            low: memory.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        return (journal, memory.loadUnaligned(fromByteOffset: 32, as: UInt64.self), build)
    }

    // MARK: One event

    /// The strings before an event's bytes, without an outside event's key.
    struct Strings {
        let loop: LoopID
        let kind: PayloadKind?
        /// Their end offset.
        let end: Int
    }

    /// Returns whether everything fitted, except the end of the event; `known` is the strings in the slot, before and
    /// after.
    static func writeBody(
        to memory: UnsafeMutableRawBufferPointer, _ known: inout Strings?, loop: LoopID, source: SourceKey,
        event: Payload?, replayed: UInt64?
    ) -> Bool {
        var key = ""
        switch source {
        case .outside(let outside): key = outside
        case .loop(let effect): key = effect.loop.name
        case .start, .report, .failure, .timer, .answer: break
        }
        if !key.isEmpty || known?.loop != loop || known?.kind != event?.kind {
            known = nil
            guard let end = writeStrings(to: memory, loop: loop, key: key, kind: event?.kind) else { return false }
            known = Strings(loop: loop, kind: event?.kind, end: end)
        }
        guard let end = known?.end else { return false }
        if !key.isEmpty { known = nil }
        var writer = StringWriter(memory: memory, position: end)
        var flags: UInt8 = replayed == nil ? 0 : Flag.replayed
        var count = 0
        if let event {
            flags |= Flag.event
            count = writer.append(upTo: event.bytes)
            if count < event.bytes.count { flags |= Flag.cut }
        }
        memory.storeBytes(of: UInt32(writer.position - 272), toByteOffset: 264, as: UInt32.self)
        memory[268] = flags
        memory.storeBytes(of: replayed ?? 0, toByteOffset: 272, as: UInt64.self)
        memory.storeBytes(of: UInt32(count), toByteOffset: 316, as: UInt32.self)
        write(source, to: memory)
        let sum = sum(UnsafeRawBufferPointer(memory)[body..<writer.position])
        memory.storeBytes(of: sum, toByteOffset: bodySum, as: UInt64.self)
        return true
    }

    /// Writes the strings and their descriptions; returns their end offset, if there was room.
    private static func writeStrings(
        to memory: UnsafeMutableRawBufferPointer, loop: LoopID, key: String, kind: PayloadKind?
    ) -> Int? {
        var writer = StringWriter(memory: memory, position: strings)
        let lengths = (
            loop: writer.append(loop.name), key: writer.append(key), type: writer.append(kind?.type ?? ""),
            content: writer.append(kind?.contentType ?? "")
        )
        guard !writer.isFull else { return nil }
        memory.storeBytes(of: kind?.version ?? 0, toByteOffset: 270, as: UInt16.self)
        memory.storeBytes(of: lengths.loop, toByteOffset: 308, as: UInt16.self)
        memory.storeBytes(of: lengths.type, toByteOffset: 310, as: UInt16.self)
        memory.storeBytes(of: lengths.content, toByteOffset: 312, as: UInt16.self)
        memory.storeBytes(of: lengths.key, toByteOffset: 314, as: UInt16.self)
        return writer.position
    }

    private static func write(_ source: SourceKey, to memory: UnsafeMutableRawBufferPointer) {
        var (tag, sequence, index): (UInt8, UInt64, UInt32) = (0, 0, 0)
        var (wide, narrow, number): (UInt64, UInt32, UInt32) = (0, 0, 0)
        switch source {
        case .start: break
        case .report(let attempt, number: let report):
            (tag, sequence, index) = (1, attempt.effect.sequence, attempt.effect.index)
            (wide, narrow, number) = (attempt.attempt.epoch, attempt.attempt.number, report)
        case .failure(let effect, let round):
            (tag, sequence, index, narrow) = (2, effect.sequence, effect.index, round)
        case .outside: tag = 3
        case .timer(let effect, let due):
            (tag, sequence, index, wide) = (4, effect.sequence, effect.index, UInt64(bitPattern: due.milliseconds))
        case .loop(let effect): (tag, sequence, index) = (5, effect.sequence, effect.index)
        case .answer(let effect): (tag, sequence, index) = (6, effect.sequence, effect.index)
        }
        memory[269] = tag
        memory.storeBytes(of: sequence, toByteOffset: 280, as: UInt64.self)
        memory.storeBytes(of: wide, toByteOffset: 288, as: UInt64.self)
        memory.storeBytes(of: index, toByteOffset: 296, as: UInt32.self)
        memory.storeBytes(of: narrow, toByteOffset: 300, as: UInt32.self)
        memory.storeBytes(of: number, toByteOffset: 304, as: UInt32.self)
    }

    static func readBody(_ memory: UnsafeRawBufferPointer) -> Breadcrumb? {
        let end = 272 + Int(memory.loadUnaligned(fromByteOffset: 264, as: UInt32.self))
        guard end >= strings, end <= memory.count,
            memory.loadUnaligned(fromByteOffset: bodySum, as: UInt64.self) == sum(memory[body..<end])
        else { return nil }
        func length(_ offset: Int) -> Int { Int(memory.loadUnaligned(fromByteOffset: offset, as: UInt16.self)) }
        var reader = JournalReader(UnsafeRawBufferPointer(rebasing: memory[strings..<end]))
        func text(_ offset: Int) -> String? { try? reader.string(length: length(offset), "text") }
        let count = Int(memory.loadUnaligned(fromByteOffset: 316, as: UInt32.self))
        guard let loop = text(308).flatMap({ LoopID($0) }), let key = text(314), let type = text(310),
            let content = text(312), let bytes = try? Array(reader.consume(count, "event")), reader.remaining == 0,
            let source = source(in: memory, of: loop, key: key)
        else { return nil }
        let flags = memory[268]
        let version = memory.loadUnaligned(fromByteOffset: 270, as: UInt16.self)
        let event = Payload(kind: PayloadKind(type: type, version: version, contentType: content), bytes: bytes)
        let replayed = memory.loadUnaligned(fromByteOffset: 272, as: UInt64.self)
        return Breadcrumb(
            loop: loop, source: source, event: flags & Flag.event == 0 ? nil : event, isCut: flags & Flag.cut != 0,
            replayed: flags & Flag.replayed == 0 ? nil : replayed)
    }

    private static func source(in memory: UnsafeRawBufferPointer, of loop: LoopID, key: String) -> SourceKey? {
        func narrow(_ offset: Int) -> UInt32 { memory.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        let effect = EffectID(
            loop: loop, sequence: memory.loadUnaligned(fromByteOffset: 280, as: UInt64.self), index: narrow(296))
        let wide = memory.loadUnaligned(fromByteOffset: 288, as: UInt64.self)
        switch memory[269] {
        case 0: return .start
        case 1:
            let attempt = Attempt(epoch: wide, number: narrow(300))
            return .report(AttemptID(effect: effect, attempt: attempt), number: narrow(304))
        case 2: return .failure(effect, round: narrow(300))
        case 3: return .outside(key)
        case 4: return .timer(effect, due: WallTime(milliseconds: Int64(bitPattern: wide)))
        case 5:
            return LoopID(key).map { .loop(EffectID(loop: $0, sequence: effect.sequence, index: effect.index)) }
        case 6: return .answer(effect)
        default: return nil
        }
    }

    /// Corrects the checksums, for tests that change the contents: a wrong checksum would hide later defects.
    static func sumUp(_ memory: UnsafeMutableRawBufferPointer) {
        let bytes = UnsafeRawBufferPointer(memory)
        memory.storeBytes(of: sum(bytes[8..<headSum]), toByteOffset: headSum, as: UInt64.self)
        let end = 272 + Int(bytes.loadUnaligned(fromByteOffset: 264, as: UInt32.self))
        guard end >= body, end <= bytes.count else { return }
        memory.storeBytes(of: sum(bytes[body..<end]), toByteOffset: bodySum, as: UInt64.self)
    }

    /// Four independent sums: a single chain would take most of the time here.
    private static func sum(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        var lanes: (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, UInt64(bytes.count))
        func word(_ offset: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        var position = 0
        while position + 32 <= bytes.count {
            lanes.0 = step(lanes.0, word(position))
            lanes.1 = step(lanes.1, word(position + 8))
            lanes.2 = step(lanes.2, word(position + 16))
            lanes.3 = step(lanes.3, word(position + 24))
            position += 32
        }
        while position + 8 <= bytes.count {
            lanes.0 = step(lanes.0, word(position))
            position += 8
        }
        while position < bytes.count {
            lanes.1 = step(lanes.1, UInt64(bytes[position]))
            position += 1
        }
        return step(step(lanes.0, lanes.1), step(lanes.2, lanes.3))
    }

    private static func step(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        let mixed = (sum ^ word) &* 0x9e37_79b9_7f4a_7c15
        return mixed ^ mixed >> 32
    }
}

/// Copies strings one after the other.
private struct StringWriter {
    let memory: UnsafeMutableRawBufferPointer
    var position: Int
    var isFull = false

    mutating func append(_ text: String) -> UInt16 {
        if text.isEmpty { return 0 }
        // Not `withUTF8`, which needs its own copy; only bridged strings of macOS have no contiguous storage.
        let count =
            text.utf8.withContiguousStorageIfAvailable { append(UnsafeRawBufferPointer($0), limit: Int(UInt16.max)) }
            ?? Array(text.utf8).withUnsafeBytes { append($0, limit: Int(UInt16.max)) }
        if let count { return UInt16(count) }
        isFull = true
        return 0
    }

    /// As many as there is room for.
    mutating func append(upTo bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { bytes in
            let room = min(bytes.count, memory.count - position)
            return append(UnsafeRawBufferPointer(rebasing: bytes[..<room]), limit: .max) ?? 0
        }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Int? {
        guard bytes.count <= limit, bytes.count <= memory.count - position else { return nil }
        if let address = memory.baseAddress, let source = bytes.baseAddress {
            (address + position).copyMemory(from: source, byteCount: bytes.count)
        }
        position += bytes.count
        return bytes.count
    }
}
