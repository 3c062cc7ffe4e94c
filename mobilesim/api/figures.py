"""The figures of a report as Plotly figures."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mobilesim.analysis.summary.model import Summary


class RunFigures:
    """The figures of the runs of one scenario. Each is a `plotly.graph_objects.Figure`; Plotly ships no types."""

    def __init__(self, summary: "Summary") -> None:
        self._summary = summary

    @property
    def delay(self) -> Any:  # noqa: ANN401
        """The parts of the mean delay by protocol."""
        return self._plot("breakdown", self._summary.parts)

    @property
    def distribution(self) -> Any:  # noqa: ANN401
        """The cumulative distribution of delays."""
        return self._plot("distribution")

    @property
    def handoff_times(self) -> Any:  # noqa: ANN401
        """The mean time of hand-offs."""
        return self._plot("handoff_times")

    @property
    def handoff_stages(self) -> Any:  # noqa: ANN401
        """The stages of hand-offs."""
        return self._plot("stages")

    @property
    def traffic(self) -> Any:  # noqa: ANN401
        """The bytes per delivery by purpose."""
        return self._plot("traffic")

    @property
    def energy(self) -> Any:  # noqa: ANN401
        """The energy per delivery by radio state."""
        return self._plot("energy")

    @property
    def unnecessary_delay(self) -> Any:  # noqa: ANN401
        """The inhibition: the time for which messages are held without a causal reason."""
        return self._plot("inhibition")

    def _plot(self, name: str, *arguments: object) -> Any:  # noqa: ANN401
        from mobilesim.analysis.figures import run_figures

        return getattr(run_figures, name)(self._summary.protocols, *arguments).plot
