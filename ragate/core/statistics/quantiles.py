"""Quantiles and tails that the standard library lacks: Student's t, beta, two normals."""

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

_TINY = 1e-300
_STEPS = 500
_NODES = 48
_FAR = 8.0  # standard deviations beyond which a tail is 0


def normal_quantile(p: float) -> float:
    """Return z with P(Z <= z) = p."""
    return NormalDist().inv_cdf(p)


def normal_tail(x: float) -> float:
    """Return P(Z > x)."""
    return NormalDist().cdf(-x)


def bivariate_tail(x: float, y: float, correlation: float) -> float:
    """Return P(X > x and Y > y) for two standard normals with a correlation in [0, 1).

    Source: Plackett's identity, integrated over the angle by Gauss and Legendre (Genz 2004).
    """
    x, y = (max(-_FAR, min(_FAR, each)) for each in (x, y))
    reach = math.asin(correlation)
    nodes, weights = _gauss_legendre()
    angles = reach * (nodes + 1) / 2
    powers = (x * x + y * y - 2 * x * y * np.sin(angles)) / (2 * np.cos(angles) ** 2)
    beyond = reach / 2 * float((weights * np.exp(-powers)).sum()) / (2 * math.pi)
    return normal_tail(x) * normal_tail(y) + beyond


@lru_cache(maxsize=1)
def _gauss_legendre() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b) for a, b > 0.

    Source: the continued fraction of DLMF 8.17.22, evaluated by Lentz's method.
    """
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - incomplete_beta(b, a, 1 - x)
    log_front = (
        math.lgamma(a + b)
        - math.lgamma(a)
        - math.lgamma(b)
        + a * math.log(x)
        + b * math.log1p(-x)
        - math.log(a)
    )
    return math.exp(log_front) / _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    value, upper, lower = 1.0, 1.0, 0.0
    for step in range(1, _STEPS):
        half = step // 2
        place = a + 2 * half
        if step % 2:
            term = -(a + half) * (a + b + half) * x / (place * (place + 1))
        else:
            term = half * (b - half) * x / ((place - 1) * place)
        lower = 1.0 / (1.0 + term * lower or _TINY)
        upper = 1.0 + term / upper or _TINY
        value *= upper * lower
        if abs(upper * lower - 1.0) < 1e-15:
            break
    return value


@lru_cache(maxsize=1024)
def t_quantile(p: float, df: int) -> float:
    """Return t with P(T <= t) = p for Student's t with `df` >= 1 degrees of freedom."""
    if p == 0.5:
        return 0.0
    if p < 0.5:
        return -t_quantile(1 - p, df)
    tail = 2 * (1 - p)
    x = root(lambda x: incomplete_beta(df / 2, 0.5, x) - tail, 0.0, 1.0)
    return math.inf if x == 0 else math.sqrt(df * (1 - x) / x)


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where `function` changes sign between `low` and `high`, by bisection."""
    rising = function(high) > 0
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if (function(middle) > 0) is rising:
            high = middle
        else:
            low = middle
    return (low + high) / 2
