import FleetTestSupport
import MobiusCore
import Testing

// example: types
struct Search: Equatable, Sendable {
    var text = ""
    var titles: [String] = []
    var isLoading = false
}

enum SearchEvent: Equatable, Sendable {
    case typed(String)
    case found(String, titles: [String])
    case chosen(title: String)
}

enum SearchEffect: Equatable, Sendable {
    case find(String)
    case remember(title: String)
}
// end

// example: update
func update(search: Search, event: SearchEvent) -> Next<Search, SearchEffect> {
    var search = search
    switch event {
    case .typed(let text):
        search.text = text
        search.isLoading = true
        return .next(search, effects: [.find(text)])
    case .found(let text, let titles):
        guard text == search.text else { return .noChange }  // the answer to an older question
        search.titles = titles
        search.isLoading = false
        return .next(search)
    case .chosen(let title):
        return .dispatchEffects([.remember(title: title)])
    }
}
// end

/// A few books, and the titles that were looked at.
struct Library: Sendable {
    let titles = ["Emma", "Persuasion", "Middlemarch"]
    let remembered = Journey<String>()

    func titles(matching text: String) -> [String] {
        titles.filter { $0.contains(text) }
    }

    func remember(_ title: String) {
        remembered.add(title)
    }
}

@Suite("Examples: the loop")
struct LoopExamples {
    let library = Library()

    @Test("a search finds and remembers")
    func search() {
        let library = library
        // example: start
        let router = EffectRouter<SearchEffect, SearchEvent>()
            .routeCase(SearchEffect.find).toEvent { text in
                .found(text, titles: library.titles(matching: text))
            }
            .routeCase(SearchEffect.remember).to { title in
                library.remember(title)
            }

        let loop = Mobius.loop(update: update, effectHandler: router).start(from: Search())
        loop.dispatchEvent(.typed("Emm"))
        print(loop.latestModel.titles)  // ["Emma"]
        loop.dispose()
        // end
        #expect(loop.latestModel == Search(text: "Emm", titles: ["Emma"]))
        loop.dispatchEvent(.typed("P"))
        #expect(loop.latestModel.text == "Emm")
    }

    @Test("an observer gets each model")
    func observer() {
        let seen = Journey<Search>()
        let loop = Mobius.loop(update: update, effectHandler: quietHandler()).start(from: Search())
        // example: observe
        let observation = loop.addObserver { search in
            seen.add(search)  // the current model at once, then each new one
        }
        loop.dispatchEvent(.typed("E"))
        observation.dispose()  // when this returns, the observer gets nothing any more
        // end
        loop.dispatchEvent(.typed("Em"))
        #expect(seen.elements.map(\.text) == ["", "E"])
    }

    @Test("models are a sequence, too")
    func models() async {
        let loop = Mobius.loop(update: update, effectHandler: quietHandler()).start(from: Search())
        let models = loop.models
        loop.dispatchEvent(.typed("E"))
        loop.dispose()
        // example: models
        for await search in models {
            print(search.text)
        }
        // end
        let ended = loop.models
        #expect(await ended.reduce(into: 0) { count, _ in count += 1 } <= 1)
    }

    private func quietHandler() -> EffectRouter<SearchEffect, SearchEvent> {
        EffectRouter { _ in .nothing }
    }

    @Test("order is first in, first out")
    func order() {
        let log = Journey<String>()
        enum Step: Sendable { case first, second, third }
        // example: order
        let router = EffectRouter<String, Step> { name in
            .to {
                log.add(name)
            }
        }
        let loop = Mobius.loop(
            update: { (count: Int, step: Step) in
                log.add("update: \(step)")
                return .next(count + 1, effects: ["\(step) a", "\(step) b"])
            }, effectHandler: router
        ).start(from: 0)

        loop.dispatchEvent(.first)
        loop.dispatchEvent(.second)
        // update: first, first a, first b, update: second, second a, second b
        // end
        #expect(
            log.elements == ["update: first", "first a", "first b", "update: second", "second a", "second b"])
    }
}
