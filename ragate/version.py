"""The version of this package, apart so that modules can import it without their package."""

__version__ = "0.1.0"
REPOSITORY = "ragate/ragate"
MANUAL = f"https://github.com/{REPOSITORY}/blob/action/v{__version__}/docs"  # of this version
