import CZeroMQ

/// One setting of a socket, with the type of its value.
///
/// ```swift
/// try socket.set(.routerMandatory, to: true)
/// try socket.set(.linger, to: .seconds(1))
/// ```
/// Unless its description says otherwise, a setting applies to later binds and connects.
public struct SocketOption<Value>: Sendable {
    let number: Int32
    let name: String
    let write: @Sendable (_ socket: UnsafeMutableRawPointer, _ number: Int32, _ value: Value) -> Int32
    let read: @Sendable (_ socket: UnsafeMutableRawPointer, _ number: Int32) -> Value?
}

extension Socket {
    /// Changes a setting.
    ///
    /// - Throws: `invalidArgument` when libzmq does not accept the value, or this type of socket lacks the setting.
    public func set<Value>(_ option: SocketOption<Value>, to value: Value) throws(ZeroMQError) {
        checkThread()
        if option.write(handle, option.number, value) != 0 {
            // Only numbers and flags are shown, because text options include keys.
            let shown = value is String || value is [UInt8] ? "" : " to \(value)"
            let code = ZeroMQError.Code(rawValue: zmq_errno())
            throw ZeroMQError(
                code, "set \(option.name)\(shown) on a \(type) socket",
                hint: "The description of \(option.name) tells what it takes.")
        }
    }

    /// Reads a setting.
    ///
    /// - Throws: `invalidArgument` when this type of socket lacks the setting or does not reveal it.
    public func get<Value>(_ option: SocketOption<Value>) throws(ZeroMQError) -> Value {
        checkThread()
        guard let value = option.read(handle, option.number) else {
            throw .last("read \(option.name) of a \(type) socket")
        }
        return value
    }
}

// MARK: - How values become libzmq's

extension SocketOption where Value == Int {
    static func integer(_ number: Int32, _ name: String) -> Self {
        Self(number: number, name: name) { socket, number, value in
            writeInteger(Int32(exactly: value), socket, number)
        } read: { socket, number in
            readInteger(socket, number).map { (value: Int32) in Int(value) }
        }
    }
}

extension SocketOption where Value == Bool {
    static func flag(_ number: Int32, _ name: String) -> Self {
        Self(number: number, name: name) { socket, number, value in
            writeInteger(Int32(value ? 1 : 0), socket, number)
        } read: { socket, number in
            readInteger(socket, number).map { (value: Int32) in value != 0 }
        }
    }
}

extension SocketOption where Value == Int? {
    /// A size of 64 bits; -1 means "no limit" for libzmq.
    static func size(_ number: Int32, _ name: String) -> Self {
        Self(number: number, name: name) { socket, number, value in
            writeInteger(Int64(value ?? -1), socket, number)
        } read: { socket, number in
            let size: Int64? = readInteger(socket, number)
            return size.map { $0 < 0 ? .some(nil) : .some(Int($0)) } ?? nil
        }
    }
}

extension SocketOption where Value == Duration? {
    /// Milliseconds, with libzmq's own number for `nil`.
    static func time(_ number: Int32, _ name: String, none: Int32) -> Self {
        Self(number: number, name: name) { socket, number, value in
            guard let value else { return writeInteger(none, socket, number) }
            let milliseconds = Int32(exactly: value.wholeMilliseconds)
            return writeInteger(milliseconds.flatMap { $0 < 0 ? nil : $0 }, socket, number)
        } read: { socket, number in
            let milliseconds: Int32? = readInteger(socket, number)
            return milliseconds.map { $0 == none ? .some(nil) : .some(.milliseconds($0)) } ?? nil
        }
    }
}

extension SocketOption where Value == String {
    static func text(_ number: Int32, _ name: String) -> Self {
        Self(number: number, name: name) { socket, number, value in
            var value = value
            return value.withUTF8 { zmq_setsockopt(socket, number, $0.baseAddress, $0.count) }
        } read: { socket, number in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
                var count = buffer.count
                guard zmq_getsockopt(socket, number, buffer.baseAddress, &count) == 0 else { return nil }
                return String(decoding: UnsafeRawBufferPointer(buffer)[..<max(0, count - 1)], as: UTF8.self)
            }
        }
    }
}

extension SocketOption where Value == [UInt8] {
    static func bytes(_ number: Int32, _ name: String) -> Self {
        Self(number: number, name: name) { socket, number, value in
            zmq_setsockopt(socket, number, value, value.count)
        } read: { _, _ in
            setErrno(EINVAL)
            return nil
        }
    }
}

private func writeInteger<Number: FixedWidthInteger>(
    _ value: Number?, _ socket: UnsafeMutableRawPointer, _ number: Int32
) -> Int32 {
    guard var value else {
        setErrno(EINVAL)
        return -1
    }
    return zmq_setsockopt(socket, number, &value, MemoryLayout<Number>.size)
}

private func readInteger<Number: FixedWidthInteger>(_ socket: UnsafeMutableRawPointer, _ number: Int32) -> Number? {
    var value: Number = 0
    var size = MemoryLayout<Number>.size
    return zmq_getsockopt(socket, number, &value, &size) == 0 ? value : nil
}
