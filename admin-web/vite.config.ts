import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin, type Rolldown } from "vite";

/** Few chunks for the first page, and one for the parts that most pages share: many small chunks weigh more and load later. */
const groups = [
  { name: "base", tags: ["$initial"], priority: 3 },
  { name: "sign-in", test: /pages[\\/]account-links[\\/]sign-in/, priority: 2 },
  { name: "parts", test: /@mantine|@floating-ui|@tabler|src[\\/](?:ui[\\/]|session)/, minShareCount: 3, priority: 1 },
];

export default defineConfig({
  plugins: [
    react(),
    underThePolicy(),
    withoutStyleElements(),
    baseScriptBudget({ page: "src/pages/account-links/sign-in-page.tsx", kilobytes: 150 }),
  ],
  resolve: { conditions: ["source", "module", "browser", "development|production"] },
  build: {
    // `tsc -b` writes to dist/types.
    outDir: "dist/web",
    emptyOutDir: true,
    target: "es2023",
    // The content security policy allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: { port: 4003, proxy: { "/trpc": "http://127.0.0.1:4001" } },
});

/** Of two dependencies, what the content security policy forbids: Markdown's entities are decoded by a table, not by an element, and zod compiles no code. */
function underThePolicy(): Plugin {
  const entities = "decode-named-character-reference";
  return {
    name: "under-the-policy",
    enforce: "pre",
    async resolveId(source, importer, options) {
      if (source !== entities) return null;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      if (found?.id.endsWith("/index.dom.js") !== true) throw new Error(`${entities} has no index.dom.js any more: is this still needed?`);
      return { ...found, id: found.id.replace("index.dom.js", "index.js") };
    },
    transform: {
      filter: { id: /\/zod\/v4\/core\/core\.js$/u },
      handler: (code) => ({ code: `${code}\nglobalConfig.jitless = true;`, map: null }),
    },
  };
}

/** Leaves out of Mantine what writes <style> elements, which app.tsx switches off. */
function withoutStyleElements(): Plugin {
  const imported = /^import \{ (MantineClasses|MantineCssVariables) \} from .*$/gmu;
  return {
    name: "without-style-elements",
    enforce: "pre",
    transform: {
      filter: { id: /\/MantineProvider\/MantineProvider\.mjs$/u },
      handler(code) {
        if (code.match(imported)?.length !== 2)
          this.error("MantineProvider imports its style elements in another way: is this still needed?");
        return { code: code.replace(imported, "const $1 = () => null;"), map: null };
      },
    },
  };
}

type Bundle = Rolldown.OutputBundle;

/** Prints the gzipped size of the script that a page loads at first, and fails the build above the budget. */
function baseScriptBudget({ page, kilobytes }: { page: string; kilobytes: number }): Plugin {
  return {
    name: "base-script-budget",
    apply: "build",
    writeBundle(_options, bundle) {
      const files = scriptsOf(page, bundle);
      const weight = files.reduce((sum, name) => sum + compressedSize(bundle, name), 0) / 1000;
      process.stdout.write(`${page}: ${weight.toFixed(1)} KB of script (gzip) in ${files.length} files; the budget is ${kilobytes} KB\n`);
      if (weight > kilobytes)
        this.error(`${page} loads more script than its budget of ${kilobytes} KB: load parts of it lazily, or raise the budget`);
    },
  };
}

/** The entry, the chunk with the page, and their static imports. */
function scriptsOf(page: string, bundle: Bundle): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const starts = chunks.filter(({ isEntry, moduleIds }) => isEntry || moduleIds.some((id) => id.endsWith(page)));
  if (!starts.some(({ moduleIds }) => moduleIds.some((id) => id.endsWith(page)))) throw new Error(`No chunk holds ${page}`);
  const found = new Set<string>();
  const visit = (name: string) => {
    const file = bundle[name];
    if (file?.type !== "chunk" || found.has(name)) return;
    found.add(name);
    file.imports.forEach(visit);
  };
  starts.forEach((file) => visit(file.fileName));
  return [...found];
}

function compressedSize(bundle: Bundle, name: string): number {
  const file = bundle[name];
  return file?.type === "chunk" ? gzipSync(file.code, { level: 9 }).length : 0;
}
