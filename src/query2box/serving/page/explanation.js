// Why an answer: the edges that speak for it, as a graph and in words.
import { post } from "./api.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { ReasonGraph } from "./reason.js";
import { percent, readable } from "./words.js";

export function Explanation({ asked, answer, onClose }) {
  const dialog = useRef(null);
  const [found, setFound] = useState(null);
  const [problem, setProblem] = useState(null);
  const [chosen, setChosen] = useState(0);

  useEffect(() => {
    dialog.current.showModal();
    const controller = new AbortController();
    post("explain", { query: asked.nodes, entity: answer.entity }, { signal: controller.signal })
      .then(setFound)
      .catch((error) => error.name !== "AbortError" && setProblem(error));
    return () => controller.abort();
  }, []);

  const reasons = found ? [found.best, ...found.runners_up] : [];
  const close = () => dialog.current.close();
  return html`<dialog
    ref=${dialog}
    class="explanation"
    aria-labelledby="why"
    onClose=${onClose}
    onClick=${(event) => event.target === dialog.current && close()}
  >
    <div class="sheet">
      <header>
        <h2 id="why">Why ${answer.label}?</h2>
        <button type="button" class="icon" aria-label="Close" onClick=${close}>
          <span aria-hidden="true">×</span>
        </button>
      </header>
      <p class="lead-in">
        ${answer.known
          ? "Known: it follows from stored edges."
          : `Predicted, with a probability of ${percent(answer.probability)}.`}
        ${found && !found.exact && " Only the likeliest values were tried; others may say more."}
      </p>
      ${problem && html`<p class="problem" role="alert">${problem.message}</p>`}
      ${!found && !problem && html`<p class="empty" role="status">Looking for reasons …</p>`}
      ${found &&
      html`${reasons.length > 1 &&
        html`<div class="choice reasons" role="group" aria-label="Reasons">
          ${reasons.map(
            (reason, number) => html`<button
              type="button"
              key=${number}
              aria-pressed=${number === chosen}
              onClick=${() => setChosen(number)}
            >
              ${number === 0 ? "Best reason" : `Runner-up ${number}`}
              <small>${percent(reason.probability)}</small>
            </button>`,
          )}
        </div>`}
        <${ReasonGraph} key=${chosen} reason=${reasons[chosen]} />
        <${Atoms} reason=${reasons[chosen]} />`}
    </div>
  </dialog>`;
}

const Atoms = ({ reason }) => html`<ul class="atoms">
  ${reason.atoms.map(
    (atom, number) => html`<li key=${number} class=${atom.known ? "known" : "predicted"}>
      <span>${atom.subject.label}</span>
      <em>${readable(atom.relation)}</em>
      <span>${atom.object.label}</span>
      <span class="kind">${atom.known ? "known" : `predicted, ${percent(atom.probability)}`}</span>
    </li>`,
  )}
</ul>`;
