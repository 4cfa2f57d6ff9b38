"""The version of this package, apart so that modules can import it without their package."""

__version__ = "0.1.0"
