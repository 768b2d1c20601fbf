// Names inside of texts: how they are written, and how a wrong one is put right.

const QUOTED = /^(['"])(?:\\.|(?!\1)[^\\])*\1?/su;
const WORD = /^\^?[\p{L}\p{N}_]+/u;
const IRI = /^<[^>\s]*>?/u;
const PREFIXED = /^[^\s{}()<>;,/|^]+/u;

export const readable = (relation) => relation.replaceAll("_", " ");

// A name as a formula has it.
export function quoted(name) {
  if (/^[\p{L}\p{N}_]+$/u.test(name)) return name;
  const escapes = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "'": "\\'" };
  return `'${name.replace(/[\\\n\r\t']/g, (sign) => escapes[sign])}'`;
}

function iri(name) {
  return /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|^`\\]*$/.test(name) && !name.startsWith("urn:q2b:")
    ? `<${name}>`
    : `<urn:q2b:${encodeURIComponent(name)}>`;
}

// The text with another name at a place: positions count characters, not halves of them.
export function corrected(text, position, name, sparql) {
  const signs = Array.from(text);
  const before = signs.slice(0, position).join("");
  const rest = signs.slice(position).join("");
  const patterns = sparql ? [IRI, PREFIXED] : [QUOTED, WORD];
  const wrong = patterns.map((pattern) => pattern.exec(rest)?.[0]).find(Boolean) ?? "";
  return before + (sparql ? iri(name) : quoted(name)) + rest.slice(wrong.length);
}

// The line of a text in which a place is, and how far into it.
export function lineAt(text, position) {
  const signs = Array.from(text);
  const start = signs.lastIndexOf("\n", position - 1) + 1;
  const end = signs.indexOf("\n", position);
  return [signs.slice(start, end < 0 ? signs.length : end).join(""), position - start];
}

export const percent = (probability) => {
  if (probability === 1) return "100%";
  if (probability >= 0.995) return "99%";
  return probability < 0.01 ? "<1%" : `${Math.round(100 * probability)}%`;
};

export const cut = (text, longest) =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text;

export const counted = (number, one, several = `${one}s`) =>
  `${number.toLocaleString("en")} ${number === 1 ? one : several}`;
