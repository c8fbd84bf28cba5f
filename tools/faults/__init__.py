"""Faults: people play at two servers with two workers and one PostgreSQL while things go wrong.

    python -m tools.faults [--tables 100] [--seconds 1800] [--pace 3] [--brief] [--out FILE]

At each table three people play, each request goes to either server, and what fails, or is not
answered for some seconds, is sent again to the other, as a page and a proxy do; some moves are sent
twice at the same moment, and sometimes two different ones. Meanwhile, at random: a server or a
worker is killed, or frozen for a while (SIGSTOP), the database is killed, restarts or is frozen,
one server is cut off from it, its disk is full, the clock of a server jumps by an hour, a worker of
another version joins. One table in four has a bot.

What each client saw is kept and compared with what is stored. Every move that was acknowledged is
in its place (none is *lost*), none is there that was not sent there (*doubled*), nobody who holds a
seat was taken for a stranger (*forgotten*), no view was older than what its reader had been told
before (*stale*), every view is what that seat may see after those events and shows no other card
(else it is *leaked*), and every table goes on.

How long people wait for their next move is measured from the last one, without the time in which
they think themselves. The longest waits are printed with what they were spent on: answers, refusals
and silence of either server, and the bots' turns.

With `--brief`, every kind of fault comes once, for about a second, and the next one when people
have played on: it takes half a minute, and is among the tests.

The database listens on the loopback address; a proxy before it drops what it should. A full disk
needs the right to mount (a small `tmpfs`); without it this fault is left out, and the figures say
so. Meanwhile the database has to begin new files of its log, which ends it: a supervisor starts it
again. A clock jumps where a server reads it: `time.time` (a library that shifts it for the whole
process, such as Debian's `faketime`, disturbs the locks of the interpreter).

`people` play and note what they see, `breaking` breaks the `programs`, `checking` compares.
"""
