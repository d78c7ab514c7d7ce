"""The proofs in proofs/: Coq accepts them, they assume nothing of their own, and it can refuse."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = ("sums.v", "lemma.v", "anytime.v")  # each after those it imports
LIBRARY = {  # the axioms of the real numbers in Coq's standard library
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
UNPROVED = (
    r"\b(Admitted|admit|give_up|Abort|Axioms?|Parameters?|Conjectures?)\b|Unset +\w+ +Checking"
)
FALSE_CLAIMS = {  # file, what it says, what a false claim would say
    "half the sum's upper bound": (
        "lemma.v",
        "sum_before epsilon t <= power (t - 1) q / q.",
        "sum_before epsilon t <= power (t - 1) q / (2 * q).",
    ),
    "the printed inequality": (
        "lemma.v",
        "(power t q - 1) / q <= sum_before epsilon t.",
        "power t q / q <= sum_before epsilon t.",
    ),
    "at t = 1 the upper bound is attained": (
        "lemma.v",
        "~ (sum_before epsilon t >= power t q / q).",
        "~ (sum_before epsilon t >= power (t - 1) q / q).",
    ),
    "the exponent at p = 1": ("lemma.v", "0 < p < 1.", "0 < p <= 1."),
    "a step of twice the rate": (
        "anytime.v",
        "eps / K * theta <= exp (- (1 - theta) * (eps / K)).",
        "eps / K * theta <= exp (- (2 * (1 - theta)) * (eps / K)).",
    ),
    "a negative rate": (
        "anytime.v",
        "R := 1 - theta + theta * ln theta.",
        "R := 1 - theta + ln theta.",
    ),
    "twice the rate": (
        "anytime.v",
        "ever_behind m 1 0 <= exp (- (rate theta * B t_1)).",
        "ever_behind m 1 0 <= exp (- (2 * rate theta * B t_1)).",
    ),
    "all arms for the price of one": (
        "anytime.v",
        "<= INR K * exp (- (rate theta * B t_1)).",
        "<= exp (- (rate theta * B t_1)).",
    ),
    "ahead instead of behind": (
        "anytime.v",
        "if Rle_dec (INR n) (theta * B t) then true",
        "if Rle_dec (theta * B t) (INR n) then true",
    ),
}

has_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="Coq is not installed (coqc)")


def coqc(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["coqc", name], cwd=folder, text=True, encoding="utf-8", capture_output=True, timeout=600
    )


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with the compiled proofs, and what Coq said on the way."""
    folder = tmp_path_factory.mktemp("proofs")
    said = ""
    for name in FILES:
        shutil.copy(ROOT / "proofs" / name, folder)
        done = coqc(folder, name)
        assert done.returncode == 0, done.stderr
        said += done.stdout
    return folder, said


def test_every_file_is_checked_and_none_leaves_a_gap() -> None:
    assert {path.name for path in (ROOT / "proofs").glob("*.v")} == set(FILES)
    for name in FILES:
        assert not re.search(UNPROVED, (ROOT / "proofs" / name).read_text(encoding="utf-8")), name


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_without_coq_make_says_what_is_missing(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    make = shutil.which("make")
    assert make is not None
    done = subprocess.run(
        [make, "proofs"],
        cwd=tmp_path,
        env={"PATH": str(tmp_path), "LC_ALL": "C"},
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode != 0
    assert done.stdout == ""
    first, *rest = done.stderr.splitlines()
    assert first == "make proofs needs coqc: install Coq (Debian's package is coq)"
    assert len(rest) == 1, "only make's own line follows"


@has_coq
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_checks_every_file_and_git_tracks_nothing_of_it(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "proofs", tmp_path / "proofs", ignore=shutil.ignore_patterns("*.vo*"))
    for name in ("Makefile", ".gitignore"):
        shutil.copy(ROOT / name, tmp_path)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(["make", "proofs"], cwd=tmp_path, check=True, capture_output=True)
    assert {path.stem for path in (tmp_path / "proofs").glob("*.vo")} == {
        Path(name).stem for name in FILES
    }
    found = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard", "proofs"],
        cwd=tmp_path,
        check=True,
        text=True,
        capture_output=True,
    )
    assert set(found.stdout.split()) == {f"proofs/{name}" for name in (*FILES, "README.md")}


@has_coq
@pytest.mark.slow
def test_the_theorems_rest_on_the_axioms_of_the_library_alone(checked: tuple[Path, str]) -> None:
    asked, stated = [], set()
    for name in FILES:
        text = (ROOT / "proofs" / name).read_text(encoding="utf-8")
        asked += re.findall(r"^Print Assumptions (\w+)\.", text, re.MULTILINE)
        stated |= set(re.findall(r"^Theorem (\w+)", text, re.MULTILINE))
    assert len(stated) == 5
    assert stated <= set(asked)
    said = checked[1]
    assert len(re.findall(r"^Axioms:|^Closed under", said, re.MULTILINE)) == len(asked)
    found = set(re.findall(r"^([^\s:]+)(?: :|$)", said, re.MULTILINE))
    assert found <= LIBRARY, found - LIBRARY


@has_coq
@pytest.mark.slow
@pytest.mark.parametrize("claim", FALSE_CLAIMS)
def test_a_false_claim_is_refused(claim: str, checked: tuple[Path, str], tmp_path: Path) -> None:
    name, true, false = FALSE_CLAIMS[claim]
    text = (checked[0] / name).read_text(encoding="utf-8")
    assert text.count(true) == 1
    shutil.copy(checked[0] / "sums.vo", tmp_path)
    (tmp_path / name).write_text(text.replace(true, false), encoding="utf-8")
    done = coqc(tmp_path, name)
    assert done.returncode == 1
    assert "Syntax error" not in done.stderr
    place = re.search(r"line (\d+), characters .*\nError:", done.stderr)
    assert place is not None, done.stderr
    assert int(place[1]) > text[: text.index(true)].count("\n") + 1, (
        "the proof fails, not the claim"
    )
