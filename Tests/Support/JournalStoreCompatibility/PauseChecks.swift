import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    static let pauseChecks = [
        Check("paused pools are known until they are resumed, with who, why and since when") { open in
            let first = PoolPause(by: "ada", why: "the provider is down", since: time(5))
            let second = PoolPause(by: "", why: "", since: time(-7))
            try session(open) { store in
                try require(try store.pausedPools(), is: [:], "paused pools of a new journal")
                try store.setPause(second, of: "mailers")
                try store.setPause(second, of: "Ünïcode \u{0} pool")
                try store.setPause(first, of: "mailers")
                try store.setPause(nil, of: "others")
                try require(
                    try store.pausedPools(), is: ["mailers": first, "Ünïcode \u{0} pool": second], "paused pools")
            }
            try session(open) { store in
                try require(
                    try store.pausedPools(), is: ["mailers": first, "Ünïcode \u{0} pool": second],
                    "paused pools in the next session")
                try store.commit([start(), outside(1, "k")])
                try store.setPause(nil, of: "mailers")
                try store.save(snapshot(1, model: payload("model")))
            }
            try session(open) { store in
                try require(try store.pausedPools(), is: ["Ünïcode \u{0} pool": second], "what was not resumed")
                try store.setPause(nil, of: "Ünïcode \u{0} pool")
                try require(try store.pausedPools(), is: [:], "paused pools at the end")
            }
        }
    ]
}
