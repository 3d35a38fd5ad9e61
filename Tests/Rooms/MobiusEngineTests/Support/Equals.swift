import Testing

/// Expects a value that a mutating call returns, which `#expect` cannot make itself.
func equals<Value: Equatable>(
    _ value: Value, _ expected: Value, _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation
) {
    #expect(value == expected, comment, sourceLocation: location)
}
