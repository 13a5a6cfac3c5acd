"""Body parts from depth images: figures in random poses are drawn as depth images, each pixel of them becomes
a row of depth differences, a forest learns the parts of a million pixels, and labels new images."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from common import figure, run, save
from matplotlib.colors import ListedColormap

from bough import RandomForestClassifier

Array = np.ndarray
HEIGHT, WIDTH, FOCAL = 160, 128, 210.0  # pixels
FAR = 8.0  # metres: the wall behind
NONE = -1  # no part: the wall
PARTS = [
    "head", "torso", "left upper arm", "right upper arm", "left lower arm", "right lower arm", "left hand",
    "right hand", "left upper leg", "right upper leg", "left lower leg", "right lower leg", "left foot",
    "right foot",
]  # fmt: skip
PAINT = [
    "#d1495b", "#edae49", "#1f6f8b", "#66a182", "#3fa7d6", "#a3c585", "#123c69", "#2e5339", "#8f2d56",
    "#f26419", "#c77dff", "#ffb4a2", "#5f0f40", "#9a6324",
]  # fmt: skip


def turned(vector: Array, angle: float) -> Array:
    """About the vertical axis."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] + s * vector[2], vector[1], -s * vector[0] + c * vector[2]])


def limb(start: Array, swing: float, raised: float, lengths: tuple[float, float, float], bend: float) -> list:
    """Two bones and an end, hanging from a joint: metres, x to the right, y up, z away."""
    direction = np.array([np.sin(raised), -np.cos(raised) * np.cos(swing), -np.cos(raised) * np.sin(swing)])
    middle = start + lengths[0] * direction
    bent = direction + bend * np.array([0.15 * np.sign(raised), 0.25, -1.0])
    bent /= np.linalg.norm(bent)
    end = middle + lengths[1] * bent
    return [(start, middle), (middle, end), (end, end + lengths[2] * bent)]


def pose(rng: np.random.Generator) -> list[tuple[int, Array, Array, float]]:
    """Part, two ends and radius of each bone of a figure whose pelvis is the origin."""
    bones = [
        (0, np.array([0.0, 0.69, 0.0]), np.array([0.0, 0.74, 0.0]), 0.105),
        (1, np.array([-0.07, 0.02, 0.0]), np.array([-0.08, 0.42, 0.0]), 0.12),
        (1, np.array([0.07, 0.02, 0.0]), np.array([0.08, 0.42, 0.0]), 0.12),
    ]
    for side, sign in ((0, -1.0), (1, 1.0)):
        shoulder, hip = np.array([sign * 0.21, 0.48, 0.0]), np.array([sign * 0.1, -0.06, 0.0])
        swing, raised, bend = rng.uniform(-0.3, 1.2), sign * rng.uniform(0.15, 2.4), rng.uniform(0, 1.3)
        arm = limb(shoulder, swing, raised, (0.29, 0.25, 0.08), bend)
        bones += [(2 + side, *arm[0], 0.055), (4 + side, *arm[1], 0.045), (6 + side, *arm[2], 0.05)]
        swing, spread, bend = rng.uniform(-0.2, 0.7), sign * rng.uniform(0.03, 0.45), rng.uniform(-0.25, 0.05)
        leg = limb(hip, swing, spread, (0.4, 0.4, 0.02), bend)
        toes = leg[1][1] + np.array([0.0, -0.03, -0.14])
        bones += [(8 + side, *leg[0], 0.085), (10 + side, *leg[1], 0.06), (12 + side, leg[1][1], toes, 0.05)]
    size, angle = rng.uniform(0.92, 1.08), rng.uniform(-0.7, 0.7)
    return [(part, size * turned(a, angle), size * turned(b, angle), size * r) for part, a, b, r in bones]


def draw(rng: np.random.Generator) -> tuple[Array, Array]:
    """A depth image in metres and the part of each pixel; bones are rows of balls."""
    depth, part_of = np.full((HEIGHT, WIDTH), FAR), np.full((HEIGHT, WIDTH), NONE)
    away = rng.uniform(2.6, 3.8)
    centre = np.array([rng.uniform(-0.25, 0.25), rng.uniform(-0.05, 0.15), away])
    for part, a, b, radius in pose(rng):
        count = max(2, int(np.linalg.norm(b - a) / (0.3 * radius)) + 1)
        for ball in centre + a + np.linspace(0, 1, count)[:, None] * (b - a):
            scale = FOCAL / ball[2]
            x, y, r = WIDTH / 2 + scale * ball[0], HEIGHT / 2 - scale * ball[1], scale * radius
            left, right = max(0, int(x - r)), min(WIDTH, int(x + r) + 2)
            top, bottom = max(0, int(y - r)), min(HEIGHT, int(y + r) + 2)
            if left >= right or top >= bottom:
                continue
            across, down = np.meshgrid(np.arange(left, right) - x, np.arange(top, bottom) - y)
            inside = r**2 - across**2 - down**2
            surface = ball[2] - np.sqrt(np.maximum(inside, 0.0)) / scale
            window = (slice(top, bottom), slice(left, right))
            nearer = (inside > 0) & (surface < depth[window])
            depth[window][nearer] = surface[nearer]
            part_of[window][nearer] = part
    body = part_of != NONE
    depth[body] += rng.normal(0, 0.008, body.sum())  # the camera is not exact
    return depth, part_of


