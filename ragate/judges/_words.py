"""Words that a judge's reasons share with those who count them."""

CUT = "contexts cut"
