import MobiusCore
import MobiusExtras
import MobiusTest
import Testing

/// What the documentation comments of MobiusTest and MobiusExtras show.
@Suite("Comments: tests") struct TestComments {
    struct Model: Equatable, Sendable {
        var count = 0
    }

    enum Event: Equatable, Sendable {
        case increment
        case decrement
    }

    enum Effect: Equatable, Sendable { case loadUser }

    @Sendable static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        .next(Model(count: model.count + (event == .increment ? 1 : -1)))
    }

    @Sendable static func initiate(_ model: Model) -> First<Model, Effect> {
        First(model: model, effects: [.loadUser])
    }

    @Test("an update")
    func updates() {
        let update = Self.update
        // example: comment-update-spec
        UpdateSpec(update)
            .given(Model(count: 0))
            .when(.increment, .decrement)
            .then(assertThatNext(hasModel(Model(count: 0)), hasNoEffects()))
        // end
    }

    @Test("a start")
    func starts() {
        let initiate = Self.initiate
        // example: comment-init-spec
        InitSpec(initiate)
            .when(Model(count: 7))
            .then(assertThatFirst(hasModel(Model(count: 7)), hasExactlyEffects([.loadUser])))
        // end
    }

    @Test("a recorder")
    func recorder() {
        let loop = Mobius.loop(update: Self.update, effectHandler: EffectRouter<Effect, Event>()).start(from: Model())
        // example: comment-recorder
        let models = RecordingConsumer<Model>()
        loop.addObserver(models.accept)
        loop.dispatchEvent(.increment)
        #expect(models.values == [Model(count: 0), Model(count: 1)])
        // end
    }

    enum Errand: Equatable, Sendable {
        case greet(String)
        case download(String)
        case remind(after: Duration)
    }

    enum Answer: Equatable, Sendable {
        case greeted(String)
        case downloaded(String)
        case reminded
    }

    private let router = EffectRouter<Errand, Answer>()
        .routeCase(Errand.greet).toEvent { .greeted($0) }
        .routeCase(Errand.download).toEvent { url in
            await Task.yield()
            return .downloaded(url)
        }

    @Test("handlers that answer at once")
    func handlers() {
        // example: comment-handler-spec
        EffectHandlerSpec(router)
            .when(.greet("Ada"))
            .then(assertThatEvents(hasExactlyEvents([.greeted("Ada")]), hasEnded()))
        // end
    }

    @Test("handlers that answer later")
    func laterHandlers() async {
        let url = "/"
        // example: comment-handler-spec-async
        await EffectHandlerSpec(router)
            .when(.download(url))
            .then(assertThatEvents(hasOnlyEvents([.downloaded(url)])))
        // end
    }

    private func reminders(clock: TestClock) -> EffectRouter<Errand, Answer> {
        EffectRouter<Errand, Answer>().routeCase(Errand.remind).toEvent { time in
            try? await clock.sleep(for: time)
            return .reminded
        }
    }

    @Test("a clock")
    func clock() async {
        // example: comment-clock
        let clock = TestClock()
        await EffectHandlerSpec(reminders(clock: clock))
            .when(.remind(after: .seconds(3600)))
            .advancing(clock, by: .seconds(3600))
            .then(assertThatEvents(hasExactlyEvents([.reminded])))
        // end
    }
}

/// A child loop.
enum ChildComments {
    struct AppModel {
        var search = Search()
    }

    enum AppEvent { case search(SearchEvent) }
    enum AppEffect { case search(SearchEffect) }

    @Sendable static func ownUpdate(_ model: AppModel, _ event: AppEvent) -> Next<AppModel, AppEffect> { .noChange }

    static func parent() -> Update<AppModel, AppEvent, AppEffect> {
        let searchUpdate: @Sendable (Search, SearchEvent) -> Next<Search, SearchEffect> = { _, _ in .noChange }
        // example: comment-child
        let search = InnerUpdate(
            model: \AppModel.search,
            event: { (event: AppEvent) in if case .search(let event) = event { event } else { nil } },
            update: Update(searchUpdate),
            effect: AppEffect.search)
        let update: Update = search.otherwise(Update(ownUpdate))
        // end
        return update
    }
}
