// The why panel: the path of the selected delivery, what it waited for, and the hand-offs meanwhile.

import { Fragment } from "preact";
import type { HandOff, Moves } from "./moves";
import { pathOf, type Step } from "./path";
import type { Tape } from "./tape";
import { clock, counted, duration, exact, nodeName, sentence } from "./words";

const LATEST = 5;
const MOST_AT_STATION = 4;

interface Properties {
  tape: Tape;
  moves: Moves;
  selection: number;
  select: (delivery: number) => void;
  moveTo: (row: number) => void;
}

export function WhyPanel(properties: Properties) {
  const { tape, selection } = properties;
  return (
    <section class="why" aria-labelledby="why-title">
      <div class="head">
        <h2 id="why-title">{selection < 0 ? "Why?" : `Why ${title(tape, selection)} took ${duration(tape, tape.deliveries.delay[selection])}`}</h2>
        {selection >= 0 && (
          <button type="button" onClick={() => properties.select(-1)}>Clear selection</button>
        )}
      </div>
      {selection < 0 ? <Suggestions {...properties} /> : <Explanation {...properties} />}
    </section>
  );
}

function title(tape: Tape, delivery: number): string {
  return `message ${tape.deliveries.message[delivery]} to h${tape.deliveries.host[delivery]}`;
}

function DeliveryLink({ tape, delivery, select }: { tape: Tape; delivery: number; select: Properties["select"] }) {
  return <button type="button" class="link" onClick={() => select(delivery)}>{title(tape, delivery)}</button>;
}

