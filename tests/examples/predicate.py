#!/usr/bin/env python3
"""A predicate from outside, in plain Python: a cart that has come far enough.

    playhead verify RUN --predicate-command "python3 predicate.py 0.008"
    playhead view RUN --predicate-command "python3 predicate.py 0.008"

Each batch is one line of JSON and then `count` rows of `row` doubles; each answer is one line of
`count` characters, 0 or 1. An environment's own _check_success goes where this one is: with the
file that `model` names it can make a simulation, set qpos and qvel, and run forward.
"""
import array
import json
import sys

least = float(sys.argv[1]) if len(sys.argv) > 1 else 0.008


def check_success(qpos, xpos):
    return qpos["cart"] > least and abs(xpos["cart"][0] - qpos["cart"]) < 1e-9


def named(batch, row, column, key):
    """The numbers of a column by the names of joints."""
    at = {c["name"]: c["at"] for c in batch["columns"]}[column]
    return {joint["name"]: row[at + joint[key]] for joint in batch["joints"]}


def places(batch, row):
    """Where the bodies are; derived by playhead, so there where the model compiled."""
    at = {c["name"]: c["at"] for c in batch["columns"]}["xpos"]
    return {name: row[at + 3 * i : at + 3 * i + 3] for i, name in enumerate(batch["bodies"])}


for text in sys.stdin.buffer:
    batch = json.loads(text)
    assert batch["protocol"] == "playhead-predicate" and batch["version"] == 1
    numbers = array.array("d")
    numbers.frombytes(sys.stdin.buffer.read(8 * batch["count"] * batch["row"]))
    bits = ""
    for i in range(batch["count"]):
        row = numbers[i * batch["row"] : (i + 1) * batch["row"]]
        qpos = named(batch, row, "qpos", "qpos")
        bits += "1" if check_success(qpos, places(batch, row)) else "0"
    print(bits, flush=True)
