import MobiusCore
import MobiusTest
import Orders
import Testing

/// The decisions about one order, as dialogues.
struct SagaTests {
    private let spec = UpdateSpec<Order.Model, Order.Event, Order.Effect> { model, event in
        Order.update(model, event, LoopContext(loop: "order/4711"))
    }
    private let request = Request(customer: "Ada", article: "tea", quantity: 2, city: "Bergen")
    private var order: Purchase { Purchase(request, amount: 900) }
    private let parcel = Parcel(number: 7, day: "2027-01-15")

    private func model(_ stage: Stage) -> Order.Model { .order(Saga(order, stage)) }

    private func undoing(_ ending: Ending, refund: Bool) -> Order.Model {
        model(.undoing(Undoing(ending, awaitsRefund: refund)))
    }

    /// What follows the end of the order.
    private func end(_ outcome: Outcome) -> [Order.Effect] {
        [.report(outcome), .tell(customer: "Ada", .ended("4711", outcome)), .retireLater]
    }

    @Test func anOrderBeginsWithAReceiptAndAReservation() {
        spec.given(.empty).when(.placed(request))
            .then(
                assertThatNext(
                    hasModel(model(.reserving)),
                    hasExactlyEffects([
                        .answer(Receipt(amount: 900)), .reserve(order), .tell(customer: "Ada", .began("4711")),
                    ])))
    }

    // example: way
    @Test func goodsThenMoneyThenParcel() {
        spec.given(.empty).when(.placed(request), .reserved)
            .then(assertThatNext(hasModel(model(.charging)), hasExactlyEffects([.charge(order), .limitPayment])))
        spec.given(model(.charging)).when(.charged)
            .then(assertThatNext(hasModel(model(.shipping)), hasExactlyEffects([.withdraw, .ship(order)])))
        spec.given(model(.shipping)).when(.shipped(parcel))
            .then(
                assertThatNext(
                    hasModel(model(.delivered(parcel))),
                    hasExactlyEffects(end(.sold(day: "2027-01-15", amount: 900)))))
    }
    // end

    @Test(arguments: [
        Request(customer: "Ada", article: "gold", quantity: 1, city: "Bergen"),
        Request(customer: "Ada", article: "tea", quantity: 0, city: "Bergen"),
        Request(customer: "Ada", article: "tea", quantity: .max, city: "Bergen"),
        Request(customer: "", article: "tea", quantity: 1, city: "Bergen"),
    ])
    func whatCannotBeFulfilledIsRefused(_ request: Request) {
        spec.given(.empty).when(.placed(request)).then { last in
            #expect(last.lastNext.model == nil)
            #expect(last.lastNext.effects.count == 1)
            #expect(last.lastNext.effects.allSatisfy { $0.isRefusal })
        }
    }

    @Test func aRefusedStepUndoesTheStepsBeforeIt() {
        spec.given(model(.reserving)).when(.outOfStock)
            .then(
                assertThatNext(
                    hasModel(model(.closed(.outOfStock))), hasExactlyEffects(end(.notSold))))
        spec.given(model(.charging)).when(.declined("no"))
            .then(
                assertThatNext(
                    hasModel(undoing(.declined("no"), refund: false)), hasExactlyEffects([.withdraw, .release(order)])))
        spec.given(model(.shipping)).when(.undeliverable("no"))
            .then(
                assertThatNext(
                    hasModel(undoing(.undeliverable("no"), refund: true)),
                    hasExactlyEffects([.withdraw, .release(order), .refund(order)])))
    }

    @Test func aStepOfUnknownOutcomeIsUndoneToo() {
        spec.given(model(.reserving)).when(.failed(.reserve, "lost"))
            .then(
                assertThatNext(
                    hasModel(undoing(.failed(.reserve, "lost"), refund: false)),
                    hasExactlyEffects([.withdraw, .release(order)])))
        for (event, ending) in [
            (Order.Event.failed(.charge, "lost"), Ending.failed(.charge, "lost")),
            (.paymentTimedOut, .paymentTimedOut), (.cancelled, .cancelled),
        ] {
            spec.given(model(.charging)).when(event)
                .then(
                    assertThatNext(
                        hasModel(undoing(ending, refund: true)),
                        hasExactlyEffects([.withdraw, .release(order), .refund(order)])))
        }
    }

