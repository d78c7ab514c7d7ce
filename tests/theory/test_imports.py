"""The theory and its notebooks stay light: they never load torch."""

import json

import pytest
from commands import ROOT, python


def test_theory_and_ledger_do_not_import_torch():
    code = (
        "import sys, bandits.theory, bandits.theory.claims; "
        "print(sorted(m for m in sys.modules if m.split('.')[0] in ('torch', 'torchvision')))"
    )
    assert python("-c", code).stdout == "[]\n"


@pytest.mark.parametrize("name", ["03_the_lemma", "04_the_bounds", "05_what_is_true"])
def test_notebooks_import_no_torch_and_are_stored_as_executed(name):
    notebook = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in cells]
    text = "\n".join(line for source in sources for line in source.splitlines())
    imported = [line for line in text.splitlines() if line.startswith(("import ", "from "))]
    code = "\n".join([*imported, "import sys; print('torch' in sys.modules)"])
    assert python("-c", code, cwd=ROOT).stdout == "False\n"
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert all(output.get("name", "stdout") == "stdout" for output in outputs)
