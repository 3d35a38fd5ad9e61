// So that a program without effects may use the fast coding.
extension Never: FastPayload {
    /// Writes nothing: there is no value.
    public func encode(to writer: inout PayloadWriter) {}

    /// Reads nothing.
    ///
    /// - Throws: an error always.
    public init(from reader: inout PayloadReader) throws {
        throw reader.failure("there is no value of this type")
    }
}
