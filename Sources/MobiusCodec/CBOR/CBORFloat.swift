/// Floating-point numbers in 16, 32 and 64 bits, converted bit by bit, so that a NaN keeps its payload.
enum CBORFloat {
    /// A half as a double.
    static func double(half bits: UInt16) -> UInt64 {
        let sign = UInt64(bits & 0x8000) << 48
        let exponent = UInt64(bits >> 10 & 0x1f)
        let fraction = UInt64(bits & 0x3ff)
        switch exponent {
        case 0: return sign | (Double(fraction) * 0x1p-24).bitPattern
        case 0x1f: return sign | 0x7ff0_0000_0000_0000 | fraction << 42
        default: return sign | (exponent + 1008) << 52 | fraction << 42
        }
    }

    /// A float as a double.
    static func double(single bits: UInt32) -> UInt64 {
        let number = Float(bitPattern: bits)
        // Converting a signalling NaN makes it a quiet one.
        guard number.isNaN else { return Double(number).bitPattern }
        return UInt64(bits & 0x8000_0000) << 32 | 0x7ff0_0000_0000_0000 | UInt64(bits & 0x7f_ffff) << 29
    }

    /// A double as a float with the same value, if there is one.
    static func single(_ number: Double) -> UInt32? {
        if number.isNaN {
            let bits = number.bitPattern
            guard bits & 0x1fff_ffff == 0 else { return nil }
            return UInt32(bits >> 32) & 0x8000_0000 | 0x7f80_0000 | UInt32(truncatingIfNeeded: bits >> 29) & 0x7f_ffff
        }
        let single = Float(number)
        return Double(single) == number ? single.bitPattern : nil
    }

    /// A float as a half with the same value, if there is one.
    static func half(_ bits: UInt32) -> UInt16? {
        let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
        let exponent = Int(bits >> 23 & 0xff) - 127
        let fraction = bits & 0x7f_ffff
        switch exponent {
        case 128, -14...15:
            guard fraction & 0x1fff == 0 else { return nil }
            let narrow = exponent == 128 ? 0x1f : UInt16(exponent + 15)
            return sign | narrow << 10 | UInt16(truncatingIfNeeded: fraction >> 13)
        case -24 ... -15:
            // A subnormal half: so many units of 2⁻²⁴.
            let whole = fraction | 0x80_0000
            let shift = UInt32(-1 - exponent)
            guard whole & (1 << shift - 1) == 0 else { return nil }
            return sign | UInt16(truncatingIfNeeded: whole >> shift)
        case -127 where fraction == 0: return sign
        default: return nil
        }
    }
}

extension OutputBytes {
    /// A number in the fewest bytes that hold its value.
    mutating func appendBinary<Number: BinaryFloatingPoint>(_ number: Number) {
        // Converting a NaN may change it.
        if Number.self == Float.self { return appendSingle(unsafeBitCast(number, to: Float.self).bitPattern) }
        let double = Number.self == Double.self ? unsafeBitCast(number, to: Double.self) : Double(number)
        if let single = CBORFloat.single(double) { return appendSingle(single) }
        reserve(9)
        append(CBORHead.Major.simple.bits | CBORHead.Information.eightBytes)
        appendBigEndian(double.bitPattern)
    }

    private mutating func appendSingle(_ bits: UInt32) {
        if let half = CBORFloat.half(bits) {
            append(CBORHead.Major.simple.bits | CBORHead.Information.twoBytes)
            appendBigEndian(half)
        } else {
            append(CBORHead.Major.simple.bits | CBORHead.Information.fourBytes)
            appendBigEndian(bits)
        }
    }

    private mutating func appendBigEndian<Integer: FixedWidthInteger & BitwiseCopyable>(_ bits: Integer) {
        reserve(MemoryLayout<Integer>.size)
        UnsafeMutableRawPointer(base + count).storeBytes(of: bits.bigEndian, as: Integer.self)
        count += MemoryLayout<Integer>.size
    }
}
