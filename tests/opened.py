"""A page in a real browser (Chromium of the system, driven by Playwright), without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SIDES = """(e) => {
  const r = e.getBoundingClientRect();
  return [r.left, r.top, r.right, r.bottom, e.textContent];
}"""
BOXES = """() => {
  const shown = ".node:not(.gone) .box, .edge:not(.gone) > g, .node:not(.gone) .more";
  return [...document.querySelectorAll(shown)].map((e) => {
    const r = e.getBoundingClientRect();
    return [r.left, r.top, r.right, r.bottom, e.textContent || e.parentNode.textContent];
  }).filter((r) => r[2] > r[0]);
}"""


def overlap(one: list[Any], other: list[Any], slack: float = 0.5) -> bool:
    return bool(
        one[0] < other[2] - slack
        and other[0] < one[2] - slack
        and one[1] < other[3] - slack
        and other[1] < one[3] - slack
    )


class Opened:
    """A page from a file; every request that would leave the machine is noted and refused."""

    def __init__(
        self, browser: Any, folder: Path, text: str, name: str = "tree.html", **options: Any
    ) -> None:
        self.context = browser.new_context(viewport={"width": 1500, "height": 950}, **options)
        self.asked: list[str] = []
        self.errors: list[str] = []
        self.context.route("**/*", self._route)
        self.context.set_default_timeout(120_000)
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        file = folder / name
        file.write_text(text, encoding="utf-8")
        self.page.goto(file.as_uri())

    def _route(self, route: Any) -> None:
        if route.request.url.startswith("file:"):
            route.continue_()
        else:
            self.asked.append(route.request.url)
            route.abort()

    def node(self, number: int) -> Any:
        return self.page.locator(f'.node[data-n="{number}"]')

    def rule(self) -> str:
        return str(self.page.locator(".rule").inner_text())

    def shown(self) -> list[int]:
        found = self.page.eval_on_selector_all(".node:not(.gone)", "all => all.map(g => Number(g.dataset.n))")
        return [int(n) for n in found]
