/// SHA-256, as FIPS 180-4 specifies it.
///
/// For tokens of some dozen bytes; large inputs are better hashed by a library.
enum SHA256 {
    /// The hash of the bytes: 32 bytes.
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        // Section 5.1.1: a one bit, zeroes up to the last 8 bytes of a block, and the length in bits.
        var padded = message + [0x80]
        padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
        let bits = UInt64(message.count) * 8
        padded += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
        for start in stride(from: 0, to: padded.count, by: 64) { absorb(padded[start..<start + 64], into: &state) }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
    }

    /// Section 6.2.2: one block of 64 bytes.
    private static func absorb(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = [UInt32](repeating: 0, count: 64)
        for (index, byte) in block.enumerated() { words[index / 4] = words[index / 4] << 8 | UInt32(byte) }
        for index in 16..<64 {
            let (old, new) = (words[index - 15], words[index - 2])
            let small0 = rotated(old, 7) ^ rotated(old, 18) ^ old >> 3
            let small1 = rotated(new, 17) ^ rotated(new, 19) ^ new >> 10
            words[index] = small1 &+ words[index - 7] &+ small0 &+ words[index - 16]
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let big1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let first = h &+ big1 &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
            let big0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
            let second = big0 &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    /// Section 4.2.2: of the cube roots of the first 64 primes, the first 32 bits of the fractional parts.
    private static let constants: [UInt32] = {
        var (primes, candidate): ([UInt64], UInt64) = ([], 2)
        while primes.count < 64 {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map { UInt32(truncatingIfNeeded: cubeRoot(ofShifted: $0)) }
    }()

    /// The whole part of the cube root of `prime` · 2⁹⁶: the cube root of the prime, times 2³².
    private static func cubeRoot(ofShifted prime: UInt64) -> UInt64 {
        let target = UInt128(prime) << 96
        var (low, high): (UInt128, UInt128) = (0, 1 << 35)  // no root exceeds ∛311 · 2³²
        while high - low > 1 {
            let middle = (low + high) / 2
            if middle * middle * middle <= target { low = middle } else { high = middle }
        }
        return UInt64(low)
    }
}
