import ArgumentParser

/// How wide the lines of a command are.
struct WidthOptions: ParsableArguments {
    @Flag(help: "Shorten nothing; otherwise lines fit the terminal, or the number in COLUMNS.")
    var wide = false

    /// The columns that lines may have.
    var width: Int { wide ? .max : Table.screenWidth }
}
