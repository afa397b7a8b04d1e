"""The command line as a person or a script meets it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from host_api.cli import main


def invoke(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_run_as_json(dtype):
    result = invoke(
        "run", "softplus_v2_grad", "--shape", "4,2", "--dtype", dtype, "--beta", "1.1", "--threshold", "1.2", "--json"
    )
    assert result.exit_code == 0, result.output
    shown = json.loads(result.stdout)
    assert shown["status"] == "success"
    assert shown["mismatches"] == 0
    assert shown["max_ulp"] <= 3
    assert shown["max_abs_error"] < 1e-2
    assert shown["seconds"] > 0
    assert shown["tiling"]["split"] == {"axis": 2, "a_i": 4, "a_o": 1, "a_i_tail": 4}


def test_run_as_a_table():
    result = invoke("run", "softplus_v2_grad", "--shape", "300,700", "--soc", "ascend950", "--cores", "8")
    assert result.exit_code == 0
    for words in ("8 of 8", "segment(s)", "ULP (limit 3)", "0 of 210000", "cycles"):
        assert words in result.output


def test_the_seed_decides_the_data():
    def error(seed):
        arguments = ("run", "softplus_v2_grad", "--shape", "1000", "--seed", str(seed), "--json")
        return json.loads(invoke(*arguments).stdout)["max_abs_error"]

    assert error(1) == error(1) != error(2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--shape", "4,x"), "4,x"),
        (("--shape", "4,-2"), "negative"),
        (("--shape", "1000000,1000000"), "at most"),
        (("--shape", "4", "--dtype", "int8"), "int8"),
        (("--shape", "4", "--soc", "Ascend95"), "did you mean Ascend950"),
        (("--shape", "1,1,1,1,1,1,1,1,2"), "9"),
        (("--shape", "4", "--ub-bytes", "64"), "ub_bytes = 64"),
        (("--shape", "4", "--ub-bytes", "300000"), "262144"),
        (("--shape", "0"), "FindSplitAxis"),
        (("--shape", "4", "--soc", "Ascend910B"), "kernel for Ascend950 only"),
        (("--shape", "4", "--cores", "0"), "cores is 0"),
    ],
)
def test_refusals_are_one_line_and_exit_with_two(arguments, words):
    result = invoke("run", "softplus_v2_grad", *arguments)
    assert result.exit_code == 2
    assert words in result.output
    assert "Traceback" not in result.output


def test_info_lists_socs_and_instructions_with_sources():
    result = invoke("info")
    assert result.exit_code == 0
    for words in ("Ascend910B4-1", "dav-2201", "nddma", "reg.exp", "guess", "documented"):
        assert words in result.output


def test_info_on_one_soc_and_one_instruction():
    assert "small_load" in invoke("info", "--soc", "Ascend950").output
    shown = invoke("info", "--instruction", "reg.select").output
    assert "Select.md" in shown
    assert invoke("info", "--instruction", "bogus").exit_code == 2


def test_the_official_example_prints_its_eight_values():
    script = Path(__file__).parents[2] / "examples" / "softplus_backward.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    values = [float(line.split(": ")[1]) for line in done.stdout.splitlines()]
    assert values == [0.052747, 0.110956, 0.174528, 0.243304, 0.317068, 0.395556, 0.478465, 0.565458]


def test_importing_the_emulator_leaves_numba_alone():
    code = "import sys, emulator, host_api.cli; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
