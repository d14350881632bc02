"""The subset of SQL in which views are written, so that other engines give the same rows.

Every construct here was tried on DuckDB, Spark and Sail: some fail elsewhere, some silently differ.
"""

from collections.abc import Callable

from sqlglot import exp

_FLOATING = (exp.Avg, exp.Div, exp.Median, exp.PercentileCont, exp.Quantile, exp.Stddev, exp.Variance)
_INTEGER_TYPES = {exp.DType.BIGINT, exp.DType.INT, exp.DType.SMALLINT, exp.DType.UBIGINT, exp.DType.INT128}
_ROUNDED = (exp.Round, exp.Floor, exp.Ceil, exp.Trunc)


def _is_decimal(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and "." in node.name and "e" not in node.name


def _star(node: exp.Expr) -> bool:
    return isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count)


def _unrounded_cast(node: exp.Expr) -> bool:
    """A cast to an integer of something that computes in floating point."""
    if not isinstance(node, exp.Cast) or node.to.this not in _INTEGER_TYPES:
        return False
    inner = node.this.unnest()
    if isinstance(inner, _ROUNDED):
        return False
    return any(
        isinstance(part, _FLOATING) or _is_decimal(part) or _is_float_cast(part) for part in inner.walk()
    )


def _is_float_cast(node: exp.Expr) -> bool:
    return isinstance(node, exp.Cast) and node.to.this in {exp.DType.DOUBLE, exp.DType.FLOAT}


def _unguarded_division(node: exp.Expr) -> bool:
    if not isinstance(node, exp.Div | exp.IntDiv | exp.Mod):
        return False
    divisor = node.expression.unnest()
    while isinstance(divisor, exp.Cast):
        divisor = divisor.this.unnest()
    constant = isinstance(divisor, exp.Literal) and float(divisor.name) != 0
    return not constant and not isinstance(divisor, exp.Nullif)


def _decimal_division(node: exp.Expr) -> bool:
    return _is_decimal(node) and node.find_ancestor(exp.Div) is not None


def _names_no_table(node: exp.Expr) -> bool:
    if not isinstance(node, exp.Table):
        return False
    return not isinstance(node.this, exp.Identifier) or not node.name.isidentifier()


def _lateral_alias(node: exp.Expr) -> bool:
    """A SELECT that uses one of its own aliases in its list or WHERE; a qualified name is never an alias."""
    if not isinstance(node, exp.Select):
        return False
    aliased = {item.alias: item.this for item in node.expressions if isinstance(item, exp.Alias)}
    parts = [part for part in (*node.expressions, node.args.get("where")) if part is not None]
    return any(
        column.name in aliased and not column.table and not _mentions(aliased[column.name], column.name)
        for part in parts
        for column in part.find_all(exp.Column)
        if column.find_ancestor(exp.Select) is node
    )


def _mentions(node: exp.Expr, name: str) -> bool:
    """Whether the aliased expression reads a column of that name, which then is one of a table."""
    return any(column.name == name for column in node.find_all(exp.Column))


_Test = Callable[[exp.Expr], bool]


def _arg(kind: type[exp.Expr], name: str) -> _Test:
    return lambda node: isinstance(node, kind) and bool(node.args.get(name))


def _kind(*kinds: type[exp.Expr]) -> _Test:
    return lambda node: isinstance(node, kinds)


RULES: list[tuple[str, _Test]] = [
    ("SELECT *: name the columns", _star),
    ("COLUMNS(): name the columns", _kind(exp.Columns)),
    ("GROUP BY ALL: name the columns", _arg(exp.Group, "all")),
    (
        "GROUP BY by position: name the columns",
        lambda n: isinstance(n, exp.Group) and any(isinstance(e, exp.Literal) for e in n.expressions),
    ),
    ("ASOF JOIN: write ON a.start <= b.t AND b.t < a.start + a.dur", lambda n: _join_method(n) == "ASOF"),
    ("POSITIONAL JOIN: join on columns", lambda n: _join_method(n) == "POSITIONAL"),
    ("PIVOT: write sum(x) FILTER (WHERE c = 'a')", _kind(exp.Pivot)),
    ("UNION BY NAME: write the columns in one order", _arg(exp.SetOperation, "by_name")),
    ("WITH RECURSIVE: join or use window functions", _arg(exp.With, "recursive")),
    ("list comprehension: CROSS JOIN unnest(x) AS t(c)", _kind(exp.Comprehension)),
    ("slice: write substring(x, start, length), or x[i] for one element", _kind(exp.Slice)),
    (
        "ordered list(): write list_sort(list(DISTINCT x)), or max_by(x, y) for one element",
        lambda n: isinstance(n, exp.ArrayAgg) and isinstance(n.this, exp.Order),
    ),
    ("WITHIN GROUP: write quantile_cont(x, p)", _kind(exp.WithinGroup)),
    (
        "arg_max(x, y, n): write QUALIFY row_number() OVER (...) <= n",
        lambda n: isinstance(n, exp.ArgMax | exp.ArgMin) and bool(n.args.get("count")),
    ),
    (
        "regexp_replace without 'g': add 'g', or use regexp_extract(x, re, 1)",
        lambda n: isinstance(n, exp.RegexpReplace) and n.text("modifiers") != "g",
    ),
    (
        "log(x): write ln(x) or log10(x)",
        lambda n: isinstance(n, exp.Log) and n.args.get("expression") is None,
    ),
    ("a float cast to an integer: write CAST(round(x) AS BIGINT)", _unrounded_cast),
    ("a decimal literal in a division: write CAST(2.5 AS DOUBLE) or 2.5e0", _decimal_division),
    ("a divisor that may be 0: write nullif(x, 0)", _unguarded_division),
    (
        "date plus interval: compute with epoch integers",
        lambda n: isinstance(n, exp.Interval) and n.find_ancestor(exp.Add, exp.Sub, exp.DateAdd) is not None,
    ),
    (
        "an alias used beside its definition: use WITH, or qualify the name if a table has that column",
        _lateral_alias,
    ),
    ("a file or table function: views read tables only", _names_no_table),
    (
        "a comma between tables: write CROSS JOIN",
        lambda n: (
            isinstance(n, exp.Join)
            and not (n.kind or n.side or n.method or n.args.get("on"))
            and not n.args.get("using")
        ),
    ),
]


def violations(tree: exp.Expr) -> list[str]:
    """What of a parsed statement is outside of the subset: the construct, and what to write in its place."""
    nodes = list(tree.walk())
    return [message for message, broken in RULES if any(map(broken, nodes))]


def _join_method(node: exp.Expr) -> str:
    return node.method if isinstance(node, exp.Join) else ""
