import Foundation
import JSONAgreement
import MobiusCodec

// cbor-peer write COUNT SEED: so many drawn values, a line each: CBOR, deterministic CBOR, and JSON, in hexadecimal digits.
// cbor-peer mirror: reads lines of CBOR that is a `Parcel`, and writes it as it would write the value itself.
// cbor-peer show: reads lines of any CBOR, and writes its text for people.
// What is wrong with a line is answered as `! reason`. `Tests/run cbor` calls all of them.

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func coded(_ parcel: Parcel, _ coding: some PayloadCodec<Parcel>) throws -> String {
    var scratch = CodingScratch()
    var bytes: [UInt8] = []
    try coding.encode(parcel, into: &bytes, scratch: &scratch)
    return hex(bytes)
}

func answer(_ line: String, to mode: String) -> String {
    var scratch = CodingScratch()
    let bytes = bytes(line)
    do {
        if mode == "show" { return hex(try CBORText.json(of: bytes.span.bytes).utf8) }
        return try coded(CBORCodec(Parcel.self).decode(bytes.span.bytes, scratch: &scratch), CBORCodec())
    } catch {
        return "! \(error)"
    }
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "write" where arguments.count == 4:
    var chance = SeededGenerator(UInt64(arguments[3]) ?? 0)
    for _ in 0..<(Int(arguments[2]) ?? 0) {
        let parcel = Parcel.drawn(depth: 2, by: &chance)
        let forms = [
            try coded(parcel, CBORCodec()), try coded(parcel, CBORCodec(deterministic: true)),
            try coded(parcel, JSONCodec()),
        ]
        print(forms.joined(separator: " "))
    }
case let mode? where mode == "mirror" || mode == "show": while let line = readLine() { print(answer(line, to: mode)) }
default: fatalError("usage: cbor-peer write COUNT SEED | mirror | show")
}
