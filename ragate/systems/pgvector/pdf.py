"""The text of a PDF, by pypdf: an optional library."""

import io

from ragate.errors import ConfigError, NotInstalledError


def pdf_text(content: bytes, where: str) -> str:
    """Return the text of all pages; "" for a scan, which has none.

    Raises:
        NotInstalledError: pypdf is not installed.
        ConfigError: it is no PDF, or a locked one.
    """
    try:
        from pypdf import PdfReader
    except ImportError as error:
        raise NotInstalledError(
            f"{where}: a library reads PDF, and it is not installed",
            remedy="pip install 'ragate[pdf]', or move the file out of the folder",
        ) from error
    try:
        pages = PdfReader(io.BytesIO(content)).pages
        texts = [page.extract_text() for page in pages]
    except Exception as error:  # a broken file raises whatever its bytes lead to
        raise ConfigError(
            f"{where}: not a PDF that can be read: {error}",
            remedy="move it out of the folder, or save it anew without a password",
        ) from error
    return "\n\n".join(text.replace("\0", "").strip() for text in texts).strip()
