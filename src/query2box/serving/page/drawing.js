// Boxes and points as an SVG: the current step in colour, the ones before it pale.
import { html, useMemo } from "./html.js";
import { cut } from "./words.js";

const WIDTH = 640;
const HEIGHT = 420;
const MARGIN = 34;
const LETTER = 7.6;

export function BoxDrawing({ steps, current, axes }) {
  const scale = useMemo(() => scaleOf(steps), [steps]);
  const seen = before(steps, current);
  const { nearest } = steps[current];
  const labels = namesThatFit(nearest, scale);
  return html`<figure class="drawing">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${spoken(steps[current])}>
      <text class="axis" x=${WIDTH - 8} y=${HEIGHT - 8} text-anchor="end">${`${axes[0]} →`}</text>
      <text class="axis" x="10" y="20">${`↑ ${axes[1]}`}</text>
      ${steps.map((step, number) =>
        number === current || seen.has(number)
          ? html`<${Box}
              key=${number}
              step=${step}
              scale=${scale}
              name=${number === current ? "current" : "before"}
              number=${number + 1}
            />`
          : null,
      )}
      ${nearest.map(({ entity, label, at, distance }, place) => {
        const [x, y] = scale(at);
        return html`<g key=${entity} class="near ${place < 3 ? "first" : ""}">
          <title>${`${label}, at distance ${distance.toFixed(2)}`}</title>
          <circle cx=${x} cy=${y} r=${place < 3 ? 5 : 4} />
          ${labels.has(entity) && html`<text x=${x + 8} y=${y + 4}>${labels.get(entity)}</text>`}
        </g>`;
      })}
    </svg>
    <figcaption>
      ${nearest.length > 0
        ? `Nearest: ${nearest.slice(0, 6).map(({ label }) => label).join(", ")}`
        : "No entity is near."}
    </figcaption>
  </figure>`;
}

function Box({ step, scale, name, number }) {
  const [left, bottom] = scale(step.lower);
  const [right, top] = scale(step.upper);
  if (step.kind === "entity") {
    return html`<g class="point ${name}">
      <title>${`Step ${number}: ${step.name}`}</title>
      <path d="M ${left - 7} ${top} h 14 M ${left} ${top - 7} v 14" />
    </g>`;
  }
  // A box may be flat; so that it can be seen, it has a least size.
  const width = Math.max(right - left, 2);
  const height = Math.max(bottom - top, 2);
  return html`<g class="box ${name} ${step.kind}">
    <title>${`Step ${number}`}</title>
    <rect x=${left} y=${top} width=${width} height=${height} rx="3" />
    <text x=${left + 7} y=${top + 16}>${number}</text>
  </g>`;
}

// The steps that lead to one.
function before(steps, current) {
  const found = new Set();
  const pending = [...steps[current].inputs];
  while (pending.length) {
    const number = pending.pop();
    if (!found.has(number)) pending.push(...steps[number].inputs);
    found.add(number);
  }
  return found;
}

function scaleOf(steps) {
  const all = steps.flatMap((step) => [step.lower, step.upper, ...step.nearest.map(({ at }) => at)]);
  const spans = [0, 1].map((axis) => {
    const values = all.map((point) => point[axis]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return high > low ? [low, high] : [low - 1, high + 1];
  });
  const on = (value, [low, high], size) => MARGIN + ((value - low) / (high - low)) * (size - 2 * MARGIN);
  return ([x, y]) => [on(x, spans[0], WIDTH), HEIGHT - on(y, spans[1], HEIGHT)];
}

// The nearest come first; a name that would lie on another one is left to the tooltip.
function namesThatFit(nearest, scale) {
  const taken = nearest.map(({ at }) => {
    const [x, y] = scale(at);
    return [x - 5, y - 5, x + 5, y + 5];
  });
  const names = new Map();
  for (const { entity, label, at } of nearest) {
    const [x, y] = scale(at);
    const text = cut(label, 22);
    const room = [x + 8, y - 7, x + 8 + LETTER * text.length, y + 6];
    const free = taken.every(
      ([left, top, right, bottom]) =>
        room[0] > right || room[2] < left || room[1] > bottom || room[3] < top,
    );
    if (!free || room[2] > WIDTH) continue;
    taken.push(room);
    names.set(entity, text);
  }
  return names;
}

const spoken = (step) =>
  step.kind === "entity" ? `${step.name}, a point` : `A box, and the entities nearest to it`;
