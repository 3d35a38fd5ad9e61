import ArgumentParser

/// The options for the width of a command's lines.
package struct WidthOptions: ParsableArguments {
    @Flag(help: "Shorten nothing; otherwise lines fit the terminal, or the number in COLUMNS.")
    package var wide = false

    /// Made by ArgumentParser.
    package init() {}

    /// The columns that lines may have.
    package var width: Int { wide ? .max : Table.screenWidth }
}
