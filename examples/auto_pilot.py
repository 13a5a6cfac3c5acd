"""Auto-pilot: a scripted pilot flies courses in a small simulator, 90,000 examples of 20 state variables are
written down; three trees (aileron, elevator, throttle) learn from them, and then the trees fly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import COLOURS, GREY, figure, run, save

from bough import DecisionTreeRegressor

Array = np.ndarray
STEP = 0.2  # seconds
GRAVITY = 9.81
REACHED = 150.0  # metres from a waypoint
SPEED = 50.0  # metres per second, wanted
STATE = [
    "distance", "bearing error", "altitude error", "altitude", "airspeed", "climb rate", "climb angle",
    "heading", "pitch", "roll", "pitch rate", "roll rate", "turn rate", "angle of attack", "load factor",
    "thrust", "ground speed", "off the leg", "bearing error next", "altitude error next",
]  # fmt: skip
CONTROLS = ["aileron", "elevator", "throttle"]


class Flights:
    """Several aeroplanes at once, each on a course of its own: points with attitude, lift, drag and gusts."""

    def __init__(self, rng: np.random.Generator, count: int, legs: int = 7) -> None:
        self.rng, self.count, self.legs = rng, count, legs
        turns = rng.uniform(-1.9, 1.9, (count, legs))
        headings = np.cumsum(turns, axis=1)
        lengths = rng.uniform(1800, 3000, (count, legs))
        self.way_x = np.cumsum(lengths * np.sin(headings), axis=1)
        self.way_y = np.cumsum(lengths * np.cos(headings), axis=1)
        self.way_h = rng.uniform(300, 900, (count, legs))
        self.leg = np.zeros(count, dtype=int)
        self.nearest = np.full((count, legs), np.inf)
        self.x, self.y = rng.normal(0, 100, (2, count))
        self.h = rng.uniform(400, 700, count)
        self.v = rng.uniform(42, 56, count)
        self.heading = rng.uniform(-np.pi, np.pi, count)
        self.roll, self.climb, self.roll_rate, self.pitch_rate = rng.normal(0, 0.05, (4, count))
        self.pitch = self.climb + 0.08
        self.thrust = np.full(count, 0.5)
        self.gust = np.zeros((2, count))

    def _leg(self, ahead: int) -> tuple[Array, Array, Array]:
        row, leg = np.arange(self.count), np.minimum(self.leg + ahead, self.legs - 1)
        return self.way_x[row, leg] - self.x, self.way_y[row, leg] - self.y, self.way_h[row, leg] - self.h

    def state(self) -> Array:
        """What the instruments show, flights by variables."""
        dx, dy, dh = self._leg(0)
        nx, ny, nh = self._leg(1)
        distance = np.hypot(dx, dy)
        bearing = _angle(np.arctan2(dx, dy) - self.heading)
        after = _angle(np.arctan2(nx - dx, ny - dy) - self.heading)
        lift = self._lift()
        turn = GRAVITY * lift * np.sin(self.roll) / self.v
        rows = [
            distance, bearing, dh, self.h, self.v, self.v * np.sin(self.climb), self.climb,
            self.heading, self.pitch, self.roll, self.pitch_rate, self.roll_rate, turn,
            self.pitch - self.climb, lift, self.thrust, self.v * np.cos(self.climb),
            distance * np.sin(bearing), after, nh,
        ]  # fmt: skip
        return np.column_stack(rows)

    def _lift(self) -> Array:
        """In units of the weight."""
        return np.clip((self.v / SPEED) ** 2 * (0.5 + 6.0 * (self.pitch - self.climb)), -1.0, 3.0)

    def fly(self, controls: Array) -> None:
        aileron, elevator, throttle = np.clip(controls, [-1, -1, 0], 1).T
        self.gust += STEP * -0.5 * self.gust + np.sqrt(STEP) * 0.02 * self.rng.normal(size=self.gust.shape)
        for _ in range(4):  # in smaller steps than the pilot acts
            dt = STEP / 4
            lift = self._lift()
            alpha = self.pitch - self.climb
            self.roll_rate += dt * 3.0 * (1.2 * aileron + 3 * self.gust[0] - self.roll_rate)
            self.pitch_rate += dt * 3.0 * (0.4 * elevator + self.gust[1] - self.pitch_rate)
            self.roll += dt * self.roll_rate
            self.pitch = np.clip(self.pitch + dt * self.pitch_rate, -0.6, 0.6)
            self.thrust += dt * 0.7 * (throttle - self.thrust)
            drag = 0.0009 * self.v**2 * (1 + 12 * alpha**2)
            self.v = np.maximum(self.v + dt * (6 * self.thrust - drag - GRAVITY * np.sin(self.climb)), 15.0)
            change = GRAVITY / self.v * (lift * np.cos(self.roll) - np.cos(self.climb))
            self.climb = np.clip(self.climb + dt * change, -0.7, 0.7)
            self.heading = _angle(self.heading + dt * GRAVITY * lift * np.sin(self.roll) / self.v)
            self.x += dt * self.v * np.cos(self.climb) * np.sin(self.heading)
            self.y += dt * self.v * np.cos(self.climb) * np.cos(self.heading)
            self.h = np.maximum(self.h + dt * self.v * np.sin(self.climb), 0.0)
        dx, dy, _ = self._leg(0)
        row = np.arange(self.count)
        distance = np.hypot(dx, dy)
        self.nearest[row, self.leg] = np.minimum(self.nearest[row, self.leg], distance)
        passed = (distance < REACHED) | (
            (distance < 900) & (np.abs(_angle(np.arctan2(dx, dy) - self.heading)) > 1.8)
        )
        self.leg = np.where(passed, np.minimum(self.leg + 1, self.legs - 1), self.leg)


def _angle(x: Array) -> Array:
    return (x + np.pi) % (2 * np.pi) - np.pi


def pilot(state: Array) -> Array:
    """The script: bank towards the waypoint, climb towards its altitude, hold the speed; in notches."""
    s = dict(zip(STATE, state.T, strict=True))
    bank = np.clip(1.5 * s["bearing error"], -0.6, 0.6)
    aileron = 2.0 * (bank - s["roll"]) - 0.6 * s["roll rate"]
    climb = np.clip(0.0025 * s["altitude error"], -0.12, 0.12)
    pitch = climb + 0.085 + 0.12 * (1 - np.cos(s["roll"])) - 0.004 * (s["airspeed"] - SPEED)
    elevator = 6.0 * (pitch - s["pitch"]) + 2.0 * (climb - s["climb angle"]) - 1.5 * s["pitch rate"]
    throttle = 0.42 + 1.8 * climb + 0.05 * (SPEED - s["airspeed"])
    wanted = np.column_stack([aileron, elevator, throttle])
    return np.round(np.clip(wanted, [-1, -1, 0], 1) * 10) / 10


def watch(rng: np.random.Generator, flights: int, steps: int) -> tuple[Array, Array]:
    """States, and what the pilot wanted in them. His hand slips, so that there are mistakes to learn from."""
    sky = Flights(rng, flights)
    states, wanted = [], []
    slip = np.zeros((flights, 3))
    for _ in range(steps):
        state = sky.state()
        action = pilot(state)
        states.append(state)
        wanted.append(action)
        slip += -0.1 * slip + rng.normal(0, [0.08, 0.08, 0.04], slip.shape)
        sky.fly(action + slip)
    return np.concatenate(states), np.concatenate(wanted)


def fly(
    rng: np.random.Generator, flights: int, steps: int, controls: Callable[[Array], Array]
) -> dict[str, Any]:
    """New courses: tracks, waypoints reached, and height over the ground."""
    sky = Flights(rng, flights)
    track = []
    for _ in range(steps):
        sky.fly(controls(sky.state()))
        track.append([sky.x.copy(), sky.y.copy(), sky.h.copy(), sky._leg(0)[2]])
    return {"sky": sky, "track": np.array(track), "reached": (sky.nearest < 2 * REACHED).mean()}


def example(small: bool, picture: Path) -> dict[str, Any]:
    """Trees that fly as a scripted pilot does."""
    flights, steps, courses = (12, 500, 4) if small else (30, 3000, 20)
    X, wanted = watch(np.random.default_rng(0), flights, steps)
    trees = [DecisionTreeRegressor(min_samples_leaf=5).fit(X, column) for column in wanted.T]
    hold, said = watch(np.random.default_rng(1), 4, 500)
    told: dict[str, Any] = {"examples": len(X), "state variables": X.shape[1]}
    for name, tree, column in zip(CONTROLS, trees, said.T, strict=True):
        told[f"{name}: leaves"] = tree.get_n_leaves()
        told[f"{name}: R² on other flights"] = float(tree.score(hold, column))

    def by_trees(state: Array) -> Array:
        return np.column_stack([tree.predict(state) for tree in trees])

    duration = 300 if small else 2200
    both = {
        "pilot": fly(np.random.default_rng(2), courses, duration, pilot),
        "trees": fly(np.random.default_rng(2), courses, duration, by_trees),
    }
    for name, flown in both.items():
        told[f"{name}: waypoints reached"] = float(flown["reached"])
        told[f"{name}: lowest height (m)"] = float(flown["track"][:, 2].min())
    _draw(both, picture)
    return told


def _draw(both: dict[str, dict[str, Any]], picture: Path) -> None:
    fig, (left, right) = figure(11, 4.6, 1, 2)
    sky = both["pilot"]["sky"]
    wide, high = np.ptp(sky.way_x, axis=1), np.ptp(sky.way_y, axis=1)
    shown = int(np.argmin(np.abs(np.log(wide / high))))  # the course that fills the picture best
    way_x, way_y = sky.way_x[shown] / 1000, sky.way_y[shown] / 1000
    left.plot(way_x, way_y, "o", color=GREY, ms=9, mfc="none", label="waypoints")
    for number, where in enumerate(zip(way_x, way_y, strict=True)):
        left.annotate(str(number + 1), where, xytext=(8, 6), textcoords="offset points", color=GREY)
    looks = {"pilot": {"color": COLOURS[2], "lw": 4}, "trees": {"color": COLOURS[0], "lw": 1.2}}
    for name, flown in both.items():
        track = flown["track"][:, :, shown]
        seconds = np.arange(len(track)) * STEP
        left.plot(track[:, 0] / 1000, track[:, 1] / 1000, **looks[name], label=name)
        right.plot(seconds, track[:, 2], **looks[name], label=name)
        if name == "pilot":
            right.plot(seconds, track[:, 2] + track[:, 3], color=GREY, lw=0.8, ls=":", label="wanted")
    left.set(title="a course that nobody flew before", xlabel="km east", ylabel="km north", aspect="equal")
    right.set(title="altitude on it", xlabel="seconds", ylabel="metres", ylim=(0, None))
    left.legend()
    right.legend()
    save(fig, picture)


if __name__ == "__main__":
    run(example, __file__)
