from __future__ import annotations

from ragate.contrib.recorder.proxy.request_ledger import Ledger, Scope
from ragate.protocols import ChatReply


def test_a_request_is_of_the_only_sample_that_is_open():
    ledger = Ledger()

    with ledger.sample("q1", 2) as scope:
        assert ledger.scopes("") == [scope]
        assert ledger.scopes("q1") == [scope]
        assert scope.run == 2
    assert ledger.scopes("") == [ledger.outside]
    assert not scope.shared


def test_a_request_that_names_its_sample_is_told_from_the_others():
    ledger = Ledger()

    with ledger.sample("q1", 0) as one, ledger.sample("häufig", 0) as two:
        assert ledger.scopes("q1") == [one]
        assert ledger.scopes("h%C3%A4ufig") == ledger.scopes("häufig") == [two]
    assert not one.shared
    assert not two.shared


def test_a_request_without_a_name_may_be_of_any_open_sample():
    ledger = Ledger()

    with ledger.sample("q1", 0) as one, ledger.sample("q2", 0) as two:
        assert ledger.scopes("") == [one, two]
    assert one.shared
    assert two.shared


def test_a_late_request_of_a_sample_that_is_over_is_nobodys():
    ledger = Ledger()

    with ledger.sample("q2", 0) as open_now:
        assert ledger.scopes("q1") == [ledger.outside]
    assert not open_now.shared


def test_a_repeated_request_is_counted_and_one_that_failed_is_not():
    scope = Scope()

    first, second = scope.take("k"), scope.take("k")
    scope.give_back("k", first)

    assert (first, second) == (0, 1)
    assert scope.take("k") == 0
    assert scope.take("k") == 2
    assert scope.take("other") == 0


def test_outside_of_samples_a_repeated_request_is_the_same_one():
    ledger = Ledger()

    assert [ledger.outside.take("k") for _ in range(3)] == [0, 0, 0]


def test_what_a_sample_cost_adds_up_and_a_success_heals_a_failure():
    scope = Scope()
    scope.failed["a"] = "HTTP 500"

    scope.answered("a", ChatReply("x", 3, 4, cost_usd=0.5))
    scope.answered("b", ChatReply("x", 3, 4, cost_usd=None))
    scope.answered("c", ChatReply("x", reused=True, cost_usd=0.0))

    assert scope.failed == {}
    assert scope.keys == ["a", "b", "c"]
    assert (scope.usage.calls, scope.usage.prompt_tokens, scope.usage.cost_usd) == (2, 6, 0.5)
