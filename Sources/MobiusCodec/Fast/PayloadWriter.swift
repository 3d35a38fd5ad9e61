/// Writes the fields of values as bytes, for ``FastPayload/encode(to:)``.
///
/// Other code can neither copy nor make it, so it never outlives its call.
public struct PayloadWriter: ~Copyable {
    // Pointers, because each byte of an array is checked for unique reference, capacity and bounds. They stay between `start`
    // and `end` because every write begins with `reserve`; the memory is the scratch's, which outlives the writer.
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    @usableFromInline var next: UnsafeMutablePointer<UInt8>
    @usableFromInline var end: UnsafeMutablePointer<UInt8>
    /// The number of the record's last field; 0 behind the number of a case.
    @usableFromInline var last = -1
    @usableFromInline var depth = 0
    @usableFromInline let isDeterministic: Bool
    @usableFromInline var fault: Fault?

    /// The error of a conformance, with which encoding fails at the end.
    @usableFromInline
    enum Fault {
        case order, number, lateCase, depth

        var reason: String {
            switch self {
            case .order: "the fields are not written in ascending order of their numbers"
            case .number: "the number of a field or case is not from 1 to \(FastForm.maximumNumber)"
            case .lateCase: "the number of a case is not written first"
            case .depth: "it is nested too deeply"
            }
        }
    }

    @usableFromInline
    init(memory: UnsafeMutableBufferPointer<UInt8>, isDeterministic: Bool) {
        start = memory.baseAddress.unsafelyUnwrapped
        next = start
        end = start + memory.count
        self.isDeterministic = isDeterministic
    }

    /// The bytes written so far.
    @inlinable var content: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: UnsafePointer(start), count: next - start)
    }

    @usableFromInline var memory: UnsafeMutableBufferPointer<UInt8> {
        UnsafeMutableBufferPointer(start: start, count: end - start)
    }

    // MARK: - Fields

    /// Writes a field.
    ///
    /// - Parameters:
    ///   - value: The value of the field.
    ///   - number: The field's number, from 1; larger than that of the previous field.
    @inlinable
    public mutating func write<Value: FastPayload>(_ value: Value, at number: Int) {
        putTag(number, Value.fastKind)
        put(value)
    }

    /// Writes a field that holds something; nothing else is written.
    @inlinable
    public mutating func write<Value: FastPayload>(_ value: Value?, at number: Int) {
        if let value { write(value, at: number) }
    }

    /// Writes which case of an enum follows, before its fields.
    ///
    /// - Parameter number: The case's number, from 1.
    @inlinable
    public mutating func writeCase(_ number: Int) {
        if last != Self.beginning { fault = .lateCase }
        if number < 1 || number > FastForm.maximumNumber { fault = .number }
        last = 0
        putByte(FastForm.caseMark)
        putVarint(UInt64(truncatingIfNeeded: number))
    }

    // MARK: - Records

    /// The value of ``last`` where nothing of a record is written.
    @inlinable static var beginning: Int { -1 }

    @inlinable
    mutating func putTag(_ number: Int, _ kind: FastKind) {
        if number <= last { fault = .order }
        if number < 1 || number > FastForm.maximumNumber { fault = .number }
        last = number
        putVarint(UInt64(truncatingIfNeeded: number << 4 | Int(kind.rawValue)))
    }

    /// The content of a value, in the form of its type's kind.
    @inlinable
    mutating func put<Value: FastPayload>(_ value: borrowing Value) {
        guard Value.fastKind == .record else { return value.encode(to: &self) }
        let outer = last
        last = Self.beginning
        if enter() { value.encode(to: &self) }
        putByte(FastForm.end)
        leave()
        last = outer
    }

    /// Goes one level deeper; `false` where none is left.
    @inlinable
    mutating func enter() -> Bool {
        depth += 1
        if depth <= FastForm.maximumDepth { return true }
        fault = .depth
        return false
    }

    @inlinable
    mutating func leave() {
        depth -= 1
    }
}
