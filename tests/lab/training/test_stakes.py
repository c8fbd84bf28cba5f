"""What tricks are worth in training is what it is at a table."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install '.[learn]'")

from tribridge.cards.cards import FULL_DECK  # noqa: E402
from tribridge.cards.dealer import deal  # noqa: E402
from tribridge.cards.deals import Seat  # noqa: E402
from tribridge.game.auction import PASS, Bid  # noqa: E402
from tribridge.game.laws import all_laws  # noqa: E402
from tribridge.game.scoring import find_scheme  # noqa: E402
from tribridge.game.standing import RubberState, Standing  # noqa: E402
from tribridge.game.table import new_table  # noqa: E402
from tribridge.game.views import view  # noqa: E402
from tribridge.lab.training.bidding_games import Dealing  # noqa: E402
from tribridge.lab.training.deals import RuleContracts  # noqa: E402
from tribridge.lab.training.stakes import TRICK, settings  # noqa: E402
from tribridge.networks.play import SWING, steps_of  # noqa: E402
from tribridge.networks.stakes import Game  # noqa: E402

CPU = torch.device("cpu")
CONTRACT_RUBBER = RubberState(all_laws()["contract-rubber"], Standing((60, 0, 0), (1, 0, 0)))


@pytest.mark.parametrize(
    "game",
    [
        Game(find_scheme("auction")),
        Game(find_scheme("contract"), None, (Seat.NORTH,)),
        Game(CONTRACT_RUBBER.laws.scheme, CONTRACT_RUBBER),
    ],
    ids=["auction", "contract, vulnerable", "contract-rubber"],
)
def test_stakes_are_those_of_a_view(game: Game) -> None:
    torch.manual_seed(1)
    contracts = RuleContracts(FULL_DECK).deal(12, CPU)
    north = torch.zeros(12, dtype=torch.long)
    stakes, worth = Dealing({game: 1.0}, CPU).staked(contracts, north, north)
    for row in range(12):
        table = new_table(
            deal(1, row),
            Seat.NORTH,
            rubber=game.rubber,
            scheme=None if game.rubber else game.scheme,
            vulnerable=game.vulnerable,
        )
        bid = Bid(int(contracts.level[row]), FULL_DECK.strains[int(contracts.strain[row])])
        for call in (bid, PASS, PASS):
            table = table.apply(call)
        seen = view(table, table.turn)
        assert seen.contract is not None
        assert worth[row].diff().tolist() == pytest.approx(
            np.diff(seen.stakes(seen.contract)), rel=1e-4, abs=1e-3
        )
        assert stakes.steps[row].tolist() == pytest.approx(steps_of(seen), abs=1)


def test_the_settings_are_the_same_in_every_run_and_making_always_pays() -> None:
    every = settings()
    assert every == settings()
    assert sum(every.values()) == pytest.approx(1.0)
    assert {game.rubber.laws.name for game in every if game.rubber} == set(all_laws())
    dealing = Dealing(dict(list(every.items())[::40]), CPU)
    torch.manual_seed(1)
    contracts = RuleContracts(FULL_DECK).deal(300, CPU)
    stakes, worth = dealing.draw(contracts)
    assert (worth.diff() > 0).all(), "every trick gains"
    needed = contracts.level[:, None] + FULL_DECK.book
    assert (stakes.steps.gather(1, needed - 1) == SWING).all()
    utility = stakes.utility()
    gain = utility.gather(1, needed) - utility.gather(1, needed - 1)
    assert torch.allclose(gain, torch.tensor(1 + TRICK))
    assert (utility[:, 0] == 0).all()
