"""The kinds of operators, as helpers that make rows: what a kind carries, its rows need not say.

    elementwise("tanh", "x", type=from_numpy(np.tanh), meaning=np.tanh, partials=["1.0 - out * out"], samples="reals")

Elementwise rows broadcast, and the cotangent of an operand is folded back to the operand's shape (`cotangents.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from ..types import Type
from .raising import Raises, never
from .schema import LINEAR, Fold, Operator, Precedence, TypeRule, declare
from .type_rules import DtypeRule, broadcast, dims_of, real_only, shaped
from .works_in import WorksIn, as_result


def broadcasting(name: str, dtype: DtypeRule, of_complex: str) -> TypeRule:
    """The type rule of elementwise rows: this dtype in the shape that the operands broadcast to."""

    @lru_cache(maxsize=512)
    def of_types(types: tuple[Type, ...]) -> Type:
        result, weak = dtype(name, types)
        if not of_complex:
            real_only(name, types)
        return shaped(result, broadcast(*map(dims_of, types)), weak)

    def rule(types: Sequence[Type]) -> Type:
        return of_types(tuple(types))

    return rule


def elementwise(
    name: str,
    operands: str,
    *,
    type: DtypeRule,
    meaning: Callable[..., object],
    partials: Sequence[object],
    samples: str,
    spelling: str = "",
    scalar_spelling: str = "",
    precedence: Precedence | None = None,
    cpu: str = "",
    work: str = "function",
    works_in: WorksIn = as_result,
    raises: Raises = never,
    of_complex: str = "",
    python: tuple[str, ...] | None = None,
    **more: object,
) -> Operator:
    """A function of numbers, applied to each element; printed `np.name(...)` by default."""
    names = tuple(operands.replace(",", " ").split())
    return declare(
        Operator(
            name=name,
            kind="elementwise",
            operands=names,
            type_rule=broadcasting(spoken(name, spelling, precedence), type, of_complex),
            meaning=meaning,
            spelling=spelling or f"np.{name}({', '.join('{' + n + '}' for n in names)})",
            scalar_spelling=scalar_spelling,
            precedence=precedence,
            partials=tuple(partials),
            cpu=cpu,
            work=work,
            works_in=works_in,
            raises=raises,
            of_complex=of_complex,
            samples=samples,
            python=(f"numpy.{name}",) if python is None else python,
            **more,  # type: ignore[arg-type]
        )
    )


def spoken(name: str, spelling: str, precedence: Precedence | None) -> str:
    """What messages call an operator: its sign where it is written with one, else its name."""
    if precedence is None:
        return name
    return spelling.replace("{x}", "").replace("{y}", "").strip()


def infix(name: str, sign: str, precedence: Precedence, work: str = "light", **row: object) -> Operator:
    """An elementwise row of two operands that is written with a sign between them."""
    spelling = f"{{x}} {sign} {{y}}"
    return elementwise(name, "x, y", spelling=spelling, precedence=precedence, work=work, **row)  # type: ignore[arg-type]


def prefix(name: str, sign: str, work: str = "light", **row: object) -> Operator:
    """An elementwise row of one operand that is written with a sign before it."""
    spelling = f"{sign}{{x}}"
    return elementwise(name, "x", spelling=spelling, precedence=Precedence.PREFIX, work=work, **row)  # type: ignore[arg-type]


def reduction(
    name: str, *, type: TypeRule, meaning: Callable[..., object], vjp: object, samples: str, fold: Fold,
    raises: Raises = never, linear: str = "", jvp: Callable[..., object] | None = None,
    series: Callable[..., object] | None = None, taken: tuple[object, ...] = (),
) -> Operator:  # fmt: skip
    """Elements are combined along axes."""
    return declare(
        Operator(
            name=name,
            kind="reduction",
            operands=("x",),
            static={"axis": None, "keepdims": False},
            type_rule=type,
            meaning=meaning,
            spelling=f"np.{name}({{x}}, axis={{axis}}, keepdims={{keepdims}})",
            vjp=(vjp,),
            linear=linear,
            jvp=jvp,
            series=series,
            taken=taken,
            raises=raises,
            is_light=False,
            fold=fold,
            samples=samples,
            python=(f"numpy.{name}",),
        )
    )


def plain(kind: str) -> Callable[..., Operator]:
    """Rows of this kind say everything themselves."""

    def make(
        name: str,
        operands: str,
        *,
        type: TypeRule,
        meaning: Callable[..., object],
        spelling: str,
        samples: str,
        vjp: Sequence[object],
        static: Mapping[str, object] | None = None,
        linear: str | None = None,
        jvp: Callable[..., object] | None = None,
        **more: object,
    ) -> Operator:
        by_kind = LINEAR.get(kind, "") if jvp is None and any(vjp) else ""
        return declare(
            Operator(
                name=name,
                kind=kind,
                operands=tuple(operands.replace(",", " ").split()),
                static=dict(static or {}),
                type_rule=type,
                meaning=meaning,
                spelling=spelling,
                samples=samples,
                vjp=tuple(vjp),
                linear=by_kind if linear is None else linear,
                jvp=jvp,
                **more,  # type: ignore[arg-type]
            )
        )

    return make


def collective(
    name: str, operands: str, *, type: TypeRule, meaning: Callable[..., object], batch: Callable[..., object],
    static: Mapping[str, object] | None = None, **more: object,
) -> Operator:  # fmt: skip
    """Takes the values of all examples along a named axis."""
    own = {**(static or {}), "axis_name": ...}
    words = ", ".join([*(f"{{{n}}}" for n in operands.split()), *(f"{n}={{{n}}}" for n in own)])
    return declare(
        Operator(
            name=name,
            kind="collective",
            operands=tuple(operands.split()),
            static=own,
            type_rule=type,
            meaning=meaning,
            spelling=f"pellucid.support.{name}({words})",
            is_light=False,
            batch=batch,
            samples="collectives",
            **more,  # type: ignore[arg-type]
        )
    )


structural, creation, contraction, library = map(plain, ("structural", "creation", "contraction", "library"))
