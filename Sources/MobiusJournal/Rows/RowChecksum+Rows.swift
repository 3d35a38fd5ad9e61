package import MobiusWire

// The checksums of the rows that every store on disk keeps, over what they say. A loop is its number in the journal.
extension RowChecksum {
    /// Of a payload kind.
    package static func kind(_ kind: PayloadKind) -> Int64 {
        var sum = RowChecksum()
        sum.add(kind.type)
        sum.add(UInt64(kind.version))
        sum.add(kind.contentType)
        return sum.value
    }

    /// Of a loop's name and first record.
    package static func loop(_ name: String, first: RecordPlace) -> Int64 {
        var sum = RowChecksum()
        sum.add(name)
        // The sum of a loop that was never compacted contains the name only.
        if first != .start {
            sum.add(first.sequence)
            sum.add(UInt64(first.part))
        }
        return sum.value
    }

    /// Of an outside key and the last event that applied it.
    package static func outsideKey(_ key: UnsafeRawBufferPointer, loop: Int64, sequence: Int64) -> Int64 {
        var sum = RowChecksum()
        sum.add(loop)
        sum.add(sequence)
        sum.add(key)
        return sum.value
    }

    /// The checksum of the reply to the sender of an event.
    package static func reply(
        _ content: UnsafeRawBufferPointer, kind: Int64, loop: Int64, sequence: Int64
    ) -> Int64 {
        var sum = RowChecksum()
        sum.add(loop)
        sum.add(sequence)
        sum.add(kind)
        sum.add(content)
        return sum.value
    }

    /// Of a dead letter.
    package static func deadLetter(_ letter: DeadLetter, loop: Int64, kind: Int64) -> Int64 {
        var sum = RowChecksum()
        sum.add(loop)
        sum.add(letter.id.sequence)
        sum.add(UInt64(letter.id.index))
        sum.add(UInt64(letter.failures) << 32 ^ UInt64(letter.round))
        sum.add(letter.time.milliseconds)
        sum.add(kind)
        letter.effect.bytes.withUnsafeBytes { sum.add($0) }
        sum.add(letter.reason)
        return sum.value
    }

    /// Of a crash.
    package static func crash(_ crash: Crash, loop: Int64, flags: Int64, kind: Int64) -> Int64 {
        var sum = RowChecksum()
        sum.add(loop)
        sum.add(flags)
        sum.add(crash.breadcrumb.replayed ?? 0)
        sum.add(kind)
        sum.add(Int64(crash.count))
        sum.add(crash.epoch)
        sum.add(crash.time.milliseconds)
        sum.add(crash.build)
        crash.breadcrumb.source.bytes.withUnsafeBytes { sum.add($0) }
        (crash.breadcrumb.event?.bytes ?? []).withUnsafeBytes { sum.add($0) }
        return sum.value
    }

    /// Of a snapshot without its model, which has a hash of its own.
    package static func snapshot(
        loop: Int64, place: RecordPlace, kind: Int64, hash: UInt64, pending: UnsafeRawBufferPointer
    ) -> Int64 {
        var sum = RowChecksum()
        sum.add(loop)
        sum.add(place.sequence)
        sum.add(UInt64(place.part))
        sum.add(kind)
        sum.add(hash)
        sum.add(pending)
        return sum.value
    }

    /// Of a pool's pause.
    package static func pause(_ pause: PoolPause, of pool: String) -> Int64 {
        var sum = RowChecksum()
        sum.add(pool)
        sum.add(pause.by)
        sum.add(pause.why)
        sum.add(pause.since.milliseconds)
        return sum.value
    }

    /// Of a loop's end.
    package static func end(_ end: EndedLoop, loop: Int64) -> Int64 {
        var sum = RowChecksum()
        sum.add(loop)
        sum.add(end.sequence)
        sum.add(end.time.milliseconds)
        sum.add(Int64(end.mayBeginAgain ? 1 : 0))
        sum.add(Int64(end.outstanding))
        return sum.value
    }
}
