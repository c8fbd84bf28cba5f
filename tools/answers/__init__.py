"""Record what every route of the table answers, and compare two recordings.

    python -m tools.answers record FILE
    python -m tools.answers compare BEFORE AFTER

The same people do the same things at a server in this process, with fixed seeds, names and clock:
they open tables, sit down, call and play, ask for hints and reviews, write to each other, solve a
puzzle and look at every page in both languages. Record before a change that should alter no answer
and again after it. Answers are compared exactly, HTML without the white space that nobody sees.

`walk` asks and notes the answers, `story` says who asks for what, `html` what is seen of it.
"""
