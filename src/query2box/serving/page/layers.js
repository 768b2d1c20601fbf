// Where the parts of a question's picture stand: its target on the right, in each column to
// the left of it what leads there, and nothing on top of anything else.

// `leads` are pairs [from, to]; `ends` say where everything leads in the end.
export function layers(ends, leads) {
  const sources = new Map();
  for (const [from, to] of leads) {
    if (!sources.has(to)) sources.set(to, []);
    if (!sources.get(to).includes(from)) sources.get(to).push(from);
  }
  const columns = new Map();
  const deepen = (item, column, path) => {
    if (path.has(item) || (columns.get(item) ?? -1) >= column) return;
    columns.set(item, column);
    path.add(item);
    for (const source of sources.get(item) ?? []) deepen(source, column + 1, path);
    path.delete(item);
  };
  for (const end of ends) deepen(end, 0, new Set());

  const rows = new Map();
  let next = 0;
  const place = (item) => {
    rows.set(item, null);
    const above = (sources.get(item) ?? []).filter((source) => !rows.has(source));
    above.forEach(place);
    const around = above.map((source) => rows.get(source));
    rows.set(item, around.length ? (Math.min(...around) + Math.max(...around)) / 2 : next++);
  };
  for (const end of ends) if (!rows.has(end)) place(end);

  const last = Math.max(...columns.values());
  const places = new Map();
  for (const [item, row] of rows) places.set(item, { column: last - columns.get(item), row });
  return { places, columns: last + 1, rows: next };
}
