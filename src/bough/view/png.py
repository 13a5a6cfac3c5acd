"""A tree as a PNG picture, drawn from its SVG by resvg."""

from __future__ import annotations

from bough.errors import BoughError

# A letter and no letter: without any font they are the same picture.
_PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">{}</text></svg>'
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
