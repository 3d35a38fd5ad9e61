/// International host names in ASCII (RFC 3492).
enum Punycode {
    /// One label of a host name: `bücher` becomes `xn--bcher-kva`; ASCII stays as it is.
    static func label(_ label: Substring) -> String {
        if label.utf8.allSatisfy({ $0 < 0x80 }) { return String(label) }
        return "xn--" + encoded(label.unicodeScalars.map(\.value))
    }

    private static func encoded(_ input: [UInt32]) -> String {
        var output = input.filter { $0 < 0x80 }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var handled = basicCount
        var current: UInt32 = 128
        var delta = 0
        var bias = 72
        while handled < input.count {
            guard let next = input.filter({ $0 >= current }).min() else { break }
            delta += Int(next - current) * (handled + 1)
            current = next
            for value in input {
                if value < current { delta += 1 }
                guard value == current else { continue }
                append(delta, bias: bias, to: &output)
                bias = adapted(delta, points: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            current += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// `delta` as a generalised variable-length integer.
    private static func append(_ delta: Int, bias: Int, to output: inout [UInt8]) {
        var rest = delta
        var base = 36
        while true {
            let threshold = min(max(base - bias, 1), 26)
            if rest < threshold { break }
            output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
            rest = (rest - threshold) / (36 - threshold)
            base += 36
        }
        output.append(digit(rest))
    }

    private static func adapted(_ delta: Int, points: Int, isFirst: Bool) -> Int {
        var rest = isFirst ? delta / 700 : delta / 2
        rest += rest / points
        var bias = 0
        while rest > 455 {
            rest /= 35
            bias += 36
        }
        return bias + 36 * rest / (rest + 38)
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? value + Int(UInt8(ascii: "a")) : value - 26 + Int(UInt8(ascii: "0")))
    }
}
