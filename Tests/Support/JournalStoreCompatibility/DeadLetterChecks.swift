import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    static let deadLetterChecks = [
        Check("a dead letter is kept until it is requeued or dropped") { open in
            let letters = [
                letter(effect(0)), letter(effect(0, 1), "why\u{0} 🍏", effect: payload("", binary), round: 2),
            ]
            try session(open) { store in
                try store.commit([start(effects: [payload("a"), payload("b")])])
                try store.commit(letters.map { .note($0.id, .deadLettered($0)) } + [failure(1, of: effect(0))])
                try require(try store.deadLetters(of: .main, after: nil, limit: 9), is: letters, "letters")
            }
            try session(open) { store in
                try require(try store.deadLetters(of: nil, after: nil, limit: 9), is: letters, "letters later")
                try require(try store.deadLetter(effect(0, 1)), is: letters[1], "one of them")
                try require(try store.deadLetter(effect(0, 2)), is: nil, "another")
                try require(try store.deadLetter(effect(0, of: other)), is: nil, "another loop's")
                try store.commit([.note(effect(0), .requeued(payload("to do"), round: 1, at: time(80)))])
                try require(try store.deadLetters(of: .main, after: nil, limit: 9), is: [letters[1]], "the other")
                let again = letter(effect(0), "again", round: 1)
                try store.commit([.note(effect(0), .deadLettered(again)), .note(effect(0, 1), .dropped)])
                try require(try store.deadLetters(of: .main, after: nil, limit: 9), is: [again], "the one again")
                try store.commit([.note(effect(0), .dropped), .note(effect(0), .dropped)])
            }
            try session(open) { try require(try $0.deadLetterCount(of: nil), is: 0, "letters in the end") }
        },
        Check("that an effect was requeued is known for good, unless it is dropped") { open in
            try session(open) { store in
                try store.commit([start(effects: [payload("a"), payload("b"), payload("c")]), start(other)])
                try store.commit((0..<3).map { .note(effect(0, $0), .deadLettered(letter(effect(0, $0)))) })
                try require(try store.wasRequeued(effect(0, 0)), is: false, "a letter")
                try store.commit((0..<2).map { .note(effect(0, $0), .requeued(payload("a"), round: 1, at: time(80))) })
                try require(try store.wasRequeued(effect(0, 0)), is: true, "a requeued one")
                try store.commit([.note(effect(0, 0), .ended), .note(effect(0, 1), .dropped)])
            }
            try session(open) { store in
                let known = try (0..<4).map { try store.wasRequeued(effect(0, $0)) }
                try require(known, is: [true, false, false, false], "ended, dropped, a letter, none")
                try require(try store.wasRequeued(effect(0, 0, of: other)), is: false, "another loop's")
            }
        },
        Check("dead letters come in order, page by page") { open in
            // By their bytes "b" comes after "a\u{301}", whatever the language says.
            let loops = ["a\u{301}", "b", "main"].compactMap { LoopID($0) }
            let ids = loops.flatMap { loop in [(0, 1), (1, 0), (1, 10), (2, 0)].map { effect($0.0, $0.1, of: loop) } }
            let letters = ids.map { letter($0) }
            try session(open) { store in
                for loop in loops.reversed() {
                    try store.commit([start(loop), outside(1, "k", of: loop), outside(2, "l", of: loop)])
                }
                for letter in letters.reversed() { try store.commit([.note(letter.id, .deadLettered(letter))]) }
            }
            try session(open) { store in
                try require(try store.deadLetterCount(of: nil), is: 12, "all")
                try require(try store.deadLetterCount(of: loops[1]), is: 4, "one loop's")
                var read: [DeadLetter] = []
                while read.count < 12 {
                    let page = try store.deadLetters(of: nil, after: read.last?.id, limit: 5)
                    try require(page.isEmpty, is: false, "an empty page")
                    read += page
                }
                try require(read, is: letters, "all pages")
                try require(try store.deadLetters(of: nil, after: ids[11], limit: 5), is: [], "after the last")
                try require(
                    try store.deadLetters(of: loops[1], after: ids[5], limit: 5), is: Array(letters[6...7]),
                    "one loop's")
                try require(try store.deadLetters(of: nil, after: nil, limit: 0), is: [], "none")
            }
        },
        Check("setbacks and ends make no dead letters") { open in
            try session(open) { try $0.commit([start(effects: [payload("a")])]) }
            try session(open) { store in
                try store.commit([.note(effect(0), .retried(failures: 1)), .note(effect(0), .ended)])
                try require(try store.deadLetterCount(of: .main), is: 0, "letters")
            }
        },
    ]
}
