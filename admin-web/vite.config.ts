import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip, gzipSync } from "node:zlib";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin, type Rolldown } from "vite";
import { firstLooks, scriptsOf } from "./first-looks.ts";
import unusedParts from "./unused-parts.json" with { type: "json" };

const textsFolder = join(import.meta.dirname, "texts");

/** Modules that only pages with forms need. */
const forms = /@mantine[\\/]form|ui[\\/]\w+[\\/](?:input|conflict|form-version|second-factor|proof|password|gallery|test-message\.)/;
/** Modules that the first page does not need. */
const details =
  /src[\\/]ui[\\/]\w+[\\/](?:waiting-actions|live-list|saved-views|date-range|filter-|list-|detail-drawer|page-tabs)|pages[\\/]log[\\/](?:log\.module|use-log)|@mantine[^]*[\\/]CheckboxGroup[\\/]/;
/** Fields with a list of choices, which a filter loads when it is opened. */
const choices = /src[\\/]ui[\\/]\w+[\\/](?:pickers|suggested-filter)|@mantine[^]*[\\/](?:Select|Combobox|Autocomplete)[\\/]/;
/** Modules that few pages use, each for itself. */
const few =
  /src[\\/]ui[\\/]\w+[\\/](?:saved-view-forms|resume-form|resend|endpoints|made-site)|@mantine[^]*[\\/](?:SegmentedControl|FloatingIndicator|Textarea|Radio|Progress|List|Tabs)[\\/]|src[\\/]ui[\\/]\w+[\\/](?:assistant\.|code-sample|grammars)/;
/** Fields for numbers, which few forms have. */
const numbers = /react-number-format|NumberInput|ui[\\/]\w+[\\/]idempotency/;
/** Modules that a list needs only once one of its rows is open. */
const drawers = /src[\\/]ui[\\/]\w+[\\/](?:event-s|dense-timeline)|@mantine[^]*[\\/]Timeline[\\/]/;
/** A message as a phone shows it. */
const bubble = /src[\\/]ui[\\/]\w+[\\/](?:message|fill-message)/;
/** Modules that the first page needs only while something is wrong. */
const cards = /src[\\/]ui[\\/]\w+[\\/]problem-(?:card|kinds|labels)/;
const shared = /@mantine|@floating-ui|@tabler|src[\\/](?:ui[\\/]|session)/;
const later = [forms, numbers, details, choices, few, drawers, bubble, cards];

/** Few chunks for the first page, one for the parts that most pages share, and one for forms: many small chunks weigh more and load later. */
const groups = [
  { name: "base", tags: ["$initial"], priority: 4 },
  {
    name: "fields",
    test: /@mantine[^]*[\\/](?:Input|InputBase|TextInput|PasswordInput|ActionIcon|CloseButton|use-uncontrolled)[\\/]/,
    priority: 4,
  },
  {
    name: "parts",
    test: (id: string) => shared.test(id) && !later.some((modules) => modules.test(id)),
    minShareCount: 3,
    priority: 2,
  },
  // A file of its own costs a kilobyte of headers.
  {
    name: "parts",
    test: /@tabler|get-style-object|@mantine[^]*(?:Kbd|NavLink)|credentials-ended|shell\.module|shell[\\/]navigation|deliveries-data|useLocation|problem[\\/]problem\.ts|core[\\/]time-zone|role-page|ui[\\/]\w+[\\/](?:operations|problems)\.tsx/,
    minShareCount: 2,
    priority: 2,
  },
  // Else they come with the forms, which take them along.
  { name: "event", test: /core[\\/](?:unreached)\.ts$|events[\\/]event-table/, minShareCount: 2, priority: 2 },
  {
    name: "bindings",
    test: /core[\\/](?:conditions|compared-value|decimal|event|variables)\.ts|core[\\/]schedule[\\/]/,
    minShareCount: 2,
    priority: 0,
  },
  {
    name: "templates",
    test: /core[\\/]template[\\/](?:check|draft)\.ts|pages[\\/]template[\\/](?:draft|template\.module)/,
    minShareCount: 2,
    priority: 0,
  },
  { name: "message", test: bubble, minShareCount: 2, priority: 1 },
  { name: "numbers", test: numbers, minShareCount: 2, priority: 2 },
  { name: "choices", test: choices, minShareCount: 2, priority: 2 },
  { name: "details", test: details, minShareCount: 3, priority: 1 },
  { name: "forms", test: forms, minShareCount: 3, priority: 1 },
  { name: "drawers", test: drawers, minShareCount: 3, priority: 1 },
  { name: "problem-cards", test: cards, priority: 0 },
];

