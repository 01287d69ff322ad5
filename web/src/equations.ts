// The program's LaTeX document as a page: sections, words, and equations set by KaTeX.
//
// A bicycle has more than a thousand equations. Each is set when it comes near to what is seen, or
// when the page is printed.
import katex from "katex";
import "katex/dist/katex.min.css";

const escapes: Record<string, string> = {
  "\\textbackslash{}": "\\",
  "\\textasciicircum{}": "^",
  "\\textasciitilde{}": "~",
  "\\{": "{",
  "\\}": "}",
  "\\$": "$",
  "\\&": "&",
  "\\#": "#",
  "\\%": "%",
  "\\_": "_",
};

function plain(text: string): string {
  return text.replace(/\\text[a-z]+\{\}|\\[{}$&#%_]/g, (mark) => escapes[mark] ?? mark);
}

function set(formula: string, display: boolean): HTMLElement {
  const element = document.createElement(display ? "div" : "span");
  katex.render(formula, element, { displayMode: display, fleqn: true, throwOnError: false, trust: false, strict: false });
  return element;
}

// Words with formulas between $ signs; \$ is a dollar.
function paragraph(text: string): HTMLElement {
  const element = document.createElement("p");
  text.split(/(?<!\\)\$/).forEach((piece, i) => {
    if (i % 2 === 1) element.append(set(piece, false));
    else element.append(plain(piece));
  });
  return element;
}

const waiting = new Map<Element, string>();

function setWaiting(element: Element): void {
  const formula = waiting.get(element);
  waiting.delete(element);
  seen.unobserve(element);
  if (formula !== undefined) element.replaceChildren(set(formula, true));
}

const seen = new IntersectionObserver(
  (entries) => {
    const near = entries.filter((entry) => entry.isIntersecting).map((entry) => entry.target as HTMLElement);
    near.forEach(setWaiting);
    // What is wider than its place is moved by keys.
    for (const element of near) if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
  },
  { rootMargin: "400px 0px" },
);
window.addEventListener("beforeprint", () => [...waiting.keys()].forEach(setWaiting));

function display(lines: string): HTMLElement {
  const formula = lines.replace(
    /\\resizebox\{[\d.]+\\linewidth\}\{!\}\{\$\\displaystyle ([^$]*)\$\}/g,
    (_, inner: string) => inner,
  );
  const element = document.createElement("div");
  element.className = "formula";
  element.style.minHeight = `${2.2 * lines.split("\\\\\n").length}rem`;
  waiting.set(element, `\\begin{aligned}${formula}\\end{aligned}`);
  seen.observe(element);
  return element;
}

const environments = /(\\begin\{(?:align|equation|gather)\*?\}[\s\S]*?\\end\{(?:align|equation|gather)\*?\})/;

// What holds for the numbering of a document and not here.
const unnumbered = (formula: string) => formula.replace(/\\(?:label|tag\*?)\{[^}]*\}|\\(?:nonumber|notag)\b/g, "");

// Quantities that only have numbers for names are looked up; they do not come first.
const isNamed = (formula: string) => /^\s*&?\s*z_\{?\d/.test(formula);

function named(words: string, formulas: string[]): HTMLElement {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  const heading = words.replace(/:\s*$/, "") || "With the quantities";
  summary.textContent = `${heading} (${formulas.length})`;
  details.className = "named";
  details.append(summary, ...formulas.map(display));
  return details;
}

function fill(place: HTMLElement, text: string): void {
  const later: HTMLElement[] = [];
  let before = ""; // the words before an equation
  const say = () => {
    for (const words of before.split(/\n\s*\n|\n(?=\()/)) if (words.trim()) place.append(paragraph(words.trim()));
    before = "";
  };
  for (const piece of text.split(environments)) {
    const equation = /^\\begin\{(?:align|equation|gather)\*?\}([\s\S]*)\\end\{(?:align|equation|gather)\*?\}$/.exec(piece);
    if (!equation) {
      before += piece;
      continue;
    }
    // Several in one display, set apart from each other by a little room.
    const formulas = unnumbered(equation[1]!).split("\\\\[3pt]\n");
    if (formulas.length > 2 && formulas.every(isNamed)) {
      const words = before.trim().split("\n").pop() ?? "";
      before = before.slice(0, before.lastIndexOf(words));
      say();
      later.push(named(words.trim(), formulas));
    } else {
      say();
      place.append(...formulas.map(display));
    }
  }
  say();
  place.append(...later);
}

// The steps of a derivation, each with its words, its source and its formulas.
function fillSteps(place: HTMLElement, text: string): void {
  const [before, ...steps] = text.split(/\\paragraph\{\d+\.\}/);
  fill(place, before!);
  if (steps.length === 0) return;
  const list = document.createElement("ol");
  list.className = "steps";
  for (const step of steps) {
    const item = document.createElement("li");
    fill(item, step);
    list.append(item);
  }
  place.append(list);
}

// The name between the braces that open at `from`, and where they end.
function braced(text: string, from: number): [string, number] {
  let open = 0;
  for (let i = from; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "{") open++;
    else if (text[i] === "}" && --open === 0) return [text.slice(from + 1, i), i + 1];
  }
  return [text.slice(from + 1), text.length];
}

export function showEquations(place: HTMLElement, source: string): void {
  const body = /\\begin\{document\}([\s\S]*)\\end\{document\}/.exec(source)?.[1] ?? source;
  const mark = "\\subsection*";
  let [, at] = braced(body, body.indexOf("{"));
  let next = body.indexOf(mark, at);
  fill(place, body.slice(at, next < 0 ? undefined : next));
  let first = true;
  while (next >= 0) {
    const [title, start] = braced(body, next + mark.length);
    next = body.indexOf(mark, start);
    const section = body.slice(start, next < 0 ? undefined : next);
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    summary.append(...paragraph(title).childNodes);
    details.append(summary);
    // Long derivations are set when they are wanted.
    const open = () => {
      if (details.open && details.childElementCount === 1) fillSteps(details, section);
    };
    details.addEventListener("toggle", open);
    details.open = first;
    first = false;
    place.append(details);
  }
}
