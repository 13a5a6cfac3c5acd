"""A report as its tables and texts, for tests that read numbers back."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class Row:
    attributes: dict[str, str]
    cells: list[str] = field(default_factory=list)


class Report(HTMLParser):
    """Rows by the part of the report that they stand in; texts by part; every tag and attribute."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: dict[str, list[Row]] = {}
        self.texts: dict[str, str] = {}
        self.tiles: dict[str, str] = {}
        self.tags: list[tuple[str, dict[str, str]]] = []
        self._part = ""
        self._cell = False
        self._tile = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append((tag, given))
        if tag == "section" and "id" in given:
            self._part = given["id"]
        if tag == "tr":
            self.rows.setdefault(self._part, []).append(Row(given))
        if tag in ("td", "th"):
            self.rows[self._part][-1].cells.append("")
            self._cell = True
        if tag == "div" and "data-figure" in given:
            self._tile = given["data-figure"]
            self.tiles[self._tile] = ""
        elif tag in ("section", "h2"):
            self._tile = ""

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._cell = False

    def handle_data(self, data: str) -> None:
        self.texts[self._part] = self.texts.get(self._part, "") + data
        if self._cell:
            self.rows[self._part][-1].cells[-1] += data
        if self._tile:
            self.tiles[self._tile] += data

    def body(self, part: str, attribute: str) -> list[Row]:
        """Rows of a part that have the attribute."""
        return [row for row in self.rows.get(part, []) if attribute in row.attributes]
