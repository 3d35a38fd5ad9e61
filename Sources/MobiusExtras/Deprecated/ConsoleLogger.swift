/// The older name of ``SimpleLogger``.
@available(*, deprecated, renamed: "SimpleLogger")
public typealias ConsoleLogger = SimpleLogger
