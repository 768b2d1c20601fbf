// About the graph: how large it is, and how wide its relations are.
import { html, useMemo, useState } from "./html.js";
import { readable } from "./words.js";

const COLUMNS = [
  ["relation", "Relation"],
  ["edges", "Edges"],
  ["box_size", "Box size"],
  ["answers", "Objects"],
  ["inverse_box_size", "Box size, inverse"],
  ["inverse_answers", "Subjects"],
];

export function AboutGraph({ graph, relations }) {
  const { statistics, model, name } = graph;
  const figures = [
    ["Entities", statistics.entities],
    ["Relations", statistics.relations],
    ["Edges stored", graph.stored_edges],
    ["Labels", statistics.labels],
  ];
  const facts = [
    ["Edges by split", Object.entries(statistics.edges).map(([split, n]) => `${split} ${n.toLocaleString("en")}`).join(", ")],
    ["Edges of an entity", `${(statistics.out_degree.mean + statistics.in_degree.mean).toFixed(1)} on average, at most ${Math.max(statistics.out_degree.max, statistics.in_degree.max).toLocaleString("en")} in one direction`],
    ["Model", `${model.system ?? "query2box"}, ${model.dim} dimensions, ${model.parameters.toLocaleString("en")} parameters`],
    ["Probabilities", graph.calibration ? "calibrated on validation questions" : "not calibrated: take them as an order only"],
  ];
  return html`<article class="about">
    <h1>${name || "The graph"}</h1>
    <dl class="tiles">
      ${figures.map(([label, value]) => html`<div key=${label}><dt>${label}</dt><dd>${value.toLocaleString("en")}</dd></div>`)}
    </dl>
    <dl class="facts">
      ${facts.map(([label, value]) => html`<div key=${label}><dt>${label}</dt><dd>${value}</dd></div>`)}
    </dl>
    <h2>Relations by box size</h2>
    <p class="lead-in">
      A relation moves a question’s box and widens it by a box of its own. Its size is the mean
      of the half-widths that were learnt. Objects and subjects are how many stored edges lead
      to, on average, along the relation and along its inverse.
    </p>
    <${Relations} relations=${relations} />
  </article>`;
}

function Relations({ relations }) {
  const [column, setColumn] = useState("box_size");
  const [falling, setFalling] = useState(true);
  const rows = useMemo(() => {
    const compare = (one, other) =>
      column === "relation" ? one.relation.localeCompare(other.relation) : one[column] - other[column];
    const sorted = relations.toSorted(compare);
    return falling ? sorted.reverse() : sorted;
  }, [relations, column, falling]);
  const widest = Math.max(...relations.flatMap((row) => [row.box_size, row.inverse_box_size]), 1e-9);
  const sort = (key) => {
    setFalling(key === column ? !falling : key !== "relation");
    setColumn(key);
  };
  const order = (key) => (key === column ? (falling ? "descending" : "ascending") : "none");
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Relations">
    <table>
      <thead>
        <tr>
          ${COLUMNS.map(
            ([key, text]) => html`<th key=${key} scope="col" aria-sort=${order(key)}>
              <button type="button" onClick=${() => sort(key)}>${text}</button>
            </th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) => html`<tr key=${row.relation}>
            <th scope="row">${readable(row.relation)}</th>
            <td>${row.edges.toLocaleString("en")}</td>
            <td><${Size} value=${row.box_size} widest=${widest} /></td>
            <td>${row.answers.toFixed(1)}</td>
            <td><${Size} value=${row.inverse_box_size} widest=${widest} /></td>
            <td>${row.inverse_answers.toFixed(1)}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

const Size = ({ value, widest }) => html`<span class="size">
  <span class="bar-track" aria-hidden="true">
    <span class="bar-fill" style=${{ width: `${(100 * value) / widest}%` }}></span>
  </span>
  <span>${value.toFixed(3)}</span>
</span>`;
