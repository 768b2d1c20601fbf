// A question as a tree that can be edited, and as the nodes that the server understands.
//
//   group      all or any of its items hold for a thing
//   condition  a relation leads from the thing to an end, or from the end to the thing
//   end        an entity, or something that a group describes

export const entity = (name = null, label = name) => ({ kind: "entity", name, label });

export const condition = (relation = null, outward = true, end = entity()) => ({
  kind: "condition",
  relation,
  outward,
  end,
});

export const group = (items = [condition()], join = "all") => ({ kind: "group", join, items });

// Where a thing is the subject, the way from the end to it is the inverse relation.
export function toNodes(part) {
  if (part.kind === "group") {
    if (!part.items.length) return null;
    const items = part.items.map(toNodes);
    if (items.includes(null)) return null;
    return items.length === 1 ? items[0] : [part.join === "all" ? "i" : "u", ...items];
  }
  if (part.kind === "entity") return part.name === null ? null : ["e", part.name];
  const end = toNodes(part.end);
  if (part.relation === null || end === null) return null;
  return ["p", (part.outward ? "^" : "") + part.relation, end];
}

// The tree of a question, or null if it has a variable that is used twice.
export function toTree(nodes, labels = new Map()) {
  const inner = (node) => {
    const [kind, ...rest] = node;
    if (kind === "e") return entity(rest[0], labels.get(rest[0]) ?? String(rest[0]));
    if (kind === "i" || kind === "u") return group(rest.map(inner), kind === "i" ? "all" : "any");
    if (kind !== "p" || typeof rest[0] !== "string") throw new NoTree();
    const outward = rest[0].startsWith("^");
    const end = inner(rest[1]);
    return condition(
      outward ? rest[0].slice(1) : rest[0],
      outward,
      end.kind === "condition" ? group([end]) : end,
    );
  };
  try {
    const tree = inner(nodes);
    return tree.kind === "group" ? tree : group([tree]);
  } catch (error) {
    if (error instanceof NoTree) return null;
    throw error;
  }
}

class NoTree extends Error {}

// What is still to be chosen, in words; null if nothing is.
export function missing(part) {
  if (part.kind === "group") {
    if (!part.items.length) return "Add a condition.";
    return part.items.map(missing).find((found) => found !== null) ?? null;
  }
  if (part.kind === "entity") return part.name === null ? "Choose an entity." : null;
  return part.relation === null ? "Choose a relation." : missing(part.end);
}
