"""The engine, compared with SimPy's environment: the same programs give the same outputs in the same order."""

import re
from collections.abc import Callable, Generator
from random import Random
from typing import Any, Final, TypeAlias

import pytest
import simpy
from simpy.events import URGENT

from mobilesim.simulation import engine as engine_module
from mobilesim.simulation.engine import Call, HeapqEngine, PairingHeapEngine, ScenarioCall, new_engine
from mobilesim.simulation.simpy_environment import SimpyEnvironment

Environment: TypeAlias = Any
Output: TypeAlias = list[tuple[object, ...]]
Event: TypeAlias = Any
Steps: TypeAlias = Generator[Any, Any, None]
NewEngine: TypeAlias = type[HeapqEngine | PairingHeapEngine]
Program: TypeAlias = Callable[[Environment, Output], object]


def stores(env: Environment, output: Output) -> None:
    store = simpy.Store(env, capacity=2)

    def produce() -> Steps:
        for item in range(6):
            yield store.put(item)
            output.append((env.now, "put", item))
            yield env.timeout(item % 2)

    def consume(name: str) -> Steps:
        for _ in range(3):
            item = yield store.get()
            output.append((env.now, name, item))
            yield env.timeout(2)

    env.process(produce())
    env.process(consume("a"))
    env.process(consume("b"))


def priority_stores(env: Environment, output: Output) -> None:
    store = simpy.PriorityStore(env)

    def take() -> Steps:
        for _ in range(4):
            output.append((env.now, (yield store.get())))

    for item in (3, 1, 2, 0):
        store.put(item)
    env.process(take())


def resources(env: Environment, output: Output) -> None:
    resource = simpy.PreemptiveResource(env, capacity=1)

    def use(name: str, priority: int, start: int) -> Steps:
        yield env.timeout(start)
        with resource.request(priority=priority) as turn:
            yield turn
            output.append((env.now, name, "has it"))
            try:
                yield env.timeout(5)
            except simpy.Interrupt as interrupt:
                output.append((env.now, name, "lost it", type(interrupt.cause).__name__))
        output.append((env.now, name, "is done"))

    for arguments in (("slow", 2, 0), ("patient", 2, 1), ("urgent", 0, 3)):
        env.process(use(*arguments))


def containers(env: Environment, output: Output) -> None:
    tank = simpy.Container(env, capacity=10, init=1)

    def draw() -> Steps:
        yield tank.get(7)
        output.append((env.now, "drawn", tank.level))

    def fill() -> Steps:
        for _ in range(4):
            yield env.timeout(3)
            yield tank.put(2)
            output.append((env.now, "filled", tank.level))

    env.process(draw())
    env.process(fill())


def conditions(env: Environment, output: Output) -> None:
    def wait() -> Steps:
        fast, slow = env.timeout(1, "fast"), env.timeout(4, "slow")
        first = yield fast | slow
        output.append((env.now, list(first.values())))
        both = yield fast & slow
        output.append((env.now, list(both.values())))
        output.append((env.now, list((yield env.all_of([])).values())))
        yield env.any_of([env.timeout(2), env.event()])
        output.append((env.now, "any"))

    env.process(wait())


def failures(env: Environment, output: Output) -> None:
    def fail() -> Steps:
        yield env.timeout(2)
        raise LookupError("nothing there")

    def watch(process: simpy.Process) -> Steps:
        try:
            yield process
        except LookupError as error:
            output.append((env.now, str(error)))
        event = env.event()
        event.fail(ValueError("failed"))
        try:
            yield env.all_of([event, env.timeout(9)])
        except ValueError as error:
            output.append((env.now, str(error)))

    env.process(watch(env.process(fail())))


def interrupts(env: Environment, output: Output) -> None:
    def sleep() -> Steps:
        while True:
            try:
                yield env.timeout(10)
            except simpy.Interrupt as interrupt:
                output.append((env.now, interrupt.cause))
                if interrupt.cause == "last":
                    return

    def wake(sleeper: simpy.Process) -> Steps:
        for cause in ("first", "last"):
            yield env.timeout(4)
            sleeper.interrupt(cause)
            output.append((env.now, "called", env.active_process is not None, sleeper.is_alive))

    env.process(wake(env.process(sleep())))


