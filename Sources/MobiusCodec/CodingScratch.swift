/// Memory that a coding may work in and that is kept from call to call.
///
/// Who codes many values keeps one: a coding that finds its memory warm takes half the time. Copies share nothing.
public struct CodingScratch: Sendable {
    /// Bytes to use at will.
    public var bytes: [UInt8] = []
    private var machines: CodingMachines?

    /// Makes an empty scratch.
    public init() {}

    /// The machine that writes JSON.
    mutating func encoder(sortedKeys: Bool) -> EncodingMachine {
        let machines = owned()
        if sortedKeys {
            if machines.sortingEncoder == nil { machines.sortingEncoder = EncodingMachine(sortedKeys: true) }
            return machines.sortingEncoder.unsafelyUnwrapped
        }
        if machines.encoder == nil { machines.encoder = EncodingMachine(sortedKeys: false) }
        return machines.encoder.unsafelyUnwrapped
    }

    /// The machine that reads JSON.
    mutating func decoder() -> DecodingMachine {
        let machines = owned()
        if machines.decoder == nil { machines.decoder = DecodingMachine() }
        return machines.decoder.unsafelyUnwrapped
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

    deinit {
        // The views of kept containers hold their machine.
        encoder?.views.removeAll()
        sortingEncoder?.views.removeAll()
        decoder?.views.removeAll()
    }
}
