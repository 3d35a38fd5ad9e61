import FleetTestSupport
import MobiusCore
import MobiusTest
import Testing

// example: swift-testing
@Suite struct SearchTests {
    let spec = UpdateSpec(update(search:event:))

    @Test func typingSearches() {
        spec
            .given(Search())
            .when(.typed("Emm"))
            .then(
                assertThatNext(
                    hasModel(Search(text: "Emm", isLoading: true)),
                    hasExactlyEffects([.find("Emm")])))
    }

    @Test func oldAnswersAreIgnored() {
        spec
            .given(Search())
            .when(.typed("Emm"), .typed("Emma"), .found("Emm", titles: ["Emma"]))
            .then(assertThatNext(hasNothing()))
    }
}
// end

@Suite("Examples: testing")
struct TestingExamples {
    @Test("any closure checks a result")
    func result() {
        // example: result
        UpdateSpec(update(search:event:))
            .given(Search())
            .when(.typed("Emm"), .found("Emm", titles: ["Emma"]))
            .then { result in
                #expect(result.model.titles == ["Emma"])
                #expect(result.lastNext.effects.isEmpty)
            }
        // end
    }

    @Test("a start")
    func start() {
        // example: init
        InitSpec { (reader: Reader) in
            First(model: reader, effects: reader.text == nil ? [ReaderEffect.load(page: reader.page)] : [])
        }
        .when(Reader(page: 7))
        .then(assertThatFirst(hasModel(Reader(page: 7)), hasOnlyEffects([.load(page: 7)])))
        // end
    }

    @Test("a whole loop, observed")
    func recorder() {
        // example: recorder
        let models = RecordingConsumer<Search>()
        let router = EffectRouter<SearchEffect, SearchEvent>()
            .routeCase(SearchEffect.find).toEvent { text in .found(text, titles: ["Emma"]) }
            .routeCase(SearchEffect.remember).to { _ in }
        let loop = Mobius.loop(update: update, effectHandler: router).start(from: Search())
        loop.addObserver(models.accept)
        loop.dispatchEvent(.typed("Emm"))
        #expect(models.values.map(\.titles) == [[], [], ["Emma"]])
        // end
    }

    @Test("a matcher that fails shows the difference")
    func failure() {
        let messages = Journey<String>()
        UpdateSpec(update(search:event:))
            .given(Search())
            .when(.typed("Emm"))
            .then(
                assertThatNext(
                    hasModel(Search(text: "Emma", isLoading: true)),
                    failFunction: { message, _, _ in messages.add(message) }))
        #expect(
            messages.elements == [
                """
                The model is not the one expected.
                (− expected, + actual)
                − Search(text: "Emma", titles: [], isLoading: true)
                + Search(text: "Emm", titles: [], isLoading: true)
                """
            ])
    }
}
