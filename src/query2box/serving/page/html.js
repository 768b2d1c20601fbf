// preact, its hooks and htm under one roof. Text in a template is inserted as text.
import { h, render } from "./vendor/preact.js";
import htm from "./vendor/htm.js";

export { render };
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "./vendor/hooks.js";

export const html = htm.bind(h);
