#if FastPayloadMacro
    /// Writes the conformance of a struct or enum to ``FastPayload``.
    ///
    /// Every stored property and every case needs an explicit number, ``Field(_:values:)``, because numbers derived
    /// from the order would change when a line moves. A missing field is `nil` for an optional property, the initial
    /// value for one that has it, and an error otherwise. An enum with raw values needs no numbers.
    ///
    /// - Parameter retired: Numbers that were used once: using one again is an error.
    @attached(extension, conformances: FastPayload, names: named(encode(to:)), named(init(from:)))
    public macro FastPayload(retired: Int...) =
        #externalMacro(module: "MobiusCodecMacros", type: "FastPayloadMacro")

    /// The number of a property or case in the bytes.
    ///
    /// - Parameters:
    ///   - number: From 1; those to 7 take a byte less.
    ///   - values: The numbers of a case's values, in their order; without them they are 1, 2 and so on, so that values are added at
    ///     the end only.
    @attached(peer)
    public macro Field(_ number: Int, values: Int...) =
        #externalMacro(module: "MobiusCodecMacros", type: "FieldMacro")
#endif
