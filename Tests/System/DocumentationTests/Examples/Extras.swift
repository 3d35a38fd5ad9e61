import Dispatch
import FleetTestSupport
import MobiusCore
import MobiusExtras
import Testing

// example: children
struct Shop: Equatable, Sendable {
    var cart = Cart()
    var payment: Payment?
    var isOpen = true
}

struct Cart: Equatable, Sendable {
    var items: [String] = []
}

struct Payment: Equatable, Sendable {
    var isDone = false
}

enum ShopEvent: Sendable {
    case cart(CartEvent)
    case payment(PaymentEvent)
    case closed
}

enum CartEvent: Sendable { case added(String) }
enum PaymentEvent: Sendable { case done }

enum ShopEffect: Equatable, Sendable {
    case cart(CartEffect)
    case payment(PaymentEffect)
}

enum CartEffect: Equatable, Sendable { case save([String]) }
enum PaymentEffect: Equatable, Sendable { case printReceipt }
// end

func update(cart: Cart, event: CartEvent) -> Next<Cart, CartEffect> {
    switch event {
    case .added(let item):
        let items = cart.items + [item]
        return .next(Cart(items: items), effects: [.save(items)])
    }
}

func update(payment: Payment, event: PaymentEvent) -> Next<Payment, PaymentEffect> {
    // Once only: the printer answers with the same event.
    payment.isDone ? .noChange : .next(Payment(isDone: true), effects: [.printReceipt])
}

func update(shop: Shop, event: ShopEvent) -> Next<Shop, ShopEffect> {
    var shop = shop
    shop.isOpen = false
    return .next(shop)
}

// example: inner
let cart = InnerUpdate(
    model: \Shop.cart,
    event: { (event: ShopEvent) in if case .cart(let event) = event { event } else { nil } },
    update: Update(update(cart:event:)),
    effect: ShopEffect.cart)

let payment = InnerUpdate(
    ifPresent: \Shop.payment,  // without a payment, its events do nothing
    event: { (event: ShopEvent) in if case .payment(let event) = event { event } else { nil } },
    update: Update(update(payment:event:)),
    effect: ShopEffect.payment)

let shopUpdate = cart.otherwise(payment.otherwise(Update(update(shop:event:))))
// end

// example: class
final class Printer: ConnectableClass<PaymentEffect, ShopEvent>, @unchecked Sendable {
    override func handle(_ effect: PaymentEffect) {
        send(.payment(.done))
    }

    override func onDispose() {}
}
// end

@Suite("Examples: extras")
struct ExtrasExamples {
    @Test("children in their parent")
    func inner() {
        let first = shopUpdate.update(model: Shop(), event: .cart(.added("tea")))
        #expect(first.model?.cart.items == ["tea"])
        #expect(first.effects == [.cart(.save(["tea"]))])
        #expect(shopUpdate.update(model: Shop(), event: .payment(.done)) == .noChange)
        let paying = shopUpdate.update(model: Shop(payment: Payment()), event: .payment(.done))
        #expect(paying.model?.payment?.isDone == true)
        #expect(shopUpdate.update(model: Shop(), event: .closed).model?.isOpen == false)
    }

    @Test("a child's handler and view in its parent")
    func maps() {
        let saved = Journey<[String]>()
        let cartRouter = EffectRouter<CartEffect, CartEvent>().routeCase(CartEffect.save).to { saved.add($0) }
        // example: map
        let router = EffectRouter<ShopEffect, ShopEvent>()
            .routeCase(ShopEffect.cart).to(cartRouter.map { event in .cart(event) })
            .routeCase(ShopEffect.payment).to(Printer())
        // end
        let shown = Journey<[String]>()
        let cartView = AnyConnectable<Cart, CartEvent> { _ in
            Connection(acceptClosure: { cart in shown.add(cart.items) }, disposeClosure: {})
        }
        // example: contramap
        let view = cartView.contramap { (shop: Shop) in shop.cart }.map { event in ShopEvent.cart(event) }
        // end
        let controller = Mobius.loop(update: shopUpdate, effectHandler: router)
            .makeController(from: Shop(payment: Payment()), loopQueue: .global(), viewQueue: .global())
        controller.connectView(view)
        controller.start()
        controller.stop()
        let loop = Mobius.loop(update: shopUpdate, effectHandler: router)
            .start(from: Shop(payment: Payment()), effects: [.payment(.printReceipt)])
        loop.dispatchEvent(.cart(.added("tea")))
        loop.dispose()
        #expect(saved.elements == [["tea"]])
        #expect(loop.latestModel.cart.items == ["tea"])
    }

    @Test("loggers")
    func loggers() {
        let lines = Journey<String>()
        // example: loggers
        let logger = CompositeLogger<Int, String, Never>()
            .addLogger(SimpleLogger(tag: "Words") { line in lines.add(line) })
            .addLogger(SimpleLogger())  // prints
        let loop = Mobius.beginnerLoop { (count: Int, word: String) in count + word.count }
            .withLogger(logger)
            .start(from: 0)
        loop.dispatchEvent("Hello")
        // Words: Initializing loop
        // Words: Loop initialized, starting from model: 0
        // Words: Event received: Hello
        // Words: Model updated: 5
        // end
        #expect(
            lines.elements == [
                "Words: Initializing loop", "Words: Loop initialized, starting from model: 0",
                "Words: Event received: Hello", "Words: Model updated: 5",
            ])
    }

    @Test("a source to send through")
    func subject() {
        // example: subject
        let subject = QueueingEventSubject<GameEvent>(capacity: 100)
        subject.send(.tick)  // kept, since nobody is subscribed yet

        let loop = Mobius.loop(update: update(game:event:), effectHandler: EffectRouter<Never, GameEvent>())
            .withEventSource(subject)
            .start(from: Game())
        subject.send(.tick)  // applied at once
        // end
        #expect(loop.latestModel.seconds == 2)
    }

    @Test("sources that follow the model, asynchronous ones, and all together")
    func sources() async throws {
        let keys = AsyncStream<GameEvent> { $0.yield(.keyPressed("x")) }
        // example: sources
        let source = MergedEventSource<Game, GameEvent>()
            .merging(Ticker(every: .milliseconds(1)).toggled { game in !game.isPaused })
            .merging(AsyncEventSource { keys })
        // end
        let loop = Mobius.loop(update: update(game:event:), effectHandler: EffectRouter<Never, GameEvent>())
            .withEventSource(source)
            .start(from: Game())
        for await game in loop.models where game.seconds > 1 { break }
        loop.dispose()
    }
}