/** What one may select first: the slowest deliveries, and those that break causal order. */
function Suggestions({ tape, select }: Properties) {
  const { delay, overtaken, count, waited, blocker } = tape.deliveries;
  const order = (each: number) => waited.order[each] + waited.host[each];
  const all = Array.from({ length: count }, (_, index) => index);
  const slowest = all.filter((each) => !Number.isNaN(delay[each])).sort((one, other) => delay[other] - delay[one]);
  const held = all.filter((each) => order(each) > 0).sort((one, other) => order(other) - order(one));
  const broken = all.filter((each) => overtaken[each] >= 0);
  return (
    <>
      <p>Select a delivery in the table or in the diagram. The slowest ones:</p>
      <ul>
        {slowest.slice(0, LATEST).map((each) => (
          <li key={each}><DeliveryLink tape={tape} delivery={each} select={select} />, {duration(tape, delay[each])}</li>
        ))}
      </ul>
      {held.length > 0 && (
        <>
          <p>Those that waited longest for causal order:</p>
          <ul>
            {held.slice(0, LATEST).map((each) => (
              <li key={each}>
                <DeliveryLink tape={tape} delivery={each} select={select} />, {duration(tape, order(each))}
                {blocker[each] >= 0 && `, until message ${blocker[each]}`}
              </li>
            ))}
          </ul>
        </>
      )}
      {broken.length > 0 && (
        <>
          <p class="alarm">{counted(broken.length, "delivery")} before a causal predecessor:</p>
          <ul>
            {broken.slice(0, LATEST).map((each) => (
              <li key={each}>
                <DeliveryLink tape={tape} delivery={each} select={select} /> before message {overtaken[each]}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Explanation(properties: Properties) {
  const { tape, selection, select } = properties;
  const { sender, host, delay, overtaken, message } = tape.deliveries;
  const path = pathOf(tape, selection);
  const siblings = [...tape.deliveriesOf(message[selection])].filter((each) => each !== selection);
  const from = nodeName(tape, sender[selection]);
  const found = overlapsOf(tape, properties.moves, selection, path.steps);
  return (
    <>
      <p class="answer" id="why-answer">
        {Number.isNaN(delay[selection])
          ? "The message was sent before this part of the run, so its path is unknown."
          : `From ${from} to h${host[selection]} in ${duration(tape, delay[selection])}. ${longest(tape, path.steps)}${handOffWords(tape, selection, found)}`}
      </p>
      {overtaken[selection] >= 0 && <Overtaking {...properties} />}
      {path.steps.length > 0 && <PathTable {...properties} steps={path.steps} />}
      {path.others.length > 0 && (
        <details>
          <summary>{counted(path.others.length, "further frame")} of this message, lost or repeated</summary>
          <ul>
            {path.others.map((row) => (
              <li key={row}>{clock(tape, tape.columns.time[row])}: {sentence(tape, row)}</li>
            ))}
          </ul>
        </details>
      )}
      <HandOffs {...properties} found={found} />
      {siblings.length > 0 && (
        <p class="note">
          The same message to other receivers:{" "}
          {siblings.slice(0, 20).map((each, index) => (
            <span key={each}>
              {index > 0 && ", "}
              <button type="button" class="link" onClick={() => select(each)}>h{host[each]}</button> ({duration(tape, delay[each])})
            </span>
          ))}
          {siblings.length > 20 && ` and ${siblings.length - 20} more`}.
        </p>
      )}
    </>
  );
}

function longest(tape: Tape, steps: Step[]): string {
  if (!steps.length) return "";
  const step = steps.reduce((one, other) => (other.until - other.from > one.until - one.from ? other : one));
  return `The longest step took ${duration(tape, step.until - step.from)}: ${step.words}.`;
}

/** Says which causal predecessor was delivered later, or not at all. */
function Overtaking({ tape, selection, select }: Properties) {
  const { overtaken, host } = tape.deliveries;
  const missed = overtaken[selection];
  const later = tape.delivery(missed, host[selection]);
  return (
    <p class="alarm">
      This delivery breaks causal order: message {missed}, which is sent to the same host, happened before it, and
      {later < 0 ? " is not delivered in this part of the run." : <> is delivered later: <DeliveryLink tape={tape} delivery={later} select={select} />.</>}
    </p>
  );
}

function PathTable({ tape, selection, select, moveTo, steps }: Properties & { steps: Step[] }) {
  const { sent, delay, host } = tape.deliveries;
  const sum = steps.reduce((total, step) => total + step.until - step.from, 0);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Path of the delivery">
      <table id="path">
        <thead>
          <tr><th scope="col">after</th><th scope="col">length</th><th scope="col" class="words">step</th></tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <tr key={step.from} class={step.kind}>
              <td>
                {step.row >= 0 ? (
                  <button type="button" class="link" onClick={() => moveTo(step.row)}>{exact(tape, step.from - sent[selection])}</button>
                ) : (
                  exact(tape, step.from - sent[selection])
                )}
              </td>
              <td>{exact(tape, step.until - step.from)}</td>
              <td class="words">
                {step.words}
                {step.blocker >= 0 && <Blocker tape={tape} message={step.blocker} host={host[selection]} select={select} />}
                {step.kind === "wait" && step.blocker < 0 && tape.nameOf(step.row) === "order" && <AtStation tape={tape} step={step} />}
                <span class="share" style={{ width: `${(100 * (step.until - step.from)) / (delay[selection] || 1)}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr><td>sum</td><td id="path-sum">{exact(tape, sum)}</td><td class="words">the delay of the delivery</td></tr>
        </tfoot>
      </table>
    </div>
  );
}

/** The message that ended a wait. */
function Blocker({ tape, message, host, select }: { tape: Tape; message: number; host: number; select: Properties["select"] }) {
  const same = tape.delivery(message, host);
  const delivery = same >= 0 ? same : (tape.deliveriesOf(message)[0] ?? -1);
  return (
    <span class="blocker">
      , ended by {delivery < 0 ? `message ${message}` : <DeliveryLink tape={tape} delivery={delivery} select={select} />}
    </span>
  );
}

/** The phases of hand-offs at the station during a wait that no message ended. */
function AtStation({ tape, step }: { tape: Tape; step: Step }) {
  const { time } = tape.columns;
  const handoff = tape.number("handoff");
  const rows = [...tape.ofNode(step.node)].filter(
    (row) => tape.columns.event[row] === handoff && time[row] >= step.from && time[row] <= step.until,
  );
  if (!rows.length) return null;
  const shown = rows.slice(-MOST_AT_STATION);
  return (
    <ul class="note">
      {rows.length > shown.length && <li>{rows.length - shown.length} earlier phases of hand-offs here</li>}
      {shown.map((row) => (
        <li key={row}>{exact(tape, step.until - time[row])} before its end: {sentence(tape, row)}</li>
      ))}
    </ul>
  );
}

/** The hand-offs of sender and receiver during the delivery. */
function HandOffs({ tape, selection, moveTo, found }: Properties & { found: Overlap[] }) {
  const { host } = tape.deliveries;
  if (tape.header.stations === 0) return null;
  if (!found.length) return <p class="note" id="no-hand-off">No hand-off of the sender or the receiver overlaps this delivery.</p>;
  return (
    <>
      <h3>Hand-offs during this delivery</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="Hand-offs during this delivery">
        <table id="hand-offs">
          <thead>
            <tr>
              <th scope="col" class="words">host</th>
              <th scope="col">within the delay</th>
              <th scope="col">within its waits</th>
            </tr>
          </thead>
          <tbody>
            {found.map(({ handOff, inDelay, inWaits }) => (
              <Fragment key={`${handOff.host}-${handOff.left}`}>
                <tr class="joined">
                  <td class="words">h{handOff.host} ({handOff.host === host[selection] ? "receiver" : "sender"})</td>
                  <td>{exact(tape, inDelay)}</td>
                  <td>{exact(tape, inWaits)}</td>
                </tr>
                <tr>
                  <td class="words note" colSpan={3}><Phases tape={tape} handOff={handOff} moveTo={moveTo} /></td>
                </tr>
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** A hand-off, and how long it overlaps a delivery and the waits of this delivery. */
interface Overlap {
  handOff: HandOff;
  inDelay: number;
  inWaits: number;
}

/** Returns the hand-offs of sender and receiver; those with the longest common time with waits first. */
function overlapsOf(tape: Tape, moves: Moves, selection: number, steps: Step[]): Overlap[] {
  const { sender, host, sent, event } = tape.deliveries;
  const [start, end] = [sent[selection], tape.columns.time[event[selection]]];
  const hosts = [...new Set([sender[selection] - tape.header.stations, host[selection]])].filter((each) => each >= 0);
  const waits = steps.filter((step) => step.kind === "wait");
  return hosts
    .flatMap((each) => moves.during(each, start, end))
    .map((handOff) => ({
      handOff,
      inDelay: overlap(handOff, start, end),
      inWaits: waits.reduce((sum, wait) => sum + overlap(handOff, wait.from, wait.until), 0),
    }))
    .sort((one, other) => other.inWaits - one.inWaits || other.inDelay - one.inDelay);
}

/** Says which hand-off overlaps the waits of a delivery, if one does for a tenth of the delay. */
function handOffWords(tape: Tape, delivery: number, [first]: Overlap[]): string {
  if (!first || first.inWaits * 10 < tape.deliveries.delay[delivery]) return "";
  const host = `h${first.handOff.host}`;
  const what = first.handOff.disconnected ? `the disconnection of ${host}` : `a hand-off of ${host}`;
  return ` Its waits overlap ${what} for ${duration(tape, first.inWaits)}.`;
}

function overlap(handOff: HandOff, from: number, until: number): number {
  return Math.max(0, Math.min(handOff.end, until) - Math.max(handOff.start, from));
}

function Phases({ tape, handOff, moveTo }: { tape: Tape; handOff: HandOff; moveTo: Properties["moveTo"] }) {
  const after = (time: number) => `+${duration(tape, time - handOff.left)}`;
  const route = `${handOff.disconnected ? "disconnected at" : "left"} ${nodeName(tape, handOff.from)} at ${clock(tape, handOff.left)}`;
  return (
    <>
      {route}
      {handOff.to >= 0 && `, entered ${nodeName(tape, handOff.to)} ${after(handOff.entered)}`}
      {handOff.registered >= 0 && `, registered ${after(handOff.registered)}`}
      {handOff.phases.map((row) => (
        <span key={row}>
          ,{" "}
          <button type="button" class="link" onClick={() => moveTo(row)}>{tape.nameOf(row)}</button>
          {` ${after(tape.columns.time[row])} at ${nodeName(tape, tape.columns.node[row])}`}
        </span>
      ))}
    </>
  );
}
