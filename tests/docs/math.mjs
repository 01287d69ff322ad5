// math.mjs KATEX PAGE…: sets every formula of the pages in type; exits 1 where one cannot be.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

const [katexFile, ...pages] = process.argv.slice(2);
const katex = (await import(pathToFileURL(katexFile))).default;
let count = 0;
let failed = 0;

// Macros that GitHub refuses, since they hide text or change others.
const refused = /\\(operatorname|mbox|[hv]?phantom|(re)?newcommand|[gx]?def|let|require|href|style|class)\b/;

function set(page, line, text, displayMode) {
  count++;
  try {
    if (refused.test(text)) throw new Error(`GitHub does not set ${refused.exec(text)[0]}`);
    katex.renderToString(text, { displayMode, throwOnError: true, strict: "error" });
  } catch (error) {
    console.log(`${basename(page)}:${line}: ${error.message}`);
    failed++;
  }
}

for (const page of pages) {
  const lines = readFileSync(page, "utf8").split("\n");
  let fence = null; // null outside of blocks, else what stands behind ```
  let block = [];
  lines.forEach((line, at) => {
    if (line.startsWith("```")) {
      if (fence === "math") set(page, at + 1, block.join("\n"), true);
      fence = fence === null ? line.slice(3).trim() : null;
      block = [];
    } else if (fence !== null) {
      block.push(line);
    } else {
      for (const match of line.matchAll(/\$`([^`]*)`\$/g)) set(page, at + 1, match[1], false);
      // Half a pair would be shown as it is written.
      const rest = line.replaceAll(/\$`[^`]*`\$/g, "").replaceAll(/`[^`]*`/g, "");
      if (/\$`|`\$/.test(rest)) {
        console.log(`${basename(page)}:${at + 1}: a formula that does not end`);
        failed++;
      }
    }
  });
}
console.log(`${count} formulas, ${failed} wrong`);
process.exit(failed || count < 100 ? 1 : 0);
