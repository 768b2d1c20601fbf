// A reason as a graph: stored edges solid, predicted ones dashed and with their probability.
import { html, useEffect, useRef, useState } from "./html.js";
import { layers } from "./layers.js";
import { percent, readable } from "./words.js";

const idOf = (end) => end.variable ?? `=${end.entity}`;

export function ReasonGraph({ reason }) {
  const container = useRef(null);
  const [drawn, setDrawn] = useState(false);
  useEffect(() => {
    let graph = null;
    let gone = false;
    import("./vendor/cytoscape.js").then(({ default: cytoscape }) => {
      if (gone) return;
      graph = cytoscape({
        container: container.current,
        ...elementsOf(reason),
        style: styleOf(container.current),
        layout: { name: "preset", fit: true, padding: 24 },
        userZoomingEnabled: false,
        userPanningEnabled: false,
        boxSelectionEnabled: false,
        maxZoom: 1.2,
      });
      graph.on("resize", () => graph.fit(undefined, 24));
      setDrawn(true);
    });
    return () => {
      gone = true;
      graph?.destroy();
    };
  }, []);
  const height = 90 + 76 * Math.max(1, rowsOf(reason));
  return html`<div
    class="reason"
    ref=${container}
    role="img"
    aria-label="The edges listed below, as a graph"
    data-drawn=${drawn}
    style=${{ height: `${Math.min(height, 420)}px` }}
  ></div>`;
}

// An atom leads towards the answer: from the end that is farther away from it.
function placesOf(reason) {
  const pairs = reason.atoms.map((atom) => [idOf(atom.subject), idOf(atom.object)]);
  const far = new Map([["?t", 0]]);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [one, other] of [...pairs, ...pairs.map(([a, b]) => [b, a])]) {
      if (far.has(one) && !far.has(other)) {
        far.set(other, far.get(one) + 1);
        changed = true;
      }
    }
  }
  return layers(
    ["?t"],
    pairs.map(([one, other]) => (far.get(one) > far.get(other) ? [one, other] : [other, one])),
  );
}

const rowsOf = (reason) => placesOf(reason).rows;

function elementsOf(reason) {
  const { places } = placesOf(reason);
  const nodes = new Map();
  for (const end of reason.atoms.flatMap((atom) => [atom.subject, atom.object])) {
    const id = idOf(end);
    const { column, row } = places.get(id);
    const kind = end.variable === "?t" ? "answer" : end.variable ? "value" : "entity";
    nodes.set(id, {
      data: { id, label: end.label },
      classes: kind,
      position: { x: 300 * column, y: 84 * row },
    });
  }
  const edges = reason.atoms.map((atom) => ({
    data: {
      source: idOf(atom.subject),
      target: idOf(atom.object),
      label: `${readable(atom.relation)}${atom.known ? "" : `  ${percent(atom.probability)}`}`,
    },
    classes: atom.known ? "known" : "predicted",
  }));
  return { elements: { nodes: [...nodes.values()], edges } };
}

function styleOf(element) {
  const colours = getComputedStyle(element);
  const colour = (name) => colours.getPropertyValue(`--${name}`).trim();
  const edge = (name, style) => ({
    "line-color": colour(name),
    "target-arrow-color": colour(name),
    "line-style": style,
  });
  return [
    {
      selector: "node",
      style: {
        label: "data(label)",
        shape: "round-rectangle",
        width: 170,
        height: 38,
        "text-valign": "center",
        "text-wrap": "ellipsis",
        "text-max-width": 158,
        "font-family": colours.fontFamily,
        "font-size": 14,
        color: colour("ink"),
        "background-color": colour("field"),
        "border-width": 1.5,
        "border-color": colour("line-strong"),
        "overlay-opacity": 0,
      },
    },
    { selector: "node.value", style: { "background-color": colour("surface") } },
    {
      selector: "node.answer",
      style: { "border-color": colour("accent"), "border-width": 2.5, "font-weight": 600 },
    },
    {
      selector: "edge",
      style: {
        label: "data(label)",
        width: 2,
        "curve-style": "bezier",
        "target-arrow-shape": "triangle",
        "font-family": colours.fontFamily,
        "font-size": 12.5,
        color: colour("ink"),
        "text-background-color": colour("surface"),
        "text-background-opacity": 1,
        "text-background-padding": 3,
        "overlay-opacity": 0,
      },
    },
    { selector: "edge.known", style: edge("known", "solid") },
    { selector: "edge.predicted", style: { ...edge("predicted", "dashed"), "line-dash-pattern": [7, 4] } },
  ];
}
