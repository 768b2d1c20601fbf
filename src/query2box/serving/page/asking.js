// The question that is being built: one state behind the cards and both texts.
import { ApiError, post } from "./api.js";
import { useRef, useState } from "./html.js";
import { group, toNodes, toTree } from "./question.js";

const PAUSE = 300;

const NEW = { tree: group(), formula: "", sparql: "", typed: "formula", forms: null, problem: null };

export function useQuestion() {
  const [question, setQuestion] = useState(NEW);
  const turn = useRef(0);
  const timer = useRef(0);

  // What the server makes of a question; null if something else was typed meanwhile.
  const understand = async (query, source) => {
    const mine = ++turn.current;
    try {
      const { question: forms, error } = await post("query", { query });
      if (mine !== turn.current) return null;
      if (error) throw new ApiError(200, error);
      setQuestion((before) => {
        const next = { ...before, forms, problem: null };
        if (source !== "formula") next.formula = forms.formula;
        if (source !== "sparql") next.sparql = forms.sparql;
        if (source !== "tree") next.tree = toTree(forms.nodes, labelsOf(forms.graph));
        return next;
      });
      return forms;
    } catch (error) {
      if (mine !== turn.current) return null;
      setQuestion((before) => ({ ...before, forms: null, problem: { source, error } }));
      return null;
    }
  };

  const later = (query, source) => {
    clearTimeout(timer.current);
    turn.current++;
    timer.current = setTimeout(() => understand(query, source), PAUSE);
  };

  return {
    ...question,
    clear: () => {
      clearTimeout(timer.current);
      turn.current++;
      setQuestion(NEW);
    },
    build: (tree) => {
      clearTimeout(timer.current);
      const nodes = toNodes(tree);
      setQuestion((before) => ({
        ...before,
        tree,
        problem: null,
        ...(nodes === null && { forms: null, formula: "", sparql: "" }),
      }));
      if (nodes === null) turn.current++;
      else understand(nodes, "tree");
    },
    type: (source, text) => {
      if (!text.trim()) {
        clearTimeout(timer.current);
        turn.current++;
        setQuestion(NEW);
        return;
      }
      setQuestion((before) => ({ ...before, [source]: text, typed: source, forms: null, problem: null }));
      later(text, source);
    },
    // A question from a link or an example, at once.
    load: (text) => {
      clearTimeout(timer.current);
      setQuestion({ ...NEW, tree: group(), formula: text });
      return understand(text, "formula");
    },
    // The question as it stands, understood now if that is still to come.
    settle: async () => {
      clearTimeout(timer.current);
      if (question.forms) return question.forms;
      const text = question[question.typed];
      return text.trim() ? understand(text, question.typed) : null;
    },
  };
}

const labelsOf = ({ terms }) =>
  new Map(terms.filter(({ kind }) => kind === "entity").map(({ entity, label }) => [entity, label]));
