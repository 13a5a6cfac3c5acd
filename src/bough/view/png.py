"""A tree as a PNG picture, drawn from its SVG by resvg."""

from __future__ import annotations

from bough.errors import BoughError
from bough.view.pen import FONTS

# A letter and no letter in the fonts of our pictures: without any of them they are the same.
_PROBE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">'
    f'<text y="15" font-family="{FONTS}">{{}}</text></svg>'
)
SCALE = 2  # pixels for each pixel of the picture: sharp on paper and on fine screens


def png_of(svg: str, scale: int = SCALE) -> bytes:
    """The picture of a flat SVG."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise BoughError(
            "PNG pictures need one small package.",
            code="extra",
            hint='  pip install "bough[png]"      (3 MB)',
        ) from None
    if svg_to_bytes(svg_string=_PROBE.format("M")) == svg_to_bytes(svg_string=_PROBE.format("")):
        raise BoughError(
            "this machine has no font, so that a PNG picture would have no words.",
            code="extra",
            hint="Install one (Debian: apt-get install fonts-dejavu-core), or write SVG or HTML.",
        )
    return bytes(svg_to_bytes(svg_string=svg, zoom=scale))
