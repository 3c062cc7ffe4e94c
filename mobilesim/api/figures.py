"""The figures of a report as Plotly figures."""

from typing import TYPE_CHECKING, Any

from mobilesim.errors import UserError

if TYPE_CHECKING:
    from mobilesim.analysis.summary.model import Summary

_TITLE_MARGIN = 60


class RunFigures:
    """The figures of the runs of one scenario. Each is a `plotly.graph_objects.Figure`; Plotly ships no types."""

    def __init__(self, summary: "Summary") -> None:
        self._summary = summary

    @property
    def delay(self) -> Any:  # noqa: ANN401
        """The parts of the mean delay by protocol."""
        return self._plot("breakdown", "breakdown", self._summary.parts)

    @property
    def distribution(self) -> Any:  # noqa: ANN401
        """The share of deliveries with at most each delay."""
        return self._plot("distribution", "distribution")

    @property
    def tail(self) -> Any:  # noqa: ANN401
        """The share of deliveries with a longer delay, on a logarithmic axis."""
        return self._plot("distribution", "tail")

    @property
    def handoff_times(self) -> Any:  # noqa: ANN401
        """The mean time of hand-offs."""
        return self._plot("handoff_times", "handoffs")

    @property
    def handoff_stages(self) -> Any:  # noqa: ANN401
        """The stages of hand-offs."""
        return self._plot("stages", "stages")

    @property
    def wired(self) -> Any:  # noqa: ANN401
        """The bytes per delivery on wired links by purpose."""
        return self._plot("traffic", "wired")

    @property
    def wireless(self) -> Any:  # noqa: ANN401
        """The bytes per delivery on wireless links by purpose."""
        return self._plot("traffic", "wireless")

    @property
    def energy(self) -> Any:  # noqa: ANN401
        """The energy per delivery by use."""
        return self._plot("energy", "energy")

    @property
    def unnecessary_delay(self) -> Any:  # noqa: ANN401
        """The inhibition: the time for which messages are held without a causal reason."""
        return self._plot("inhibition", "inhibition")

    def _plot(self, function: str, key: str, *arguments: object) -> Any:  # noqa: ANN401
        from mobilesim.analysis.figures import run_figures

        drawn = getattr(run_figures, function)(self._summary.protocols, *arguments)
        found = {figure.key: figure for figure in (drawn if isinstance(drawn, tuple) else (drawn,))}
        if key not in found:
            raise UserError(
                f"these runs have nothing to draw for {key!r}; there is {', '.join(found) or 'nothing else'}"
            )
        figure = found[key]
        # The page of a report has titles and legends of its own; a figure alone needs them.
        figure.plot.update_layout(title_text=figure.title, showlegend=True, margin_t=_TITLE_MARGIN)
        return figure.plot
