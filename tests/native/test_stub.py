"""`_native.pyi` says what the module has: the same names, and the same parameters."""

from __future__ import annotations

import ast
import enum
import re
from pathlib import Path
from typing import Any

import pytest

import tartib
from tartib import _native

pytestmark = pytest.mark.native

STUB = ast.parse((Path(tartib.__file__).parent / "_native.pyi").read_text(encoding="utf-8"))


def described(body: list[ast.stmt]) -> dict[str, Any]:
    """Return what a stub's body declares: the parameters of functions, the rest by its kind."""
    found: dict[str, Any] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            decorators = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            names = [argument.arg for argument in given if argument.arg != "self"]
            found[node.name] = "value" if "property" in decorators else names
        elif isinstance(node, ast.ClassDef):
            bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
            members = described(node.body)
            found[node.name] = sorted(members) if bases & {"Enum", "IntEnum"} else members
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = "value"
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = "member"
    return found


def names_in(signature: str) -> list[str]:
    """Return the names of the parameters in a signature such as ``def f(a: int, b: list[int])``."""
    inside = signature[signature.index("(") + 1 : signature.rindex(") ->")]
    while "[" in inside:
        inside = re.sub(r"\[[^\[\]]*\]", "", inside)
    given = [part.split(":")[0].split("=")[0].strip() for part in inside.split(",") if part]
    return [name for name in given if name not in ("self", "/", "*")]


def parameters(function: Any) -> list[str]:
    """Return the names of a native function's parameters, which all its overloads share."""
    first, *others = [names_in(signature) for signature, *_ in function.__nb_signature__]
    assert all(other == first for other in others), function
    return first


def found_in(holder: Any) -> dict[str, Any]:
    """Return what the module, or a class of it, has."""
    found: dict[str, Any] = {}
    for name, value in vars(holder).items():
        is_method = hasattr(value, "__nb_signature__")
        if name.startswith("_") and not (is_method and name in ("__init__", "__len__")):
            continue
        if isinstance(value, enum.EnumMeta):
            found[name] = sorted(value.__members__)
        elif isinstance(value, type):
            found[name] = found_in(value)
            made: Any = vars(value).get("__new__")
            if hasattr(made, "__nb_signature__"):  # a factory in place of a constructor
                found[name]["__init__"] = names_in(made.__nb_signature__[-1][0])[1:]
        elif is_method:
            found[name] = parameters(value)
        else:
            found[name] = "value"
    return found


def test_the_stub_is_true() -> None:
    declared = {name: what for name, what in described(STUB.body).items() if what != "member"}
    assert declared == found_in(_native)
