"""PDFs written by hand, so that a test knows where every word stands."""

from __future__ import annotations

from dataclasses import dataclass, field

WIDTHS = {**dict.fromkeys("0123456789$#_", 556), **dict.fromkeys(",. /:;!I", 278), **dict.fromkeys("()-", 333), "%": 889, "—": 1000}
LETTERS = 530  # a usual letter of Helvetica, in thousandths of its size


@dataclass
class TinyPage:
    """One page; places count from its top left corner, in points. `turn`: /Rotate; `upwards`: text that runs up the page."""

    width: float = 612
    height: float = 792
    turn: int = 0
    upwards: bool = False
    texts: list[tuple[float, float, float, bool, str]] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, size: float = 10, bold: bool = False) -> None:
        self.texts.append((x, y, size, bold, text))

    def right(self, x: float, y: float, text: str, size: float = 10, bold: bool = False) -> None:
        """`text` ending at `x`."""
        self.text(x - width_of(text, size), y, text, size, bold)

    def centre(self, x: float, y: float, text: str, size: float = 10, bold: bool = False) -> None:
        self.text(x - width_of(text, size) / 2, y, text, size, bold)

    def paragraph(self, x: float, y: float, lines: list[str], size: float = 10, step: float = 12, bold: bool = False) -> float:
        """Lines one under the other; where the next would stand."""
        for line in lines:
            self.text(x, y, line, size, bold)
            y += step
        return y

    def content(self) -> bytes:
        out = []
        for x, y, size, bold, text in self.texts:
            matrix = f"0 1 -1 0 {y:.2f} {x:.2f}" if self.upwards else f"1 0 0 1 {x:.2f} {self.height - y:.2f}"
            shown = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)").encode("cp1252")
            out.append(f"BT /F{2 if bold else 1} {size} Tf {matrix} Tm (".encode() + shown + b") Tj ET")
        return b"\n".join(out)


def width_of(text: str, size: float) -> float:
    return sum(WIDTHS.get(c, LETTERS) for c in text) * size / 1000


def pdf_of(*pages: TinyPage) -> bytes:
    """A PDF 1.4 of these pages, in Helvetica."""
    kids = " ".join(f"{5 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    ]
    for i, page in enumerate(pages):
        box = f"/MediaBox [0 0 {page.width} {page.height}] /Rotate {page.turn}"
        fonts = "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R {box} {fonts} /Contents {6 + 2 * i} 0 R >>".encode())
        content = page.content()
        objects.append(f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream")
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF".encode()
    return bytes(out)
