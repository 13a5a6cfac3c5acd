"""A tree as a PNG picture, drawn from its SVG by resvg."""

from __future__ import annotations

from bough.errors import BoughError

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
    return bytes(svg_to_bytes(svg_string=svg, zoom=scale))
