// One HTML file with everything inside: script, styles, fonts.
import { defineConfig, type Plugin } from "vite";

// KaTeX lists each font in three formats; every current browser reads the first.
function woff2Only(): Plugin {
  return {
    name: "woff2-only",
    enforce: "pre",
    transform(code, id) {
      if (!id.includes("katex") || !id.endsWith(".css")) return null;
      return code.replace(/,\s*url\([^)]*\.(woff|ttf)\)\s*format\([^)]*\)/g, "");
    },
  };
}

// The script and the styles go into the page in the place of what refers to them.
function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (!page || page.type !== "asset") throw new Error("no index.html was built");
      let html = String(page.source);
      let script = "";
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === "chunk") {
          // Nothing in the script may end its element.
          script += part.code.replaceAll("</script", "<\\/script");
          delete bundle[name];
        } else if (name.endsWith(".css")) {
          html = html.replace("<!--style-->", () => `<style id="style">${String(part.source)}</style>`);
          delete bundle[name];
        }
      }
      html = html.replace(/<script[^>]*type="module"[^>]*><\/script>/g, "");
      html = html.replace(/<link[^>]*rel="stylesheet"[^>]*>/g, "");
      page.source = html.replace("<!--script-->", () => `<script id="script">${script}</script>`);
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [woff2Only(), oneFile()],
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
