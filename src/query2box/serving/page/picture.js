// The question as a picture: what is named on the left, what is asked for on the right.
import { html } from "./html.js";
import { layers } from "./layers.js";
import { cut, readable } from "./words.js";

const COLUMN = 215;
const ROW = 62;
const HALF = { target: 17, variable: 8, or: 15, and: 15, entity: 66 };
const LONGEST = 16;

export function Picture({ graph }) {
  const { terms, atoms } = graph;
  const { places, columns, rows } = layers([0], atoms.map((atom) => [atom.source, atom.destination]));
  const at = (term) => {
    const { column, row } = places.get(term);
    return { x: 76 + column * COLUMN, y: 34 + row * ROW };
  };
  const width = (columns - 1) * COLUMN + 76 + 30;
  const height = Math.max(rows - 1, 0) * ROW + 68;
  return html`<div class="picture" tabindex="0" role="region" aria-label="The question as a picture">
    <svg viewBox="0 0 ${width} ${height}" width=${width} height=${height} role="img">
      <title>${spoken(terms, atoms)}</title>
      <defs>
        <marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8"
          orient="auto-start-reverse">
          <path class="tip" d="M 0 0 L 8 4 L 0 8 z" />
        </marker>
      </defs>
      ${atoms.map((atom, number) => html`<${Lead} key=${`a${number}`} atom=${atom} terms=${terms} at=${at} />`)}
      ${terms.map((term, number) => html`<${Term} key=${`t${number}`} term=${term} ...${at(number)} />`)}
    </svg>
  </div>`;
}

function Lead({ atom, terms, at }) {
  const from = at(atom.source);
  const to = at(atom.destination);
  const start = from.x + HALF[terms[atom.source].kind];
  const end = to.x - HALF[terms[atom.destination].kind];
  const bend = Math.min((end - start) / 2, 60);
  const path = `M ${start} ${from.y} C ${start + bend} ${from.y} ${end - bend} ${to.y} ${end} ${to.y}`;
  if (atom.relation === null) return html`<path class="link" d=${path} />`;
  const tip = atom.forward ? { "marker-end": "url(#tip)" } : { "marker-start": "url(#tip)" };
  return html`<g>
    <path class="lead" d=${path} ...${tip} />
    <text class="relation" x=${(start + end) / 2} y=${(from.y + to.y) / 2 - 7}>
      <title>${readable(atom.relation)}</title>
      ${cut(readable(atom.relation), LONGEST)}
    </text>
  </g>`;
}

function Term({ term, x, y }) {
  if (term.kind === "entity") {
    const half = HALF.entity;
    return html`<g class="entity">
      <title>${term.label}</title>
      <rect x=${x - half} y=${y - 16} width=${2 * half} height="32" rx="16" />
      <text x=${x} y=${y + 5}>${cut(term.label, LONGEST)}</text>
    </g>`;
  }
  const text = { target: "?", or: "or", and: "and", variable: "" }[term.kind];
  return html`<g class=${term.kind}>
    <circle cx=${x} cy=${y} r=${HALF[term.kind]} />
    <text x=${x} y=${y + 5}>${text}</text>
  </g>`;
}

const spoken = (terms, atoms) => {
  const named = terms.filter((term) => term.kind === "entity").map((term) => term.label);
  const relations = atoms.filter((atom) => atom.relation !== null);
  return `From ${named.join(", ")} over ${relations.map((atom) => readable(atom.relation)).join(", ")} to what is asked for`;
};
