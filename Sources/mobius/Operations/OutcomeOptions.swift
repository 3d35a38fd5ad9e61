import ArgumentParser
import MobiusCommand

/// How a command reports what it has done.
struct OutcomeOptions: ParsableArguments {
    @Flag(help: "One JSON object per line instead of a sentence.")
    var json = false

    /// Prints one outcome: the sentence, or the facts as an object.
    func show(_ sentence: @autoclosure () -> String, _ facts: (inout JSONLine) -> Void) {
        guard json else { return print(sentence()) }
        var line = JSONLine()
        facts(&line)
        print(line.text)
    }
}
