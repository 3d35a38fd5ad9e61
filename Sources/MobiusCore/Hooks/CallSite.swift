/// The line of user code that an error message names.
package struct CallSite: Sendable, CustomStringConvertible {
    let file: StaticString
    let line: UInt

    /// File name (without its folders) and line: `Routes.swift:12`.
    package var description: String {
        let name = "\(file)".split(separator: "/").last ?? "?"
        return "\(name):\(line)"
    }

    /// Reports a programmer error of the user code at this line.
    func fail(_ message: String) -> Never {
        MobiusHooks.errorHandler(message, file, line)
    }
}