def priorities(env: Environment, output: Output) -> None:
    """Of the events at one time, urgent ones come first, and the others in the order of their requests."""
    for name, priority in (("a", 1), ("b", URGENT), ("c", 1), ("d", URGENT), ("e", 2)):
        event = env.event()
        event._ok, event._value = True, name
        event.callbacks.append(lambda event: output.append((env.now, event.value)))
        env.schedule(event, priority=priority, delay=3)


PROGRAMS: tuple[Program, ...] = (
    stores,
    priority_stores,
    resources,
    containers,
    conditions,
    failures,
    interrupts,
    priorities,
)


ENGINES: Final = (HeapqEngine, PairingHeapEngine)
"""Both queues run with and without a compiler. Which one a simulation has depends on the core."""

ADDRESS: Final = re.compile(r"0x[0-9a-f]+")


def output_of(env: Environment, program: Program, play: Callable[[Environment], object]) -> Output:
    """Return a program's output, its result or exception, and the final time."""
    output: Output = []
    program(env, output)
    try:
        output.append(("returned", play(env)))
    except Exception as error:  # noqa: BLE001 - any exception is compared
        output.append((type(error), ADDRESS.sub("", str(error)), type(error.__cause__)))
    return [*output, (env.now, env.peek())]


def assert_alike(program: Program, play: Callable[[Environment], object]) -> Output:
    environments = (*(SimpyEnvironment(engine()) for engine in ENGINES), simpy.Environment())
    *ours, simpys = (output_of(env, program, play) for env in environments)
    assert ours == [simpys] * len(ENGINES)
    return simpys


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_simpy_program_runs_as_in_simpys_environment(program: Program) -> None:
    assert len(assert_alike(program, lambda env: env.run())) > 2


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("until", (1, 3, 4, 6, 8))
def test_the_engine_stops_and_continues_at_simpys_times(program: Program, until: float) -> None:
    assert_alike(program, lambda env: (env.run(until=until), env.now, env.run()))


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_engine_steps_like_simpy(program: Program) -> None:
    def play(env: Environment) -> list[tuple[float, float]]:
        seen = []
        while env.peek() != float("inf"):
            seen.append((env.now, env.peek()))
            env.step()
        return seen

    assert_alike(program, play)


@pytest.mark.parametrize("program", PROGRAMS)
def test_advancing_by_steps_reaches_the_same_end(program: Program) -> None:
    def play(env: Environment) -> None:
        if not isinstance(env, SimpyEnvironment):
            env.run()
            return
        while env.engine.advance(3):
            pass

    assert_alike(program, play)


def nothing(_env: Environment, _output: Output) -> None:
    pass


def unhandled_failure(env: Environment, _output: Output) -> None:
    env.event().fail(ValueError("nobody caught this"))
    env.timeout(5)


ENDS: dict[str, Callable[[Environment], object]] = {
    "now": lambda env: env.run(until=0),
    "in the past": lambda env: env.run(until=-1),
    "with nothing to do": lambda env: env.step(),
    "an event that never comes": lambda env: env.run(until=env.event()),
    "an event": lambda env: env.run(until=env.timeout(3, "value")),
    "an event that has been": lambda env: [env.run(until=event) for event in [env.timeout(3, "value")] * 2],
    "a timeout in the past": lambda env: env.timeout(-1),
    "the same moment twice": lambda env: (env.run(until=7), env.run(until=7)),
}


@pytest.mark.parametrize("play", ENDS.values(), ids=ENDS)
def test_invalid_ends_are_refused_as_in_simpy_and_valid_ones_reached(play: Any) -> None:  # noqa: ANN401
    assert_alike(nothing, play)


def test_an_unhandled_failure_ends_the_run_as_in_simpy() -> None:
    output = assert_alike(unhandled_failure, lambda env: env.run())
    assert output[0] == (ValueError, "nobody caught this", ValueError)