export default defineConfig({
  plugins: [
    react(),
    texts(),
    underThePolicy(),
    withoutUnusedParts(),
    withoutUnusedStyles(),
    firstLooks(),
    baseScriptBudget({ page: "pages/account-links/sign-in-page.tsx", kilobytes: 150 }),
    compressed(),
  ],
  resolve: {
    conditions: ["source", "module", "browser", "development|production"],
    // React has had it since 18.
    alias: [{ find: /^use-sync-external-store\/shim$/u, replacement: "react" }],
  },
  build: {
    // The budgets below are the bound; nothing that a page needs at first is near it.
    chunkSizeWarningLimit: 1_000,
    // `tsc -b` writes to dist/types.
    outDir: "dist/web",
    emptyOutDir: true,
    target: "es2023",
    // The content security policy allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups }, chunkFileNames: "assets/[name]-[hash:7].js" } },
  },
  server: { port: 4003, proxy: { "/trpc": "http://127.0.0.1:4001" } },
});

/** Keeps two dependencies within the content security policy: Markdown's entities are decoded by a table instead of an element, and zod compiles no code. */
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

/** Leaves out of Mantine's stylesheet, which every page loads, half of it: the parts that no page is made of. */
function withoutUnusedStyles(): Plugin {
  const parts = unusedParts.styles.split(" ");
  return {
    name: "without-unused-styles",
    enforce: "pre",
    transform: {
      filter: { id: /@mantine\/core\/styles\.css$/u },
      handler: (code, id) =>
        parts.reduce((left, part) => left.replace(readFileSync(join(id, `../styles/${part}.css`), "utf8").trim(), () => ""), code),
    },
    generateBundle(_options, bundle) {
      const used = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
      const styled = new Set(used.map((id) => /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/u.exec(id)?.[1]));
      for (const part of parts) if (styled.has(part)) this.error(`${part} is used: its styles may not be left out`);
    },
  };
}

/** Leaves out of dependencies what nothing here uses, though a statement of theirs keeps it in. The build fails where a module has it another number of `times`. */
function withoutUnusedParts(): Plugin[] {
  const leftOut: [id: RegExp, found: RegExp, times: number, instead: string][] = [
    // The parts of Mantine's components that no page has, which statements such as `Menu.Sub = MenuSub;` keep in: submenus alone take a library along.
    ...Object.entries(unusedParts.components).map(([name, list]): (typeof leftOut)[number] => {
      const parts = list.split(" ");
      const statements = new RegExp(`^${name}\\.(${parts.join("|")}) = ${name}\\1;$`, "gmu");
      return [new RegExp(`/@mantine/core/esm/components/${name}/${name}\\.mjs$`, "u"), statements, parts.length, ""];
    }),
    // Mantine's colours by the variables of its stylesheet: the numbers beside them are a kilobyte that nothing computes with.
    [
      /\/MantineProvider\/default-colors\.mjs$/u,
      /^\t(\w+): \[[^\]]*\]/gmu,
      14,
      "\t$1: Array.from({ length: 10 }, (_, shade) => `var(--mantine-color-$1-${shade})`)",
    ],
    // The providers switch off what writes <style> elements.
    [/\/MantineProvider\.mjs$/u, /^import \{ (MantineClasses|MantineCssVariables) \} from .*$/gmu, 2, "const $1 = () => null;"],
    // Windows and lists of choices scroll as the browser does, and no window keeps the page below it from scrolling.
    [/\/(?:Modal|Drawer)Root\.mjs$/u, /^import \{ ScrollArea \} .*$/gmu, 1, ""],
    [/\/(?:Modal|Drawer)Root\.mjs$/u, /scrollAreaComponent === ScrollArea\.Autosize \|\| void 0/gu, 1, "void 0"],
    [
      /\/OptionsDropdown\.mjs$/u,
      /^import \{ ScrollArea \} .*$/gmu,
      1,
      'const ScrollArea = { Autosize: ({ mah, children }) => jsx("div", { style: { maxHeight: mah, overflowY: "auto" }, children }) };',
    ],
    [/\/ModalBase\.mjs$/u, /^import \{ RemoveScroll \} .*$/gmu, 1, 'const RemoveScroll = ({ children }) => jsx("div", { children });'],
    [/\/default-css-variables\.css$/u, /^ *--mantine-color-(?:cyan|grape|indigo|lime|pink|violet)-.*$\n/gmu, 156, ""],
    // Nothing uses WebSockets: a statement for a counter keeps their classes in.
    [/@trpc\/client\/dist\/wsLink-[\w-]+\.mjs$/u, /^_defineProperty\(WsConnection, "connectCount", 0\);$/gmu, 1, ""],
    // Markdown is read, and never written, and the documentation names few characters.
    [/\/remark-gfm\/lib\/index\.js$/u, /^ +toMarkdownExtensions\.push\(gfmToMarkdown\(settings\)\)$/gmu, 1, ""],
    [/\/character-entities\/index\.js$/u, /^ {2}(?!(?:amp|apos|gt|hellip|lt|mdash|nbsp|ndash|quot): )\w+: .*$\n/gmu, 2116, ""],
    // Forms check what is typed, and describe no schema.
    [
      /\/zod\/v4\/classic\/schemas\.js$/u,
      /inst\._zod\.processJSONSchema = .*;|create\w+JSONSchemaMethod\(this, [^;,)]*\)(?:\(params\))?/gu,
      44,
      "undefined",
    ],
  ];
  return leftOut.map(([id, found, times, instead]) => ({
    name: `without ${found} in ${id}`,
    enforce: "pre",
    transform: {
      filter: { id },
      handler(code) {
        if (code.match(found)?.length !== times) this.error("The dependency is written in another way: is this still needed?");
        return { code: code.replaceAll(found, instead), map: null };
      },
    },
  }));
}

