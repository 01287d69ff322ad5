// What `check` says, as cards: a verdict, one sentence, and what it rests on.
import type { Check } from "./data";
import { shownName } from "./data";

// A fact is neither good nor bad.
type Verdict = "yes" | "no" | "open" | "fact";

function card(place: HTMLElement, verdict: Verdict, title: string, sentence: string, lines: string[]): void {
  const element = document.createElement("article");
  element.className = `card ${verdict}`;
  const head = document.createElement("h3");
  const mark = document.createElement("span");
  mark.className = "verdict";
  mark.textContent = { yes: "✓", no: "✗", open: "?", fact: "•" }[verdict];
  mark.setAttribute("aria-label", { yes: "yes", no: "no", open: "undecided", fact: "fact" }[verdict]);
  head.append(mark, ` ${title}`);
  const words = document.createElement("p");
  words.textContent = sentence;
  element.append(head, words);
  if (lines.length) {
    const list = document.createElement("ul");
    for (const line of lines) {
      const item = document.createElement("li");
      item.textContent = line;
      list.append(item);
    }
    element.append(list);
  }
  place.append(element);
}

// m*v^2/2 as m·v²/2.
function formula(text: string): string {
  const powers = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];
  return text
    .replace(/\^(\d)(?![\d.])/g, (_, digit: string) => powers[Number(digit)]!)
    .replace(/\*/g, "·")
    .replace(/[A-Za-z_][A-Za-z_0-9']*/g, (name) => shownName(name));
}

const proofs: Record<string, string> = { exact: "proved exactly", modular: "proved in modular arithmetic" };

export function showVerdicts(place: HTMLElement, check: Check | null): void {
  if (!check) return;
  const { forms = {}, constraints = [], integrals = [] } = check;
  const applying = Object.entries(forms).filter(([, form]) => form.applies);
  if (applying.length) {
    const same = applying.filter(([, form]) => form.agrees === true).length;
    const verdict: Verdict = check.forms_agree ? "yes" : applying.some(([, form]) => form.agrees === false) ? "no" : "open";
    card(
      place, verdict, "All forms give the same motion",
      `${same} of ${applying.length} forms that apply give the same accelerations.`,
      Object.entries(forms).map(([name, form]) =>
        form.applies
          ? `${name}: ${form.agrees === true ? (proofs[form.proof ?? ""] ?? form.proof ?? "agrees") : form.agrees === false ? "disagrees" : "undecided"}`
          : `${name}: does not apply: ${form.reason ?? ""}`,
      ),
    );
  }
  if (check.holonomic !== undefined) {
    const verdict: Verdict = check.holonomic === null ? "open" : "fact";
    const freedom = check.degrees_of_freedom;
    card(
      place, verdict, check.holonomic === false ? "Non-holonomic" : "Holonomic",
      (check.holonomic ? "The conditions restrict positions alone." : check.holonomic === false ? "Some conditions restrict velocities and no positions." : "This could not be decided.") +
        (freedom === undefined ? "" : ` Degrees of freedom: ${freedom}.`) +
        (check.order ? ` Order of non-holonomy: ${check.order}.` : ""),
      constraints.map((one) => `${one.name}: ${one.kind}${one.integrable === true ? ", integrable" : one.integrable === false ? ", not integrable" : ""}`),
    );
  }
  card(
    place, integrals.length ? "yes" : "fact", "Constants of the motion",
    integrals.length ? `${integrals.length} found.` : "None was found.",
    integrals.map((one) => `${one.name} = ${formula(one.value)}: ${proofs[one.proof] ?? one.proof}`),
  );
  const { jacobi } = check;
  if (jacobi)
    card(
      place, jacobi.extends === null ? "open" : "fact", "Jacobi's theorem",
      jacobi.extends ? "The Hamilton–Jacobi method extends to this system." : jacobi.reason ? `It does not extend: ${jacobi.reason}.` : "It could not be decided.",
      jacobi.phi ? [`φ = ${formula(jacobi.phi)}`] : [],
    );
}
