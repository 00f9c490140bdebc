"""The statements of windows that slide: of rows that they share, and of the edge rows of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.emit.c_text import moved
from tinyml_rules.emit.names import Names
from tinyml_rules.emit.poison import after_task, after_use
from tinyml_rules.ir.program import Form, Step
from tinyml_rules.plan.packed_pieces import piece_of
from tinyml_rules.plan.state import kept_rings
from tinyml_rules.plan.tasks import Ring, Slide, Task


@dataclass(frozen=True)
class SlideStage:
    """An edge row of a step as C text: `edge` runs for row `rows[position]` of a window, as soon as
    `is_ready`."""

    position: int
    is_ready: str
    edge: tuple[str, ...]


@dataclass(frozen=True)
class SlideWords:
    """What templates/slide.c.j2 says.  `shared`: by C text that gives a shared row and the window
    that has it, counted from the newest one `back`, what runs for it; `moves`: of each ring that is
    kept, the place of its counter, the rows between two windows, and the capacity; `upper` and
    `lower`: the edge rows of each ring, first and end."""

    nodes: str
    hop: int
    rows: int
    in_flight: int
    upper_at: int
    rings: int
    moves: tuple[tuple[int, int, int], ...]
    window_height: int
    shared: tuple[tuple[str, tuple[str, ...]], ...]
    stages: tuple[SlideStage, ...]
    upper: tuple[tuple[int, int], ...]
    lower: tuple[tuple[int, int], ...]
    begin: tuple[str, ...]
    end: tuple[str, ...]
    row: str
    """C address of the slot for the row that is pushed now."""

    @property
    def calls(self) -> str:
        """All statements, which say what is needed of the functions that they call."""
        shared = [text for _, statements in self.shared for text in statements]
        edges = [text for each in self.stages for text in (each.is_ready, *each.edge)]
        return " ".join((self.row, *self.begin, *self.end, *shared, *edges))

    @property
    def edges_gather(self) -> bool:
        """Whether an edge row is made of several rows."""
        return any("gather_slid(" in text for each in self.stages for text in each.edge)

    @property
    def has_edges(self) -> bool:
        return bool(self.stages)


def slide_words(names: Names) -> SlideWords | None:
    """None for a model whose windows do not slide."""
    slide = names.schedule.slide
    if slide is None:
        return None
    return _Sliding(names, slide).words()


class _Sliding:
    """The first task of a schedule with windows that slide."""

    def __init__(self, names: Names, slide: Slide) -> None:
        self._names = names
        self._slide = slide
        self._task: Task = names.schedule.tasks[0]
        self._counters = {at: place for place, at in enumerate(kept_rings(names.schedule))}

    def words(self) -> SlideWords:
        names, slide, task = self._names, self._slide, self._task
        last, steps = task.steps[-1], task.steps
        begin: list[str] = []
        end: list[str] = []
        if last.kernel.form is Form.ROWS:
            sums, result = self._sums("0"), names.pointer(last.output)
            begin += names.marked(last, names.call(last, sums, suffix="_begin"))
            end += names.marked(last, names.call(last, self._sums("back"), result, suffix="_end"))
        end += after_task(names, 0)
        windows = [step.window.height for step in steps if _is_window(step) and step.window]
        return SlideWords(
            nodes=", ".join(str(step.node.index) for step in steps),
            hop=slide.hop,
            rows=slide.rows,
            in_flight=slide.in_flight,
            upper_at=slide.upper_at,
            rings=len(task.rings),
            moves=tuple(
                (place, self._apart(position), task.rings[position].capacity)
                for position, place in self._counters.items()
            ),
            window_height=max(windows, default=0),
            shared=tuple(self._shared_rows()),
            stages=tuple(map(self._stage, self._with_edges())),
            upper=tuple(_ends(each.upper) for each in slide.shared),
            lower=tuple(_ends(each.lower) for each in slide.shared),
            begin=tuple(begin),
            end=tuple(end),
            row=self._shared_row(0, f"{slide.hop - 1} - slide->until", back="0"),
        )

    def _apart(self, position: int) -> int:
        """Rows of a ring between two windows."""
        return self._slide.hop // self._slide.shared[position].stride

    def _sums(self, back: str) -> str:
        """The sums of a window."""
        names, count = self._names, self._task.steps[-1].sums
        slot = f"{names.prefix}slot(slide->newest - {back}, {self._slide.in_flight})"
        return moved(names.sums, f"{'slide->newest' if back == '0' else slot} * {count}")

    def _stage(self, place: int) -> SlideStage:
        names, step = self._names, self._task.steps[place]
        position = len(self._task.sources) + place
        row = f"rows[{position}]"
        inputs = [self._task.position(names.schedule.program.buffer_of(t)) for t in step.inputs]
        return SlideStage(
            position=position,
            is_ready=" && ".join(self._is_ready(step, row, at) for at in dict.fromkeys(inputs)),
            edge=tuple(names.marked(step, *self._edge(place, position))),
        )

    def _with_edges(self) -> Iterator[int]:
        """The places of steps that make rows for one window."""
        first = len(self._task.sources)
        for place in range(len(self._task.steps)):
            each = self._slide.shared[first + place]
            if each.upper or each.lower:
                yield place

    def _shared_rows(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Steps that make the same row one after the other are together."""
        found: list[tuple[str, list[str]]] = []
        for place, step in enumerate(self._task.steps):
            position = len(self._task.sources) + place
            each = self._slide.shared[position]
            if each.first >= each.end:
                continue
            limits = (each.stride, each.delay, each.first * each.stride, each.end * each.stride)
            row = f"{self._names.prefix}shared_row(slide, {', '.join(map(str, limits))}, &back)"
            if not found or found[-1][0] != row:
                found.append((row, []))
            found[-1][1].extend(self._names.marked(step, *self._shared(place, position)))
        yield from ((row, tuple(statements)) for row, statements in found)

    def _is_ready(self, step: Step, row: str, position: int) -> str:
        """Whether the edge rows of an input are there that a row reads."""
        needed = f"{row} + 1"
        if _is_window(step):
            window = f"{self._names.node(step)}.window"
            needed = f"{self._names.prefix}rows_needed({window}, {row})"
        return f"(rows[{position}] >= made[{2 * position + 1}] || rows[{position}] >= {needed})"

    def _shared(self, place: int, position: int) -> Iterator[str]:
        step = self._task.steps[place]
        if step.kernel.form is Form.ROWS:
            each = self._slide.shared[position]
            apart = self._apart(position)
            yield f"for (; back < slide->begun && row < {each.end}; back++, row += {apart}) {{"
            yield f"    {self._into_sums(step, self._inputs(step, 'row', is_edge=False))}"
            yield "}"
            return
        output = self._shared_row(position, "row")
        yield from self._row(step, "row", output, is_edge=False)

    def _edge(self, place: int, position: int) -> Iterator[str]:
        step, row = self._task.steps[place], f"rows[{position}]"
        if step.kernel.form is Form.ROWS:
            yield self._into_sums(step, self._inputs(step, row, is_edge=True), row)
            return
        edge = self._slide.shared[position].edge
        assert edge is not None, "a step with edge rows has a place for them"
        yield from self._row(step, row, self._slot_of(edge, row), is_edge=True)

    def _row(self, step: Step, row: str, output: str, *, is_edge: bool) -> Iterator[str]:
        """One row of a step at an address of bytes."""
        names = self._names
        scratch = map(names.buffer_address, self._task.workspace_of(step))
        if _is_window(step):
            (position,) = {self._position(tensor) for tensor in step.inputs}
            place = self._places(position, is_edge=is_edge)
            window = f"{names.node(step)}.window"
            yield f"{names.prefix}gather_slid({window}, {place}, {row}, window);"
            suffix = names.row_suffix(step)
            yield names.call(step, "window", output, *scratch, suffix=suffix)
            yield from after_use(names, self._task, step)
            return
        tensor = names.schedule.program.buffer_of(step.output)
        operands = [*self._inputs(step, row, is_edge=is_edge), names.elements(tensor, output)]
        yield names.call(step, *operands, *scratch, str(step.chunk))
        yield from after_use(names, self._task, step)

    def _inputs(self, step: Step, row: str, *, is_edge: bool) -> list[str]:
        """The same row of each input, as pointers to elements."""
        names, found = self._names, []
        for tensor in step.inputs:
            position = self._position(tensor)
            ring = self._task.rings[position]
            if is_edge:
                place = self._places(position, is_edge=True)
                address = f"{names.prefix}row_of({place}, {row}, {ring.row_bytes})"
            else:
                address = self._shared_row(position, row)
            found.append(names.elements(ring.tensor, address))
        return found

    def _into_sums(self, step: Step, inputs: list[str], row: str = "row") -> str:
        piece = piece_of(step, self._task, self._names.schedule.program)
        operands = [*inputs, f"{row} * {piece}", str(piece), self._sums("back")]
        return self._names.call(step, *operands, suffix="_row")

    def _position(self, tensor: int) -> int:
        return self._task.position(self._names.schedule.program.buffer_of(tensor))

    def _places(self, position: int, *, is_edge: bool) -> str:
        """Where rows of a ring are: shared ones, then edge rows and which of them there are."""
        names, ring, each = self._names, self._task.rings[position], self._slide.shared[position]
        capacity = ring.capacity if each.is_kept else 1
        shared = f"{names.address(ring.tensor)}, {capacity}, {self._start(position, 'back')}"
        if not is_edge or each.edge is None:
            return f"{shared}, 0, 1, {'made' if is_edge else names.prefix + 'none'}"
        edge = f"{names.buffer_address(each.edge.tensor)}, {each.edge.capacity}"
        return f"{shared}, {edge}, &made[{2 * position}]"

    def _start(self, position: int, back: str) -> str:
        """In which slot a window's first row is or was; what is not kept is at the ring's start."""
        if position not in self._counters:
            return "0"
        moved = "" if back == "0" else f" - {back} * {self._apart(position)}"
        return f"slide->start[{self._counters[position]}]{moved}"

    def _shared_row(self, position: int, row: str, back: str = "back") -> str:
        ring = self._task.rings[position]
        address = self._names.address(ring.tensor)
        if position not in self._counters or ring.capacity == 1:
            return address
        at = f"{self._start(position, back)} + {row}"
        return f"{self._names.prefix}at({address}, {ring.capacity}, {at}, {ring.row_bytes})"

    def _slot_of(self, edge: Ring, row: str) -> str:
        address = self._names.buffer_address(edge.tensor)
        if edge.capacity == 1:
            return address
        slot = row if edge.is_whole else f"{row} % {edge.capacity}"
        return moved(address, f"{slot if edge.is_whole else f'({slot})'} * {edge.row_bytes}")


def _is_window(step: Step) -> bool:
    return step.kernel.form is Form.WINDOW


def _ends(rows: range) -> tuple[int, int]:
    return (rows.start, rows.stop) if rows else (0, 0)
