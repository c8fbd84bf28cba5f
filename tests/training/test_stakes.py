"""What tricks are worth in training is what it is at a table."""

from __future__ import annotations

import pytest

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed: pip install 'tribridge[learn]'"
)

from tribridge.cards import FULL_DECK  # noqa: E402
from tribridge.dealer import deal  # noqa: E402
from tribridge.deals import Seat  # noqa: E402
from tribridge.game.auction import PASS, Bid  # noqa: E402
from tribridge.game.laws import all_laws  # noqa: E402
from tribridge.game.scoring import find_scheme  # noqa: E402
from tribridge.game.standing import RubberState, Standing  # noqa: E402
from tribridge.game.table import new_table  # noqa: E402
from tribridge.game.views import view  # noqa: E402
from tribridge.networks.play import SWING, steps_of  # noqa: E402
from tribridge.training.deals import RuleContracts  # noqa: E402
from tribridge.training.stakes import TRICK, Payoffs, Setting, settings  # noqa: E402

CPU = torch.device("cpu")
CONTRACT_RUBBER = RubberState(all_laws()["contract-rubber"], Standing((60, 0, 0), (1, 0, 0)))


@pytest.mark.parametrize(
    "setting",
    [
        Setting(1.0, find_scheme("auction")),
        Setting(1.0, find_scheme("contract"), None, (Seat.NORTH,)),
        Setting(1.0, CONTRACT_RUBBER.laws.scheme, CONTRACT_RUBBER),
    ],
    ids=["auction", "contract, vulnerable", "contract-rubber"],
)
def test_stakes_are_those_of_a_view(setting: Setting) -> None:
    torch.manual_seed(1)
    contracts = RuleContracts(FULL_DECK).deal(12, CPU)
    stakes, worth = Payoffs([setting], CPU).draw(contracts)
    for row in range(12):
        table = new_table(
            deal(1, row),
            Seat.NORTH,
            rubber=setting.rubber,
            scheme=None if setting.rubber else setting.scheme,
            vulnerable=setting.vulnerable,
        )
        bid = Bid(int(contracts.level[row]), FULL_DECK.strains[int(contracts.strain[row])])
        for call in (bid, PASS, PASS):
            table = table.apply(call)
        seen = view(table, table.turn)
        assert seen.contract is not None
        assert worth[row].tolist() == pytest.approx(seen.stakes(seen.contract), rel=1e-6)
        assert stakes.steps[row].tolist() == list(steps_of(seen))


def test_the_settings_are_the_same_in_every_run_and_making_always_pays() -> None:
    every = settings()
    assert every == settings()
    assert sum(setting.share for setting in every) == pytest.approx(1)
    assert {setting.rubber.laws.name for setting in every if setting.rubber} == set(all_laws())
    payoffs = Payoffs(every[::20], CPU)
    assert 0 < payoffs.modern.sum() < len(payoffs.modern)
    torch.manual_seed(1)
    contracts = RuleContracts(FULL_DECK).deal(300, CPU)
    modern, worth = payoffs.draw(contracts, modern=True)
    assert (worth.diff() > 0).all(), "every trick gains"
    needed = contracts.level[:, None] + FULL_DECK.book
    assert (modern.steps.gather(1, needed - 1) == SWING).all()
    utility = modern.utility()
    gain = utility.gather(1, needed) - utility.gather(1, needed - 1)
    assert torch.allclose(gain, torch.tensor(1 + TRICK))
    assert (utility[:, 0] == 0).all()