/** Writes each text file a second and a third time, as the server sends it: `.br` and `.gz`. Public files are among them. */
function compressed(): Plugin {
  const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];
  const write = async (file: string): Promise<void> => {
    const body = await readFile(file);
    const [brotli, gzipped] = await Promise.all([toBrotli(body), toGzip(body, { level: 9 })]);
    await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, gzipped)]);
  };
  return {
    name: "compressed",
    apply: "build",
    async closeBundle() {
      const folder = this.environment.config.build.outDir;
      const files = (await readdir(folder, { recursive: true })).filter((file) => /\.(?:css|html|js|json|svg|txt)$/u.test(file));
      await Promise.all(files.map((file) => write(join(folder, file))));
    },
  };
}

type Bundle = Rolldown.OutputBundle;

/** Prints the gzipped size of the script and texts that a page loads at first, and fails the build above the budget. */
function baseScriptBudget({ page, kilobytes }: { page: string; kilobytes: number }): Plugin {
  return {
    name: "base-script-budget",
    apply: "build",
    writeBundle(_options, bundle) {
      const texts = Object.keys(bundle).filter((name) => /\/en\/(?:base|account-links)\.json$/u.test(name));
      const files = [...scriptsOf(bundle, "app.tsx", page), ...texts];
      const weight = files.reduce((sum, name) => sum + compressedSize(bundle, name), 0) / 1000;
      process.stdout.write(`${page}: ${weight.toFixed(1)} KB of script (gzip) in ${files.length} files; the budget is ${kilobytes} KB\n`);
      if (weight > kilobytes)
        this.error(`${page} loads more script than its budget of ${kilobytes} KB: load parts of it lazily, or raise the budget`);
    },
  };
}

function compressedSize(bundle: Bundle, name: string): number {
  const file = bundle[name];
  const content = file?.type === "chunk" ? file.code : (file?.source ?? "");
  return gzipSync(content, { level: 9 }).length;
}

/** The texts as pages read them, by file: `de/home.json`. */
function readTexts(): Map<string, string> {
  const files = readdirSync(textsFolder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  return new Map(files.toSorted().map((file) => [file, JSON.stringify(forPage(file))]));
}

/** Compiled where plurals ask for it, in English where a translation is missing, and without what reads the same as its English. */
function forPage(file: string): Record<string, unknown> {
  const texts = Object.entries(JSON.parse(readFileSync(join(textsFolder, file), "utf8")) as Record<string, string>);
  const read = texts.map(([text, translation]) => {
    const message = fromTheRight(translation || text);
    return [text, isPlain(message) ? message : compileMessage(message)] as const;
  });
  return Object.fromEntries(read.filter(([text, message]) => message !== text));
}

/** A text from right to left that begins with a Latin word gets a mark of its direction: where the first letter decides, it would run from the left. */
function fromTheRight(message: string): string {
  const first = /\p{L}/u.exec(message.replaceAll(/\{[^{}]*\}|<\/?\d+\/?>/gu, ""))?.[0] ?? "";
  return /[\u0590-\u08ff]/u.test(message) && !/[\u0590-\u08ff]/u.test(first) && !/\{\w+,/u.test(message) ? `\u200F${message}` : message;
}

/** A message of words and plain placeholders, which the page splits by itself. */
function isPlain(message: string): boolean {
  return /^[^{}']*(?:\{\w+\}[^{}']*|'(?![{}])[^{}']*)*$/u.test(message);
}

/**
 * Writes the texts below `assets/` as files that pages fetch: `import.meta.env.TEXTS` is their folder, named by their content. The page names those that it
 * begins with, which the server has the browser fetch in the reader's language while it still reads the script that asks for them.
 */
function texts(): Plugin {
  const files = readTexts();
  const digest = createHash("sha256").update(JSON.stringify([...files]));
  const folder = `assets/texts-${digest.digest("base64url").slice(0, 8)}`;
  return {
    name: "texts",
    config: () => ({ define: { "import.meta.env.TEXTS": JSON.stringify(`/${folder}`) } }),
    configureServer: ({ middlewares }) =>
      void middlewares.use(`/${folder}`, (request, response) => void response.end(readTexts().get(request.url?.slice(1) ?? "") ?? "{}")),
    generateBundle() {
      for (const [file, text] of files) this.emitFile({ type: "asset", fileName: `${folder}/${file}`, source: text });
    },
    transformIndexHtml: () => [{ tag: "meta", attrs: { name: "texts", content: "base" }, injectTo: "head" }],
  };
}
