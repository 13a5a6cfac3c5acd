"""The lesson in a real browser: steps, quiz, dark, print, scripts off, no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bough
from bough.data.examples import load


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lesson") / "iris.html"
    lesson = bough.ID3Classifier().fit(*load("iris7")).lesson("</title><script>window.hurt=1</script>")
    path.write_text(lesson.to_html(), encoding="utf-8")
    return path


def opened(browser: Any, path: Path, **options: Any) -> Any:
    page = browser.new_context(viewport={"width": 1100, "height": 800}, **options).new_page()
    page.asked = []
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto(path.as_uri())
    return page


def shown_sections(page: Any) -> list[str]:
    return [s.get_attribute("id") for s in page.query_selector_all("section") if s.is_visible()]


@pytest.mark.parametrize("script", [True, False])
def test_steps_are_turned_with_and_without_scripts(browser: Any, page_file: Path, script: bool) -> None:
    page = opened(browser, page_file, java_script_enabled=script)
    assert page.locator("section#step-1").is_visible()
    assert not page.locator("section#step-2").is_visible()
    page.click("section#step-1 >> text=Next")
    assert page.locator("section#step-2").is_visible()
    assert not page.locator("section#step-1").is_visible()
    page.click("section#step-2 >> text=Back")
    assert page.locator("section#step-1").is_visible()
    page.click("text=The tree and its leaves")
    assert page.locator("section#tree").is_visible()
    assert [url for url in page.asked if not url.startswith("file:")] == []


def test_nothing_of_a_name_runs(browser: Any, page_file: Path) -> None:
    page = opened(browser, page_file)
    assert page.evaluate("window.hurt") is None
    assert "window.hurt" in page.title()


def test_the_quiz_hides_and_checks(browser: Any, page_file: Path) -> None:
    page = opened(browser, page_file)
    answer = page.locator("section#step-1 .qa .a").first
    field = page.locator("section#step-1 .qa input").first
    assert not field.is_visible()
    page.check("#quiz")
    assert field.is_visible()
    assert "blur" in answer.evaluate("e => getComputedStyle(e).filter")
    field.fill("1.2")
    field.press("Tab")
    assert "not yet" in page.locator("section#step-1 .qa output").first.inner_text()
    field.fill("1,449")
    field.press("Enter")
    assert "right" in page.locator("section#step-1 .qa output").first.inner_text()
    assert answer.evaluate("e => getComputedStyle(e).filter") == "none"


def test_print_shows_all_steps(browser: Any, page_file: Path) -> None:
    page = opened(browser, page_file)
    page.emulate_media(media="print")
    assert shown_sections(page) == ["step-1", "step-2", "tree"]
    assert not page.locator("nav").is_visible()


def test_dark_is_dark_and_formulas_are_drawn(browser: Any, page_file: Path) -> None:
    page = opened(browser, page_file, color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 28)"
    box = page.locator("section#step-1 mfrac").first.bounding_box()
    assert box["height"] > box["width"] * 0.8
    words = (
        "[...document.querySelectorAll('section#step-1 :not(math, math *)')].filter(e => !e.children.length)"
    )
    sizes = page.evaluate(f"{words}.map(e => parseFloat(getComputedStyle(e).fontSize))")
    assert min(sizes) >= 11


def test_a_narrow_window_does_not_overflow(browser: Any, page_file: Path) -> None:
    page = browser.new_context(viewport={"width": 380, "height": 800}).new_page()
    page.goto(page_file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
