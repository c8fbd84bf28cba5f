"""What the kernels cannot express in Python: wide products and vectors, as compiler intrinsics.

Each function here becomes a few machine instructions inside the compiled loops of `kernel`; none
can be called from Python. Vectors are written in LLVM's terms, so that they compile to whatever the
processor offers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tribridge.capture.simulation.tables import BUDGET, CAPTURE_SHAPE, NO_GAP, TOP_GAP, TRICKS
from tribridge.cards.dealer import _PHILOX_MULTIPLIERS
from tribridge.common.compiled import njit
from tribridge.common.errors import missing

try:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic
except ModuleNotFoundError:
    raise missing("numba") from None

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function, cache it on disk, and release the GIL while it runs."""
    return njit(cache=True, nogil=True, error_model="numpy")(function)


def _high(context: Any, left: Any, right: Any) -> Any:
    """The high 64 bits of the product of two 64-bit words."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        double = ir.IntType(128)
        one, two = (builder.zext(argument, double) for argument in arguments)
        product = builder.lshr(builder.mul(one, two), ir.Constant(double, 64))
        return builder.trunc(product, ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), build


def _eight_words(context: Any, keys: Any, number: Any, one: Any, two: Any, at: Any) -> Any:
    """The generator's words for eight deals from `number`, attempt 0, written from place `at`.

    The vector instructions are explicit because the product of two 32-bit lanes has 64 bits, and
    compilers do not use the instruction for that in a loop over 64-bit words.
    """

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        half, word, lanes = ir.IntType(32), ir.IntType(64), 8
        halves, words = ir.VectorType(half, lanes), ir.VectorType(word, lanes)

        def constant(value: int, kind: Any = words) -> Any:
            return ir.Constant(kind, [value] * lanes)

        def splat(value: Any) -> Any:
            kind = ir.VectorType(value.type, lanes)
            single = builder.insert_element(ir.Constant(kind, ir.Undefined), value, half(0))
            return builder.shuffle_vector(
                single, ir.Constant(kind, ir.Undefined), constant(0, halves)
            )

        def split(value: Any) -> tuple[Any, Any]:
            return builder.trunc(value, halves), builder.trunc(
                builder.lshr(value, constant(32)), halves
            )

        def data(position: int) -> Any:
            array = context.make_array(signature.args[position])(
                context, builder, arguments[position]
            )
            return array.data

        lane = ir.Constant(halves, list(range(lanes)))
        low, high = (
            splat(builder.trunc(builder.lshr(arguments[1], word(shift)), half)) for shift in (0, 32)
        )
        c0 = builder.add(low, lane)
        c1 = builder.sub(high, builder.sext(builder.icmp_unsigned("<", c0, lane), halves))
        c2 = c3 = constant(0, halves)
        for turn in range(10):
            k0, k1 = (
                splat(builder.load(builder.gep(data(0), [word(2 * turn + place)])))
                for place in range(2)
            )
            p0 = builder.mul(builder.zext(c0, words), constant(_PHILOX_MULTIPLIERS[0]))
            p1 = builder.mul(builder.zext(c2, words), constant(_PHILOX_MULTIPLIERS[1]))
            (low0, high0), (low1, high1) = split(p0), split(p1)
            c0, c1 = builder.xor(high1, builder.xor(c1, k0)), low1
            c2, c3 = builder.xor(high0, builder.xor(c3, k1)), low0
        for position, low, high in ((2, c0, c1), (3, c2, c3)):
            result = builder.or_(
                builder.zext(low, words), builder.shl(builder.zext(high, words), constant(32))
            )
            place = builder.gep(data(position), [arguments[4]])
            builder.store(result, builder.bitcast(place, words.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(keys, number, one, two, at), build


def _four_captures(
    context: Any,
    clubs: Any,
    diamonds: Any,
    hearts: Any,
    spades: Any,
    gaps: Any,
    results: Any,
    at: Any,
) -> Any:
    """Step 6 on four deals in parallel, with their sequences and gaps starting at place `at`.

    The result is `20 * captures + check`. The loop always runs over all nine possible captures;
    those after the stop change nothing, so no branch can be mispredicted.
    """

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = 4
        vector = ir.VectorType(ir.IntType(32), lanes)

        def constant(value: int) -> Any:
            return ir.Constant(vector, [value] * lanes)

        def place(position: int) -> Any:
            array = context.make_array(signature.args[position])(
                context, builder, arguments[position]
            )
            pointer = builder.gep(array.data, [arguments[6]])
            return builder.bitcast(pointer, vector.as_pointer())

        def larger(one: Any, two: Any) -> Any:
            return builder.select(builder.icmp_unsigned(">", one, two), one, two)

        suits = [builder.load(place(position), align=4) for position in range(4)]
        left = builder.sub(constant(BUDGET), builder.load(place(4), align=4))
        captures = constant(4)
        goes_on = constant(-1)  # all bits set, until the loop stops in this lane
        # How far the check value, captures plus gaps paid, is from stopping the loop.
        room = builder.add(left, constant(TRICKS - BUDGET - 4))
        for _ in range(TRICKS - 4):
            # The largest word wins, ties go to the first suit: its code is below the head.
            keys = [
                builder.or_(builder.and_(word, constant(7 << TOP_GAP)), constant(3 - suit))
                for suit, word in enumerate(suits)
            ]
            best = larger(larger(keys[0], keys[1]), larger(keys[2], keys[3]))
            cost = builder.sub(constant(NO_GAP), builder.lshr(best, constant(TOP_GAP)))
            affordable = builder.icmp_signed("<=", cost, left)
            wanted = builder.icmp_signed(">", room, constant(0))
            goes_on = builder.and_(goes_on, builder.sext(affordable, vector))
            goes_on = builder.and_(goes_on, builder.sext(wanted, vector))
            cost = builder.and_(cost, goes_on)
            left, captures = builder.sub(left, cost), builder.sub(captures, goes_on)
            room = builder.add(builder.sub(room, cost), goes_on)
            suits = [
                builder.select(
                    builder.icmp_unsigned("==", key, best), builder.shl(word, constant(3)), word
                )
                for key, word in zip(keys, suits, strict=True)
            ]
        result = builder.sub(
            builder.add(builder.mul(captures, constant(CAPTURE_SHAPE[2] + 1)), constant(BUDGET)),
            left,
        )
        builder.store(result, place(5), align=4)
        return context.get_dummy_value()

    return types.void(clubs, diamonds, hearts, spades, gaps, results, at), build


# The compiler knows their types; a type checker need not.
high: Any = intrinsic(_high)
eight_words: Any = intrinsic(_eight_words)
four_captures: Any = intrinsic(_four_captures)
