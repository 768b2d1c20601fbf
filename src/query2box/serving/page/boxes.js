// "See the boxes": the steps of a question's computation in two dimensions.
import { post } from "./api.js";
import { BoxDrawing } from "./drawing.js";
import { html, useEffect, useId, useState } from "./html.js";
import { percent, readable } from "./words.js";

export function Boxes({ asked }) {
  const [dimensions, setDimensions] = useState(null);
  const [found, setFound] = useState(null);
  const [problem, setProblem] = useState(null);
  const [step, setStep] = useState(0);

  useEffect(() => {
    const controller = new AbortController();
    setProblem(null);
    const body = { query: asked.nodes, ...(dimensions && { dimensions }) };
    post("boxes", body, { signal: controller.signal })
      .then((document) => {
        setFound(document);
        setStep((before) => (found === null ? document.steps.length - 1 : before));
      })
      .catch((error) => error.name !== "AbortError" && setProblem(error));
    return () => controller.abort();
  }, [dimensions]);

  if (problem) return html`<p class="problem" role="alert">${problem.message}</p>`;
  if (!found) return html`<p class="empty" role="status">Computing the boxes …</p>`;
  const { steps } = found;
  const current = steps[step];
  return html`<section class="boxes" aria-label="The boxes">
    <div class="bar">
      <div class="stepper">
        <button type="button" class="icon" aria-label="Step back" disabled=${step === 0}
          onClick=${() => setStep(step - 1)}><span aria-hidden="true">‹</span></button>
        <input type="range" aria-label="Step" min="0" max=${steps.length - 1} value=${step}
          aria-valuetext=${`Step ${step + 1}: ${told(current, steps)}`}
          onInput=${(event) => setStep(Number(event.target.value))} />
        <button type="button" class="icon" aria-label="Step on" disabled=${step === steps.length - 1}
          onClick=${() => setStep(step + 1)}><span aria-hidden="true">›</span></button>
      </div>
      <${Dimensions} count=${found.dim} chosen=${dimensions} onChange=${setDimensions} />
    </div>
    <p class="step" role="status">
      <b>${`Step ${step + 1} of ${steps.length}.`}</b> ${told(current, steps)}
    </p>
    <${BoxDrawing} steps=${steps} current=${step} axes=${found.axes.map(axisName)} />
    <ol class="steps">
      ${steps.map(
        (one, number) => html`<li key=${number}>
          <button type="button" aria-current=${number === step ? "step" : undefined}
            onClick=${() => setStep(number)}>
            <span class="number">${number + 1}</span>
            <span class="what ${one.kind}">${nameOf(one)}</span>
            ${one.ends && html`<span class="kind">answer</span>`}
          </button>
        </li>`,
      )}
    </ol>
  </section>`;
}

function Dimensions({ count, chosen, onChange }) {
  const id = useId();
  const field = (place) => html`<input
    type="number"
    aria-label=${place ? "Second dimension" : "First dimension"}
    min="0"
    max=${count - 1}
    value=${chosen[place]}
    onChange=${(event) => {
      const number = Number(event.target.value);
      if (Number.isInteger(number) && number >= 0 && number < count) onChange(chosen.with(place, number));
    }}
  />`;
  return html`<div class="dimensions">
    <label for=${id}>Seen along</label>
    <select
      id=${id}
      value=${chosen ? "chosen" : "principal"}
      onChange=${(event) =>
        onChange(event.target.value === "chosen" ? [0, Math.min(1, count - 1)] : null)}
    >
      <option value="principal">principal directions</option>
      <option value="chosen">dimensions</option>
    </select>
    ${chosen && html`${field(0)}${field(1)}`}
  </div>`;
}

const axisName = (axis, place) =>
  "dimension" in axis
    ? `dimension ${axis.dimension}`
    : `${place ? "second" : "first"} principal direction, ${percent(axis.share)} of the spread`;

const nameOf = (step) => (step.kind === "projection" ? readable(step.name) : step.name);

function told(step, steps) {
  if (step.kind === "entity") return `${step.name} is a point.`;
  const from = step.inputs.map((number) => number + 1);
  if (step.kind === "projection") {
    const [way, name] = step.name.startsWith("^")
      ? ["backwards along", readable(step.name.slice(1))]
      : ["along", readable(step.name)];
    const begun = steps[step.inputs[0]];
    const start = begun.kind === "entity" ? begun.name : `the box of step ${from[0]}`;
    return `From ${start} ${way} “${name}”: the relation moves and widens it.`;
  }
  return `What the boxes of steps ${from.slice(0, -1).join(", ")} and ${from.at(-1)} have in common.`;
}
