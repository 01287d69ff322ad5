// One HTML file with everything inside: script, styles, fonts.
import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vite";

// KaTeX lists each font in three formats; every current browser reads the first. And some of its
// letters stand in no equation: Fraktur, typewriter and the like.
const unused = /KaTeX_(Caligraphic|Fraktur|SansSerif|Script|Typewriter)|KaTeX_(Main|Math)-BoldItalic/;
function fewerFonts(): Plugin {
  return {
    name: "fewer-fonts",
    enforce: "pre",
    transform(code, id) {
      if (!id.includes("katex") || !id.endsWith(".css")) return null;
      return code
        .replace(/,\s*url\([^)]*\.(woff|ttf)\)\s*format\([^)]*\)/g, "")
        .replace(/@font-face\s*\{[^}]*\}/g, (face) => (unused.test(face) ? "" : face));
    },
  };
}

const hash = (text: string) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

// The script and the styles go into the page in the place of what refers to them. Nothing else may
// run in it: their hashes are all that the page allows.
function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (!page || page.type !== "asset") throw new Error("no index.html was built");
      let html = String(page.source);
      let script = "";
      let style = "";
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === "chunk") {
          // Nothing in the script may end its element.
          script += part.code.replaceAll("</script", "<\\/script");
          delete bundle[name];
        } else if (name.endsWith(".css")) {
          style += String(part.source);
          delete bundle[name];
        }
      }
      const allowed = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; font-src data:; img-src data: blob:; media-src blob:; base-uri 'none'; form-action 'none'`;
      html = html.replace(/<script[^>]*type="module"[^>]*><\/script>/g, "");
      html = html.replace(/<link[^>]*rel="stylesheet"[^>]*>/g, "");
      html = html.replace("<!--csp-->", () => `<meta http-equiv="Content-Security-Policy" content="${allowed}">`);
      html = html.replace("<!--style-->", () => `<style id="style">${style}</style>`);
      page.source = html.replace("<!--script-->", () => `<script id="script">${script}</script>`);
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [fewerFonts(), oneFile()],
  build: {
    target: "es2022",
    assetsInlineLimit: 1 << 20,
    cssCodeSplit: false,
    modulePreload: false,
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
    // A classic script, so that pages may also share one as a file beside them.
    rollupOptions: { output: { format: "iife", inlineDynamicImports: true } },
  },
});
