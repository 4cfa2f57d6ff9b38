import pytest

from ragate.cli.detect.candidate import is_question, questions_in


@pytest.mark.parametrize(
    "name", ["question", "user_message", "userQuery", "query_text", "chatInput", "search_term", "q"]
)
def test_a_name_made_of_customary_words_takes_the_question(name: str) -> None:
    assert is_question(name)


@pytest.mark.parametrize(
    "name", ["system_prompt", "message_id", "queryEngine", "user", "term", "a question", "", "k"]
)
def test_a_name_with_another_word_does_not(name: str) -> None:
    assert not is_question(name)


@pytest.mark.parametrize(("name", "sure"), [("query", True), ("user_text", True), ("text", False)])
def test_what_any_function_may_take_is_not_sure(name: str, sure: bool) -> None:
    assert is_question(name, surely=True) is sure


def test_the_likeliest_name_stands_first_and_the_shorter_one_of_two() -> None:
    names = ["content", "user_message", "message", "session", "query_text", "question"]

    assert questions_in(names) == ["question", "query_text", "message", "user_message", "content"]
