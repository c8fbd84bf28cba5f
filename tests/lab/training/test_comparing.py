"""Networks against each other: who leads, by how much, and what cannot be compared."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install '.[learn]'")

from tribridge.common.errors import FormatError, NotFoundError, SettingError  # noqa: E402
from tribridge.lab.training.comparing import Settling, compare  # noqa: E402
from tribridge.lab.training.networks import SuitNetwork, export, shipped  # noqa: E402
from tribridge.networks import play  # noqa: E402
from tribridge.networks.auction import KIND  # noqa: E402

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("networks")
    torch.manual_seed(1)
    networks = {
        "new": SuitNetwork(play.KIND, 8, 1),
        "shipped": shipped("play.npz.split", torch.device("cpu")),
        "bidder": SuitNetwork(KIND, 8, 1),
        "same": SuitNetwork(KIND, 8, 1),
    }
    networks["same"].load_state_dict(networks["bidder"].state_dict())
    for name, network in networks.items():
        (folder / f"{name}.npz").write_bytes(export(network))
    return {name: folder / f"{name}.npz" for name in networks}


def test_a_trained_player_leads_an_untrained_one_in_points(files: dict[str, Path]) -> None:
    found = compare([files["shipped"], files["new"]], 40)
    leads = {(one.one, one.where): one.lead for one in found}
    shipped = str(files["shipped"])
    for where in ("declaring, by rule", "defending, by rule", "declaring, by auction"):
        assert leads[shipped, where] > 5
    assert all(one.error > 0 for one in found)


def test_equal_bidders_are_level_and_greedy_beats_a_new_one(files: dict[str, Path]) -> None:
    found = compare([files["bidder"], files["same"]], 200)
    for one in found:
        if one.other == "greedy":
            assert one.lead < -2 * one.error
        else:
            assert one.lead == 0


def test_bidders_are_scored_by_the_scheme(files: dict[str, Path]) -> None:
    by_auction, by_contract = (
        compare([files["bidder"], files["same"]], 200, Settling(scheme))
        for scheme in ("auction", "contract")
    )
    against_greedy = [
        (one.lead, other.lead)
        for one, other in zip(by_auction, by_contract, strict=True)
        if one.other == "greedy"
    ]
    assert against_greedy
    assert all(one != other for one, other in against_greedy)


def test_what_cannot_be_compared_is_refused(files: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="a bidder"):
        compare([files["new"], files["bidder"]], 10)
    with pytest.raises(SettingError, match="twice"):
        compare([files["new"], files["new"]], 10)
    with pytest.raises(SettingError, match="two or more"):
        compare([files["bidder"]], 10)
    with pytest.raises(NotFoundError, match="unknown scoring scheme"):
        compare([files["bidder"], files["same"]], 10, Settling("rubber"))
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"no network")
    with pytest.raises(FormatError, match=r"broken\.npz"):
        compare([broken, files["new"]], 10)
