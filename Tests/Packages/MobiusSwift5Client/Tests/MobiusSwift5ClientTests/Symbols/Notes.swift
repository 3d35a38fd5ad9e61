/// Keeps what it is given; functions that are taken as values (and not called at once) capture one of these.
///
/// There a closure gets the type `Consumer<Value>`, which is `@Sendable` now: capturing a local `var` would compile in
/// Swift 5 mode, with a warning. Closures in plain calls capture `var`s without one.
class Notes<Value> {
    var values: [Value] = []

    func add(_ value: Value) {
        values.append(value)
    }
}
