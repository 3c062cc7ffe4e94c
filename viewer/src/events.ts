// Steps from one event to the next, for buttons and keys.

import { pathOf } from "./path";
import type { State } from "./state";
import { lowerBound, type Tape } from "./tape";

/** Returns the events through which keys step: of the selected delivery, of one node, or all. */
export function eventsOf(tape: Tape, state: State, node: number): ArrayLike<number> | null {
  if (node >= 0) return tape.ofNode(node);
  if (state.selection < 0) return null;
  const { event, message, host } = tape.deliveries;
  const path = pathOf(tape, state.selection);
  const sent = [...tape.ofMessage.of(message[state.selection])].filter(
    (row) => tape.kindOf(row) === "submitted" && tape.columns.host[row] === host[state.selection],
  );
  const rows = [...sent, ...path.steps.map((step) => step.row), ...path.others, event[state.selection]];
  const known = [...new Set(rows.filter((row) => row >= 0))];
  return known.sort((one, other) => one - other);
}

/** Returns the next or the previous event, or -1. `cursor`: the present event, or -1. */
export function steppedTo(tape: Tape, state: State, node: number, cursor: number, forward: boolean): number {
  const rows = eventsOf(tape, state, node);
  const { time } = tape.columns;
  const atCursor = cursor >= 0 && time[cursor] === state.time;
  const after = atCursor ? cursor + 1 : tape.firstFrom(forward ? state.time + 1e-6 : state.time);
  if (!rows) {
    const row = forward ? after : (atCursor ? cursor : after) - 1;
    return row >= 0 && row < tape.length ? row : -1;
  }
  const at = forward ? lowerBound(rows, after) : lowerBound(rows, atCursor ? cursor : after) - 1;
  return at >= 0 && at < rows.length ? rows[at] : -1;
}