def test_callbacks_after_the_end_run_on_continuation() -> None:
    def program(env: Environment, output: Output) -> None:
        def stop(event: Event) -> None:
            raise simpy.core.StopSimulation(event.value)

        event = env.timeout(2, "stopped")
        for callback in (lambda _: output.append(("first",)), stop, lambda _: output.append(("second",))):
            event.callbacks.append(callback)

    output = assert_alike(program, lambda env: (env.run(), env.run()))
    assert output[:2] == [("first",), ("second",)]


each_engine = pytest.mark.parametrize("new", ENGINES)


@each_engine
def test_calls_and_events_at_one_time_keep_the_order_of_their_requests(
    new: NewEngine,
) -> None:
    engine, output = new(), list[str]()
    engine.call_at(5, output.append, "call")
    SimpyEnvironment(engine).timeout(5).callbacks.append(lambda _: output.append("event"))
    engine.call_at(5, output.append, "another call")
    engine.call_at(4, output.append, "earlier")
    assert not engine.advance(100)
    assert output == ["earlier", "call", "event", "another call"]
    assert engine.processed == 4


@each_engine
def test_a_call_may_schedule_another_at_the_same_time(new: NewEngine) -> None:
    engine, output = new(), list[int]()

    def again(left: int) -> None:
        output.append(engine.time)
        if left:
            engine.call_at(engine.time, again, left - 1)

    engine.call_at(7, again, 3)
    assert not engine.advance(100)
    assert output == [7, 7, 7, 7]


@each_engine
def test_advancing_executes_a_number_of_steps_and_returns_whether_more_remain(
    new: NewEngine,
) -> None:
    engine, output = new(), list[int]()
    for moment in range(5):
        engine.call_at(moment, output.append, moment)
    assert engine.advance(3)
    assert output == [0, 1, 2]
    assert not engine.advance(3)
    assert engine.processed == 5


@each_engine
def test_a_failing_call_is_counted_and_later_calls_are_kept(new: NewEngine) -> None:
    engine, output = new(), list[int]()
    engine.call_at(1, [].pop, 0)
    engine.call_at(2, output.append, 2)
    with pytest.raises(IndexError):
        engine.advance(10)
    assert engine.processed == 1
    assert not engine.advance(10)
    assert output == [2]


@each_engine
def test_calls_of_the_scenario_do_not_run_after_its_end(new: NewEngine) -> None:
    engine, output = new(), list[str]()
    for moment in range(40):
        engine.call_at(moment, output.append, f"{moment}")
        engine.push(moment, ScenarioCall(output.append, f"{moment} of the scenario"))
    engine.advance(3)
    engine.end_scenario()
    assert not engine.advance(100)
    assert output == ["0", "0 of the scenario", *(f"{moment}" for moment in range(1, 40))]


@each_engine
def test_events_happen_in_the_order_of_times_priorities_and_scheduling(
    new: NewEngine,
) -> None:
    random = Random(7)
    engine, output = new(), list[tuple[int, int, int]]()

    def happen(name: tuple[int, int, int]) -> None:
        output.append(name)
        for _ in range(random.randrange(3) if len(output) < 3_000 else 0):
            time, priority = engine.time + random.randrange(20), random.choice((-1, 0, 1, 1, 1, 2))
            engine.push_prior(time, Call(happen, (time, priority, engine.scheduled)), priority)

    for _ in range(500):
        happen((0, 0, 0))
    del output[:]
    expected = []
    while (first := engine.next_time()) is not None:
        names: list[Any] = [event.argument for event in engine.events() if isinstance(event, Call)]
        expected.append(min(names))
        assert first == expected[-1][0]
        engine.advance(1)
    assert output == expected
    assert len(output) > 1_000


@each_engine
def test_a_fraction_of_a_nanosecond_is_refused(new: NewEngine) -> None:
    environment = SimpyEnvironment(new())
    with pytest.raises(ValueError, match=r"a delay of 0.5: the clock counts whole nanoseconds"):
        environment.timeout(0.5)


def test_pure_python_has_the_queue_of_heapq_and_the_compiled_core_the_pairing_heap() -> None:
    pure = engine_module.__file__.endswith(".py")
    assert type(new_engine()) is (HeapqEngine if pure else PairingHeapEngine)
