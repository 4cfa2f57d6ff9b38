"""The page: one file to look at, which works offline and without JavaScript."""

from ragate.renderers.html.page import render
