/// Memory that a coding may work in and that is kept from call to call.
///
/// Who codes many values keeps one: a coding that finds its memory warm takes half the time. Copies share nothing.
public struct CodingScratch: Sendable {
    /// Bytes to use at will.
    public var bytes: [UInt8] = []
    private var machines: CodingMachines?

    /// Makes an empty scratch.
    public init() {}

    /// The machine that writes.
    mutating func encoder(
        sortedKeys: Bool, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) -> EncodingMachine {
        let machine = encoder(sortedKeys: sortedKeys)
        machine.userInfo = userInfo
        return machine
    }

    private mutating func encoder(sortedKeys: Bool) -> EncodingMachine {
        let machines = owned()
        if sortedKeys {
            if machines.sortingEncoder == nil { machines.sortingEncoder = EncodingMachine(sortedKeys: true) }
            return machines.sortingEncoder.unsafelyUnwrapped
        }
        if machines.encoder == nil { machines.encoder = EncodingMachine(sortedKeys: false) }
        return machines.encoder.unsafelyUnwrapped
    }

    /// The machine that reads.
    mutating func decoder(userInfo: [CodingUserInfoKey: any Sendable] = [:]) -> DecodingMachine {
        let machines = owned()
        if machines.decoder == nil { machines.decoder = DecodingMachine() }
        let machine = machines.decoder.unsafelyUnwrapped
        machine.userInfo = userInfo
        return machine
    }

    /// Memory to write into, until it is given back.
    @usableFromInline
    mutating func takeMemory() -> UnsafeMutableBufferPointer<UInt8> {
        let machines = owned()
        defer { machines.memory = nil }
        return machines.memory ?? .allocate(capacity: 256)
    }

    /// Keeps memory for the next value, unless it is much.
    @usableFromInline
    mutating func giveBack(_ memory: UnsafeMutableBufferPointer<UInt8>) {
        let machines = owned()
        machines.memory?.deallocate()
        machines.memory = memory.count > 1 << 20 ? nil : memory
        if machines.memory == nil { memory.deallocate() }
    }

    private mutating func owned() -> CodingMachines {
        if machines == nil || !isKnownUniquelyReferenced(&machines) { machines = CodingMachines() }
        return machines.unsafelyUnwrapped
    }
}

// @unchecked Sendable: only a scratch that holds the one reference uses the machines, and a scratch is a value, which is at
// one thread at a time.
/// The machines of a scratch, made when they are first needed.
private final class CodingMachines: @unchecked Sendable {
    var encoder: EncodingMachine?
    var sortingEncoder: EncodingMachine?
    var decoder: DecodingMachine?
    /// What ``PayloadWriter`` writes into.
    var memory: UnsafeMutableBufferPointer<UInt8>?

    deinit {
        memory?.deallocate()
        // The views of kept containers hold their machine.
        encoder?.views.removeAll()
        sortingEncoder?.views.removeAll()
        decoder?.views.removeAll()
    }
}
