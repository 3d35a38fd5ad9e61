"""Exchanges values with Swift's CBORCodec by cbor2: see Tests/run cbor."""

import argparse
import base64
import json
import math
import random
import struct
import subprocess
import sys
import uuid
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import cbor2

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
BETWEEN = 978_307_200  # seconds from 1970 to 2001, from which Swift's dates count
EXTENDED_TIME, URI = 1001, 32


def seconds(item):
    """The seconds since 1970 that extended time says, exactly."""
    assert isinstance(item, cbor2.CBORTag) and item.tag == EXTENDED_TIME, f"{item!r} is no date"
    exponent, mantissa = item.value[5]
    return Fraction(mantissa) * Fraction(2) ** exponent


def peer(path, *arguments, lines=()):
    text = "".join(line + "\n" for line in lines)
    done = subprocess.run([path, *arguments], input=text, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


# MARK: Swift writes, Python reads


def check_date(item, seconds2001):
    exact = Fraction(seconds2001) + BETWEEN
    if isinstance(item, datetime):
        # What cbor2 makes of tag 1: to the microsecond.
        assert abs(Fraction((item - EPOCH) / timedelta(microseconds=1)) / 10**6 - exact) <= Fraction(1, 10**6), item
    else:
        assert seconds(item) == exact, (item, seconds2001)


def check_parcel(item, wanted):
    assert set(item) == set(wanted), (set(item), set(wanted))
    for name in ("text", "integer", "unsigned", "wide", "flag", "list", "table"):
        assert item[name] == wanted[name], (name, item[name], wanted[name])
    assert item.get("missing") == wanted.get("missing")
    assert item["number"] == float(wanted["number"]) and isinstance(item["number"], float)
    assert struct.pack("f", item["single"]) == struct.pack("f", float(wanted["single"]))
    assert item["numbered"] == {int(key): text for key, text in wanted["numbered"].items()}
    assert all(isinstance(key, str) for key in item["table"]) and all(isinstance(key, int) for key in item["numbered"])
    assert item["data"] == base64.b64decode(wanted["data"])
    check_date(item["date"], Fraction(wanted["date"]))
    assert isinstance(item["decimal"], Decimal) and item["decimal"] == Decimal(str(wanted["decimal"])), item["decimal"]
    assert item["id"] == uuid.UUID(wanted["id"])
    assert isinstance(item["link"], cbor2.CBORTag) and (item["link"].tag, item["link"].value) == (URI, wanted["link"])
    check_shape(item["shape"], wanted["shape"])
    assert len(item["parcels"]) == len(wanted["parcels"])
    for one, other in zip(item["parcels"], wanted["parcels"]):
        check_parcel(one, other)


def check_shape(item, wanted):
    assert json.loads(json.dumps(item)) == json.loads(json.dumps(wanted, default=float)), (item, wanted)


def check_order(item):
    """Deterministic bytes have the keys of every map in the order of their bytes."""
    if isinstance(item, dict):
        keys = [cbor2.dumps(key) for key in item]
        assert keys == sorted(keys), keys
    children = item.values() if isinstance(item, dict) else item if isinstance(item, list) else []
    for child in children:
        check_order(child)


def swift_to_python(path, values, seed):
    lines = peer(path, "write", str(values), str(seed))
    assert len(lines) == values
    for line in lines:
        plain, deterministic, text = (bytes.fromhex(part) for part in line.split())
        wanted = json.loads(text, parse_float=Decimal)
        for raw in (plain, deterministic):
            check_parcel(cbor2.loads(raw), wanted)
        check_order(cbor2.loads(deterministic))
        assert len(plain) == len(deterministic)


# MARK: Python writes, Swift reads


def drawn_text(chance):
    return "".join(chance.choice("ab07\"\\\n\x01é😀水 ") for _ in range(chance.randint(0, 40)))


def drawn_parcel(chance, depth=2):
    number = chance.choice([0.0, -0.5, 1.1, 65504.0, 1e300, chance.uniform(-1e3, 1e3), struct.unpack(
        "d", struct.pack("Q", chance.getrandbits(62)))[0]])
    date = EPOCH + timedelta(seconds=chance.randint(-2 * 10**9, 4 * 10**9), microseconds=chance.choice([0, 500_000]))
    return {
        "text": drawn_text(chance),
        "integer": chance.getrandbits(63) >> chance.randint(0, 63),
        "unsigned": chance.getrandbits(64),
        "wide": (chance.getrandbits(127) >> chance.randint(0, 127)) * chance.choice([1, -1]),
        "number": number,
        "single": chance.choice([0.5, -1.0, 3.0]),
        "flag": chance.random() < 0.5,
        "missing": chance.choice([None, 5]),
        "list": [chance.randint(-10**6, 10**6) for _ in range(chance.randint(0, 300))],
        "table": {drawn_text(chance): chance.randint(0, 99) for _ in range(chance.randint(0, 40))},
        "numbered": {chance.randint(-10**6, 10**6): drawn_text(chance) for _ in range(chance.randint(0, 40))},
        "data": chance.randbytes(chance.randint(0, 300)),
        "date": date,
        "decimal": Decimal(chance.randint(-10**30, 10**30)).scaleb(chance.randint(-40, 40)),
        "id": uuid.UUID(bytes=chance.randbytes(16)),
        "link": cbor2.CBORTag(URI, f"http://example.org/{chance.randint(0, 9)}"),
        "shape": chance.choice([{"dot": {}}, {"line": {"_0": 3}}, {"box": {"width": 2.5, "label": "x"}}]),
        "parcels": [drawn_parcel(chance, depth - 1) for _ in range(chance.randint(0, 2) if depth else 0)],
        "unknown": [1, {"x": None}, b"", 1.5],
    }


def written(parcel, chance):
    """One of the ways in which cbor2 writes a value."""
    options = chance.choice([{}, {"canonical": True}, {"datetime_as_timestamp": True}, {"indefinite_containers": True}])
    return cbor2.dumps(parcel, **options)


def same(item, wanted):
    """What came back, against what was sent: without what nobody asked for, and nothing in place of None."""
    wanted = {key: value for key, value in wanted.items() if key != "unknown" and value is not None}
    assert set(item) == set(wanted), (set(item), set(wanted))
    for key, value in wanted.items():
        if key == "parcels":
            assert len(item[key]) == len(value)
            for one, other in zip(item[key], value):
                same(one, other)
        elif key == "date":
            check_date(item[key], Fraction((value - EPOCH) // timedelta(microseconds=1), 10**6) - BETWEEN)
        elif isinstance(value, cbor2.CBORTag):
            assert (item[key].tag, item[key].value) == (value.tag, value.value)
        else:
            assert item[key] == value and type(item[key]) is type(value), (key, item[key], value)


def python_to_swift(path, values, seed):
    chance = random.Random(seed)
    parcels = [drawn_parcel(chance) for _ in range(values)]
    answers = peer(path, "mirror", lines=[written(parcel, chance).hex() for parcel in parcels])
    assert len(answers) == values
    for parcel, answer in zip(parcels, answers):
        assert not answer.startswith("!"), answer
        same(cbor2.loads(bytes.fromhex(answer)), parcel)


# MARK: Swift shows what Python writes


def drawn_item(chance, depth=4):
    """An item, and what it is in JSON."""
    choice = chance.randint(0, 11 if depth else 8)
    if choice == 0:
        number = chance.getrandbits(70) - 2**69
        return number, number
    if choice == 1:
        number = chance.choice([0.5, -1.25, 1e100, chance.uniform(-9, 9)])
        return number, number
    if choice in (2, 3):
        text = drawn_text(chance)
        return text, text
    if choice == 4:
        data = chance.randbytes(chance.randint(0, 50))
        return data, base64.b64encode(data).decode()
    if choice == 5:
        return chance.choice([(None, None), (True, True), (False, False), (cbor2.undefined, None)])
    if choice == 6:
        return chance.choice([(math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity")])
    if choice == 7:
        one = uuid.UUID(bytes=chance.randbytes(16))
        return one, str(one).upper()
    if choice == 8:
        date = EPOCH + timedelta(seconds=chance.randint(-2 * 10**9, 4 * 10**9))
        return cbor2.CBORTag(1, int((date - EPOCH).total_seconds())), date.strftime("%Y-%m-%dT%H:%M:%SZ")
    if choice == 9:
        item, shown = drawn_item(chance, depth - 1)
        return cbor2.CBORTag(4000, item), {"$tag": 4000, "$value": shown}
    pairs = [drawn_item(chance, depth - 1) for _ in range(chance.randint(0, 4))]
    if choice == 10:
        return [item for item, _ in pairs], [shown for _, shown in pairs]
    keys = [chance.choice([drawn_text(chance), chance.randint(-99, 99)]) for _ in pairs]
    items = {key: item for key, (item, _) in zip(keys, pairs)}
    return items, {str(key): shown for key, (_, shown) in zip(keys, pairs)}


def swift_shows(path, values, seed):
    chance = random.Random(seed)
    drawn = [drawn_item(chance) for _ in range(values)]
    options = [chance.choice([{}, {"canonical": True}, {"indefinite_containers": True}]) for _ in drawn]
    answers = peer(path, "show", lines=[cbor2.dumps(item, **some).hex() for (item, _), some in zip(drawn, options)])
    for (item, shown), answer in zip(drawn, answers):
        assert not answer.startswith("!"), (item, answer)
        text = bytes.fromhex(answer).decode()
        assert json.loads(text) == shown, (item, text, shown)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer", required=True)
    parser.add_argument("--values", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    arguments = parser.parse_args()
    print(f"cbor2, seed {arguments.seed}", flush=True)
    for check in (swift_to_python, python_to_swift, swift_shows):
        check(arguments.peer, arguments.values, arguments.seed)
        print(f"{check.__name__.replace('_', ' ')}: {arguments.values} values", flush=True)


if __name__ == "__main__":
    sys.exit(main())