    @Test func aParcelOfUnknownFateIsCalledBack() {
        spec.given(model(.shipping)).when(.failed(.ship, "lost"))
            .then(assertThatNext(hasModel(model(.recalling("lost"))), hasExactlyEffects([.recall(order)])))
        spec.given(model(.recalling("lost"))).when(.recalled)
            .then(
                assertThatNext(
                    hasModel(undoing(.failed(.ship, "lost"), refund: true)),
                    hasExactlyEffects([.withdraw, .release(order), .refund(order)])))
        // It had left after all.
        spec.given(model(.recalling("lost"))).when(.shipped(parcel))
            .then(assertThatNext(hasModel(model(.delivered(parcel)))))
    }

    @Test func anOrderIsClosedWhenAllIsUndone() {
        for events in [[Order.Event.released, .refunded], [.refunded, .released]] {
            spec.given(undoing(.cancelled, refund: true)).when(events[0]).then(assertThatNext(hasNoEffects()))
            spec.given(undoing(.cancelled, refund: true)).when(events[0], events[1])
                .then(
                    assertThatNext(
                        hasModel(model(.closed(.cancelled))), hasExactlyEffects(end(.notSold))))
        }
    }

    @Test func undoingThatFailedIsShownAndGoesOnAfterItsRetry() {
        let stuck = Undoing(.cancelled, awaitsRelease: false, awaitsRefund: true, trouble: "bank closed")
        spec.given(undoing(.cancelled, refund: true)).when(.released, .failed(.refund, "bank closed"))
            .then(assertThatNext(hasModel(model(.undoing(stuck))), hasNoEffects()))
        spec.given(model(.undoing(stuck))).when(.refunded)
            .then(assertThatNext(hasModel(model(.closed(.cancelled)))))
    }

    @Test func itIsTooLateToCancelOnceTheParcelIsBeingSent() {
        for stage in [Stage.shipping, .recalling("lost"), .delivered(parcel), .closed(.outOfStock)] {
            spec.given(model(stage)).when(.cancelled).then { last in
                #expect(last.lastNext.model == nil)
                #expect(last.lastNext.effects.allSatisfy { $0.isRefusal })
            }
        }
        spec.given(model(.charging)).when(.placed(request)).then { last in
            #expect(last.lastNext.effects.allSatisfy { $0.isRefusal })
        }
    }

    @Test func answersThatComeTooLateChangeNothing() {
        let late: [Order.Event] = [.reserved, .charged, .outOfStock, .declined("no"), .paymentTimedOut, .recalled]
        for event in late {
            spec.given(undoing(.cancelled, refund: true)).when(event)
                .then(assertThatNext(hasNoModel(), hasNoEffects()))
            spec.given(model(.delivered(parcel))).when(event).then(assertThatNext(hasNoModel(), hasNoEffects()))
        }
    }

    @Test func anOrderEndsAfterItsRetention() {
        spec.given(model(.closed(.cancelled))).when(.retired)
            .then(assertThatNext(hasNoModel(), hasExactlyEffects([.end])))
    }

    @Test func statisticsCountByDay() {
        UpdateSpec<Statistics, Statistics.Event, Never>(Statistics.update).given(Statistics()).when(
            .finished(.sold(day: "2027-01-15", amount: 900)), .finished(.notSold),
            .finished(.sold(day: "2027-01-15", amount: 100))
        ).then(assertThatNext(hasModel(Statistics(sold: 2, notSold: 1, revenue: ["2027-01-15": 1000]))))
    }

    @Test func aCustomersLoopListsTheNewestHundredOrders() {
        let spec = UpdateSpec<Customer, Customer.Event, Never>(Customer.update)
        let sold = Outcome.sold(day: "2027-01-15", amount: 900)
        spec.given(Customer()).when(.began("1"), .began("2"), .ended("1", sold))
            .then(assertThatNext(hasModel(Customer(orders: [.init("1", sold), .init("2")]))))
        // An order that was forgotten, or whose end comes first.
        let many = Customer(orders: (1...100).map { .init("\($0)") })
        spec.given(many).when(.ended("0", .notSold), .began("0"))
            .then(assertThatNext(hasModel(Customer(orders: many.orders.dropFirst() + [.init("0", .notSold)]))))
    }
}

extension Order.Effect {
    fileprivate var isRefusal: Bool { if case .refuse = self { true } else { false } }
}
