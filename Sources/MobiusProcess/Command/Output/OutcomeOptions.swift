import ArgumentParser

/// The options for the report of what a command has done.
package struct OutcomeOptions: ParsableArguments {
    @Flag(help: "One JSON object per line instead of a sentence.")
    package var json = false

    /// Made by ArgumentParser.
    package init() {}

    /// Prints one outcome: the sentence, or the facts as an object.
    package func show(_ sentence: @autoclosure () -> String, _ facts: (inout JSONLine) -> Void) {
        guard json else { return print(sentence()) }
        var line = JSONLine()
        facts(&line)
        print(line.text)
    }
}
