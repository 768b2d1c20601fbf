// A text field that offers names as one types, for mouse, touch and keyboard (ARIA combobox).
import { html, useEffect, useId, useRef, useState } from "./html.js";

const PAUSE = 120;

export function Combobox({ label, shown, placeholder, search, onPick, className = "" }) {
  const [text, setText] = useState(null); // null: nothing is being typed
  const [options, setOptions] = useState(null);
  const [active, setActive] = useState(0);
  const [problem, setProblem] = useState(null);
  const list = useId();
  const typed = useRef(0);
  const open = text !== null;

  useEffect(() => {
    if (!open) return undefined;
    const turn = ++typed.current;
    const timer = setTimeout(async () => {
      try {
        const found = await search(text.trim());
        if (turn !== typed.current) return;
        setOptions(found);
        setProblem(null);
        setActive(0);
      } catch (error) {
        if (turn === typed.current) setProblem(error.message);
      }
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [text]);

  const close = () => {
    typed.current++;
    setText(null);
    setOptions(null);
  };
  const pick = (option) => {
    close();
    onPick(option);
  };
  const leave = () => {
    const same = options?.find((option) => option.label === text || option.value === text);
    if (same) pick(same);
    else close();
  };
  const onKeyDown = (event) => {
    const count = options?.length ?? 0;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!open) setText("");
      else if (count) setActive((active + (event.key === "ArrowDown" ? 1 : count - 1)) % count);
    } else if (event.key === "Enter" && open) {
      event.preventDefault();
      if (count) pick(options[active]);
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      close();
    }
  };

  return html`<span class="combobox ${className}">
    <input
      type="text"
      role="combobox"
      aria-label=${label}
      aria-autocomplete="list"
      aria-expanded=${open}
      aria-controls=${list}
      aria-activedescendant=${open && options?.length ? `${list}-${active}` : undefined}
      autocomplete="off"
      autocapitalize="off"
      spellcheck=${false}
      placeholder=${placeholder}
      value=${open ? text : shown}
      size=${Math.max((open ? text : shown).length, placeholder.length)}
      onInput=${(event) => setText(event.target.value)}
      onClick=${() => !open && setText("")}
      onKeyDown=${onKeyDown}
      onBlur=${() => open && leave()}
    />
    ${open &&
    html`<ul class="options" role="listbox" id=${list} aria-label=${label}>
      ${problem && html`<li class="note" role="presentation">${problem}</li>`}
      ${!problem && options?.length === 0 &&
      html`<li class="note" role="presentation">Nothing of this name.</li>`}
      ${(options ?? []).map(
        (option, place) => html`<${Option}
          key=${option.value}
          id=${`${list}-${place}`}
          option=${option}
          active=${place === active}
          onPick=${pick}
        />`,
      )}
    </ul>`}
  </span>`;
}

function Option({ id, option, active, onPick }) {
  const item = useRef(null);
  useEffect(() => {
    if (active) item.current.scrollIntoView({ block: "nearest" });
  }, [active]);
  // The field would lose the focus, and close, before the click arrives.
  return html`<li
    id=${id}
    ref=${item}
    role="option"
    aria-selected=${active}
    class=${active ? "active" : ""}
    onMouseDown=${(event) => event.preventDefault()}
    onClick=${() => onPick(option)}
  >
    <span>${option.label}</span>
    ${option.hint && html`<small>${option.hint}</small>`}
  </li>`;
}
