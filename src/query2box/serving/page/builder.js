// The question as cards and arrows that are filled in.
import { get } from "./api.js";
import { Combobox } from "./combobox.js";
import { html } from "./html.js";
import { condition, entity, group } from "./question.js";
import { counted, readable } from "./words.js";

const OFFERED = 12;

export function Builder({ tree, relations, onChange }) {
  return html`<div class="builder" role="group" aria-label="The question">
    <${Group} value=${tree} thing="it" relations=${relations} onChange=${onChange} />
  </div>`;
}

function Group({ value, thing, relations, onChange, onRemove }) {
  const { items, join } = value;
  const change = (place, item) => onChange({ ...value, items: items.with(place, item) });
  const remove = (place) => onChange({ ...value, items: items.toSpliced(place, 1) });
  const add = (item) => onChange({ ...value, items: [...items, item] });
  return html`<div class="group ${join}">
    ${(items.length > 1 || onRemove) &&
    html`<div class="join">
      <${Join} join=${join} onChange=${(next) => onChange({ ...value, join: next })} />
      ${onRemove && html`<${Remove} label="Remove this group" onClick=${onRemove} />`}
    </div>`}
    <ul class="items">
      ${items.map(
        (item, place) => html`<li key=${place}>
          ${item.kind === "group"
            ? html`<${Group}
                value=${item}
                thing=${thing}
                relations=${relations}
                onChange=${(next) => change(place, next)}
                onRemove=${() => remove(place)}
              />`
            : html`<${Condition}
                value=${item}
                thing=${thing}
                relations=${relations}
                onChange=${(next) => change(place, next)}
                onRemove=${items.length > 1 || onRemove ? () => remove(place) : null}
              />`}
        </li>`,
      )}
    </ul>
    <div class="more">
      <button type="button" class="quiet" onClick=${() => add(condition())}>+ Condition</button>
      <button
        type="button"
        class="quiet"
        title=${join === "all" ? "Conditions of which one is enough" : "Conditions that hold together"}
        onClick=${() => add(group([condition(), condition()], join === "all" ? "any" : "all"))}
      >
        + ${join === "all" ? "Either … or" : "Both … and"}
      </button>
    </div>
  </div>`;
}

function Join({ join, onChange }) {
  const choice = (value, text) => html`<button
    type="button"
    aria-pressed=${join === value}
    onClick=${() => onChange(value)}
  >
    ${text}
  </button>`;
  return html`<div class="choice" role="group" aria-label="How the conditions are joined">
    ${choice("all", "all of")}${choice("any", "any of")}
  </div>`;
}

const Remove = ({ label, onClick }) =>
  html`<button type="button" class="icon" aria-label=${label} title=${label} onClick=${onClick}>
    <span aria-hidden="true">×</span>
  </button>`;

function Condition({ value, thing, relations, onChange, onRemove }) {
  const { relation, outward, end } = value;
  const described = end.kind === "group";
  return html`<div class="condition">
    <div class="sentence">
      <span class="thing">${thing}</span>
      <span class="arrow ${outward ? "outward" : "inward"}">
        <${Combobox}
          label="Relation"
          className="relation"
          placeholder="relation"
          shown=${relation === null ? "" : readable(relation)}
          search=${(text) => relationsLike(text, relations)}
          onPick=${(option) => onChange({ ...value, relation: option.value })}
        />
      </span>
      ${described
        ? html`<span class="thing">something</span>`
        : html`<${Combobox}
            label="Entity"
            className="entity"
            placeholder="entity"
            shown=${end.label ?? ""}
            search=${entitiesLike}
            onPick=${(option) => onChange({ ...value, end: entity(option.value, option.label) })}
          />`}
      <span class="tools">
        <button
          type="button"
          class="icon"
          aria-label="Turn the relation around"
          title="Turn the relation around"
          onClick=${() => onChange({ ...value, outward: !outward })}
        >
          <span aria-hidden="true">⇄</span>
        </button>
        <button
          type="button"
          class="quiet small"
          title=${described ? "Name an entity here" : "Say what it is by conditions of its own"}
          onClick=${() => onChange({ ...value, end: described ? entity() : group() })}
        >
          ${described ? "name it" : "describe"}
        </button>
        ${onRemove && html`<${Remove} label="Remove this condition" onClick=${onRemove} />`}
      </span>
    </div>
    ${described &&
    html`<div class="nested">
      <p class="where">where</p>
      <${Group}
        value=${end}
        thing="something"
        relations=${relations}
        onChange=${(next) => onChange({ ...value, end: next })}
      />
    </div>`}
  </div>`;
}

async function entitiesLike(text) {
  const query = new URLSearchParams({ search: text, limit: OFFERED });
  const { entities } = await get(`entities?${query}`);
  return entities.map(({ entity: name, label }) => ({
    value: name,
    label,
    hint: label === name ? null : name,
  }));
}

function relationsLike(text, relations) {
  const wanted = text.toLowerCase();
  const rated = relations.map(({ relation, edges }) => {
    const plain = readable(relation).toLowerCase();
    const place = Math.max(plain.indexOf(wanted), relation.toLowerCase().indexOf(wanted));
    return { relation, edges, place };
  });
  return rated
    .filter(({ place }) => place >= 0)
    .sort((one, other) => Number(one.place > 0) - Number(other.place > 0))
    .slice(0, 5 * OFFERED)
    .map(({ relation, edges }) => ({
      value: relation,
      label: readable(relation),
      hint: counted(edges, "edge"),
    }));
}