def offsets(count: int) -> Array:
    """Pairs of places around a pixel, in pixels at one metre; every other pair starts at the pixel itself."""
    rng = np.random.default_rng(42)
    pairs = rng.normal(0, 0.35 * FOCAL, (count, 2, 2))
    pairs[::2, 0] = 0.0
    return pairs


def differences(depth: Array, rows: Array, columns: Array, pairs: Array) -> Array:
    """Shotton's features: the depth at one place minus the depth at another, both the nearer to the pixel the
    farther away it is, so that they are the same places of a body at any distance."""
    own = depth[rows, columns]
    found = np.empty((len(pairs), len(rows)))
    for feature, pair in enumerate(pairs):
        probes = []
        for down, across in pair:
            y, x = np.rint(rows + down / own).astype(int), np.rint(columns + across / own).astype(int)
            outside = (y < 0) | (y >= HEIGHT) | (x < 0) | (x >= WIDTH)
            probes.append(np.where(outside, FAR, depth[y.clip(0, HEIGHT - 1), x.clip(0, WIDTH - 1)]))
        found[feature] = np.clip(probes[0] - probes[1], -1.5, 1.5)
    return found.T


def pixels(rng: np.random.Generator, count: int, pairs: Array) -> tuple[Array, Array]:
    """So many pixels of bodies, as rows of features, and their parts."""
    X, y, total = [], [], 0
    while total < count:
        depth, part_of = draw(rng)
        rows, columns = np.nonzero(part_of != NONE)
        X.append(differences(depth, rows, columns, pairs))
        y.append(part_of[rows, columns])
        total += len(rows)
    return np.concatenate(X)[:count], np.concatenate(y)[:count]


def example(small: bool, picture: Path) -> dict[str, Any]:
    """A forest that names the body part of every pixel."""
    count, trees, depth, features = (20_000, 4, 10, 16) if small else (1_000_000, 12, 18, 32)
    pairs = offsets(features)
    X, y = pixels(np.random.default_rng(0), count, pairs)
    forest = RandomForestClassifier(
        n_estimators=trees, max_depth=depth, max_bins=64, min_samples_leaf=5, random_state=0, n_jobs=-1
    ).fit(X, y)
    X_new, y_new = pixels(np.random.default_rng(1), count // 10, pairs)
    answer = forest.predict(X_new)
    told: dict[str, Any] = {"pixels learned from": len(X), "features": features}
    told["right among new pixels"] = float((answer == y_new).mean())
    told["the mean over parts"] = float(
        np.mean([(answer == y_new)[y_new == part].mean() for part in np.unique(y_new)])
    )
    _show(forest, pairs, picture)
    return told


def _show(forest: Any, pairs: Array, picture: Path) -> None:
    rng = np.random.default_rng(5)
    fig, axes = figure(10, 5.4, 2, 6)
    colours = ListedColormap(PAINT)
    for ax in axes.ravel():
        ax.set(xticks=[], yticks=[])
        for spine in ax.spines.values():
            spine.set_visible(False)
    for number in range(4):
        depth, part_of = draw(rng)
        rows, columns = np.nonzero(part_of != NONE)
        said = np.full(part_of.shape, NONE)
        said[rows, columns] = forest.predict(differences(depth, rows, columns, pairs))
        three = axes[number // 2, 3 * (number % 2) : 3 * (number % 2) + 3]
        three[0].imshow(np.where(part_of == NONE, np.nan, depth), cmap="bone")
        for ax, parts in zip(three[1:], (part_of, said), strict=True):
            ax.imshow(
                np.where(parts == NONE, np.nan, parts),
                cmap=colours,
                vmin=0,
                vmax=len(PARTS) - 1,
                interpolation="none",
            )
        right = (said == part_of)[rows, columns].mean()
        for ax, title in zip(three, ("depth", "true parts", f"forest: {right:.0%} right"), strict=True):
            ax.set_title(title)
    handles = [fig.gca().plot([], [], "s", color=colour)[0] for colour in PAINT]
    fig.legend(handles, PARTS, loc="outside lower center", ncols=7, handletextpad=0.2, columnspacing=1.0)
    save(fig, picture)


if __name__ == "__main__":
    run(example, __file__)
