extension FleetStatus {
    private enum Tag {
        static let program: UInt8 = 1
        static let build: UInt8 = 2
        static let journal: UInt8 = 3
        static let epoch: UInt8 = 4
        static let started: UInt8 = 5
        static let maximumPayload: UInt8 = 6
        static let pending: UInt8 = 7
        static let letters: UInt8 = 8
        static let loopCount: UInt8 = 9
        static let loop: UInt8 = 10
        static let pool: UInt8 = 11
        static let worker: UInt8 = 12
        static let events: UInt8 = 13
        static let heldCount: UInt8 = 40
    }

    func write(to writer: inout ByteWriter) {
        writer.field(Tag.program) { $0.shortString(program) }
        writer.field(Tag.build) { $0.shortString(build) }
        writer.field(Tag.journal) { $0.randomID(journal) }
        writer.field(Tag.epoch) { $0.uint64(epoch) }
        writer.field(Tag.started) { $0.wallTime(started) }
        writer.field(Tag.maximumPayload) { $0.uint32(maximumPayload) }
        writer.field(Tag.pending) { $0.uint64(pending) }
        writer.field(Tag.letters) { $0.uint64(letters) }
        writer.field(Tag.loopCount) { $0.uint64(loopCount) }
        for loop in loops { writer.field(Tag.loop) { loop.write(to: &$0) } }
        for pool in pools { writer.field(Tag.pool) { pool.write(to: &$0) } }
        for worker in workers { writer.field(Tag.worker) { worker.write(to: &$0) } }
        if let events { writer.field(Tag.events) { $0.uint64(events) } }
        if let heldCount { writer.field(Tag.heldCount) { $0.uint64(heldCount) } }
    }

    init(from reader: inout WireReader) throws(WireError) {
        var journal: JournalID?
        var epoch: UInt64?
        var status = Self(
            program: "", build: "", journal: JournalID(high: 0, low: 0), epoch: 0, started: WallTime(milliseconds: 0),
            maximumPayload: 0)
        try reader.fields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.program: status.program = try value.shortString("program")
            case Tag.build: status.build = try value.shortString("build")
            case Tag.journal: journal = try value.randomID("journal")
            case Tag.epoch: epoch = try value.uint64("epoch")
            case Tag.started: status.started = try value.wallTime("started")
            case Tag.maximumPayload: status.maximumPayload = try value.uint32("maximum payload")
            case Tag.pending: status.pending = try value.uint64("pending")
            case Tag.letters: status.letters = try value.uint64("letters")
            case Tag.loopCount: status.loopCount = try value.uint64("loops")
            case Tag.loop: status.loops.append(try LoopStatus(from: &value))
            case Tag.pool: status.pools.append(try PoolStatus(from: &value))
            case Tag.worker: status.workers.append(try WorkerStatus(from: &value))
            case Tag.events: status.events = try value.uint64("events")
            case Tag.heldCount: status.heldCount = try value.uint64("held loops")
            default: return false
            }
            return true
        }
        status.journal = try required(journal, "journal")
        status.epoch = try required(epoch, "epoch")
        self = status
    }
}

extension LoopStatus {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.field(1) { $0.shortString(loop.name) }
        writer.field(2) { $0.uint64(sequence) }
        writer.field(3) { $0.uint64(pending) }
        if isHeld { writer.field(4) { $0.uint8(1) } }
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        var loop: LoopID?
        var status = Self(loop: .main, sequence: 0, pending: 0)
        try reader.fields { (tag, value) throws(WireError) in
            switch tag {
            case 1: loop = try value.loop()
            case 2: status.sequence = try value.uint64("sequence")
            case 3: status.pending = try value.uint64("pending")
            case 4: status.isHeld = try value.flag("held")
            default: return false
            }
            return true
        }
        status.loop = try required(loop, "loop")
        self = status
    }
}

extension PoolStatus {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.field(1) { $0.shortString(pool) }
        writer.field(2) { $0.uint32(workers) }
        writer.field(3) { $0.uint64(waiting) }
        writer.field(4) { $0.uint64(running) }
        if credit > 0 { writer.field(5) { $0.uint64(credit) } }
        if let oldest { writer.field(6) { $0.uint64(oldest) } }
        if let ready { writer.field(7) { $0.uint64(ready) } }
        if let oldestReady { writer.field(8) { $0.uint64(oldestReady) } }
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        var pool: String?
        var status = Self(pool: "", workers: 0, waiting: 0, running: 0)
        try reader.fields { (tag, value) throws(WireError) in
            switch tag {
            case 1: pool = try value.shortString("pool")
            case 2: status.workers = try value.uint32("workers")
            case 3: status.waiting = try value.uint64("waiting")
            case 4: status.running = try value.uint64("running")
            case 5: status.credit = try value.uint64("credit")
            case 6: status.oldest = try value.uint64("oldest")
            case 7: status.ready = try value.uint64("ready")
            case 8: status.oldestReady = try value.uint64("oldest ready")
            default: return false
            }
            return true
        }
        status.pool = try required(pool, "pool")
        self = status
    }
}

extension WorkerStatus {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.field(1) { $0.randomID(incarnation) }
        for pool in pools { writer.field(2) { $0.shortString(pool) } }
        writer.field(3) { $0.shortString(build) }
        writer.field(4) { $0.uint32(running) }
        writer.field(5) { $0.uint32(free) }
        writer.field(6) { $0.uint64(silence) }
        if isDraining { writer.field(7) { $0.uint8(1) } }
        if !name.isEmpty { writer.field(8) { $0.shortString(name) } }
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        var incarnation: Incarnation?
        var status = Self(
            incarnation: Incarnation(high: 0, low: 0), pools: [], build: "", running: 0, free: 0, silence: 0)
        try reader.fields { (tag, value) throws(WireError) in
            switch tag {
            case 1: incarnation = try value.randomID("worker")
            case 2: status.pools.append(try value.shortString("pool"))
            case 3: status.build = try value.shortString("build")
            case 4: status.running = try value.uint32("running")
            case 5: status.free = try value.uint32("free")
            case 6: status.silence = try value.uint64("silence")
            case 7: status.isDraining = try value.flag("draining")
            case 8: status.name = try value.shortString("name")
            default: return false
            }
            return true
        }
        status.incarnation = try required(incarnation, "worker")
        self = status
    }
}
