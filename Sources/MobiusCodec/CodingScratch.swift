/// Working memory for codings, reused from call to call.
///
/// Keep one to code many values: with warm memory a coding takes half the time. Copies share nothing.
public struct CodingScratch: Sendable {
    /// Bytes for any use.
    public var bytes: [UInt8] = []
    private var machines: CodingMachines?

    /// Makes an empty scratch.
    public init() {}

    /// The machine that writes.
    @inline(__always)
    mutating func encoder(
        sortedKeys: Bool, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) -> EncodingMachine {
        let machine = encoder(sortedKeys: sortedKeys)
        // Usually both are nil, and no references are counted.
        if !userInfo.isEmpty || !machine.userInfo.isEmpty { machine.userInfo = userInfo }
        return machine
    }

    @inline(__always)
    private mutating func encoder(sortedKeys: Bool) -> EncodingMachine {
        makeOwn()
        if sortedKeys {
            if let machine = machines.unsafelyUnwrapped.sortingEncoder { return machine }
        } else if let machine = machines.unsafelyUnwrapped.encoder {
            return machine
        }
        return newEncoder(sortedKeys: sortedKeys)
    }

    @inline(never)
    private func newEncoder(sortedKeys: Bool) -> EncodingMachine {
        let machine = EncodingMachine(sortedKeys: sortedKeys)
        if sortedKeys { machines?.sortingEncoder = machine } else { machines?.encoder = machine }
        return machine
    }

    /// The machine that reads.
    @inline(__always)
    mutating func decoder(userInfo: [CodingUserInfoKey: any Sendable] = [:]) -> DecodingMachine {
        makeOwn()
        let machine = machines.unsafelyUnwrapped.decoder ?? newDecoder()
        if !userInfo.isEmpty || !machine.userInfo.isEmpty { machine.userInfo = userInfo }
        return machine
    }

    /// The explanation of the bytes that were read last, if their keys did not fit.
    var explanation: DecodingMachine.Explanation? { machines?.decoder?.state.pointee.explanation }

    @inline(never)
    private func newDecoder() -> DecodingMachine {
        let machine = DecodingMachine()
        machines?.decoder = machine
        return machine
    }

    /// Memory to write into, until it is given back.
    @usableFromInline
    mutating func takeMemory() -> UnsafeMutableBufferPointer<UInt8> {
        makeOwn()
        let memory = machines.unsafelyUnwrapped.memory
        machines.unsafelyUnwrapped.memory = nil
        return memory ?? .allocate(capacity: 256)
    }

    /// Keeps memory for the next value, unless it is too large.
    @usableFromInline
    mutating func giveBack(_ memory: UnsafeMutableBufferPointer<UInt8>) {
        makeOwn()
        machines.unsafelyUnwrapped.memory?.deallocate()
        let isMuch = memory.count > 1 << 20
        machines.unsafelyUnwrapped.memory = isMuch ? nil : memory
        if isMuch { memory.deallocate() }
    }

    /// Makes machines that no copy shares.
    private mutating func makeOwn() {
        if machines == nil || !isKnownUniquelyReferenced(&machines) { machines = CodingMachines() }
    }
}

// @unchecked Sendable: only a scratch that holds the one reference uses the machines, and a scratch is a value, which is at
// one thread at a time.
/// The machines of a scratch, made when they are first needed.
private final class CodingMachines: @unchecked Sendable {
    var encoder: EncodingMachine?
    var sortingEncoder: EncodingMachine?
    var decoder: DecodingMachine?
    /// The memory into which ``PayloadWriter`` writes.
    var memory: UnsafeMutableBufferPointer<UInt8>?

    deinit {
        memory?.deallocate()
        // The views of kept containers hold their machine.
        encoder?.views.removeAll()
        sortingEncoder?.views.removeAll()
        // A decoding container does not retain its view. If a container outlives the scratch, its view and the machine
        // behind it stay in memory for good, so that its use is an error and not undefined behaviour.
        decoder?.views.removeAll { _ = Unmanaged.passRetained($0) }
    }
}
