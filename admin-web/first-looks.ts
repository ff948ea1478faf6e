import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin, Rolldown } from "vite";
import looks from "./first-looks.json" with { type: "json" };
import { paths } from "./src/paths.ts";

type Bundle = Rolldown.OutputBundle;

/** A procedure and its input. */
type Question = [path: string, input?: object];

/**
 * `frame`: what every page in the frame of the dashboard asks at first, in requests that wait for no other: who is signed in, and what the frame shows. `pages`: what
 * a page without a query asks beside it; with one it asks something else. `shown`: the lazily loaded script that a page needs at once where it has data.
 */
const { frame: ofFrame, pages: questions, shown } = looks as { frame: Question[][]; pages: ByPage<Question[]>; shown: ByPage<string> };
type ByPage<Told> = Partial<Record<string, Told>>;

/** The frame of the dashboard and each page in it, by the router's own words. */
const route = /(?:  (?:page|sought)\(\s*paths\.(\w+)|id: "signed-in"),[^;]*?\[([^\]]*)\],\s*\(\) => import\("\.\/([^"]+)"\)/gu;

/**
 * Writes `pages/{path}.html` for each page in the frame of the dashboard: index.html with the names of its texts, and links by which the browser fetches its
 * scripts and styles, and who is signed in, while it still reads the script that asks for them; and `first/{path}.html` where it asks more as long as there is no query.
 */
export function firstLooks(): Plugin {
  const routes = Array.from(readFileSync(join(import.meta.dirname, "src/router.ts"), "utf8").matchAll(route), ([, name, texts, file]) => ({
    name: name ?? "",
    path: name === undefined ? null : paths[name as keyof typeof paths],
    texts: Array.from((texts ?? "").matchAll(/[\w-]+/gu), ([folder]) => folder),
    file: file ?? "",
  }));
  const [frame, ...pages] = routes;
  return {
    name: "first-looks",
    enforce: "post",
    apply: "build",
    generateBundle(_options, bundle) {
      const index = bundle["index.html"];
      if (index?.type !== "asset" || frame?.path !== null || pages.length < 25 || frame.texts.length === 0)
        return this.error("The router is written in another way");
      const html = String(index.source);
      if (!html.includes(baseTexts)) return this.error("The page names its texts in another way");
      for (const { name, path, texts, file } of pages) {
        if (path === null) continue;
        const links = linksOf(bundle, [frame.file, file], shown[name]);
        const named = html.replace(baseTexts, `content="${["base", ...new Set([...frame.texts, ...texts])].join(" ")}"`);
        const write = (folder: string, asked: Question[][]) => {
          const added = [...asked.map(asking), ...links].filter((link) => !html.includes(addressOf(link)));
          const fileName = `${folder}${path === "/" ? "/index" : path}.html`;
          this.emitFile({
            type: "asset",
            fileName,
            source: named.replace("  </head>", `${added.map((link) => `    ${link}\n`).join("")}  </head>`),
          });
        };
        write("pages", ofFrame);
        const more = questions[name];
        if (more !== undefined) write("first", [...ofFrame, more]);
      }
    },
  };
}

/** The value of the page's `<meta name="texts">`. */
const baseTexts = 'content="base"';

const addressOf = (link: string): string => /href=("[^"]+")/u.exec(link)?.[1] ?? "";

const preload = (as: string, address: string): string => `<link rel="preload" as="${as}" crossorigin href="${address}">`;

/** All in one request, which is not refused for a part of it: browsers log every refusal. */
function asking(asked: Question[]): string {
  const inputs = Object.fromEntries(asked.flatMap(([, input], index) => (input === undefined ? [] : [[index, input]])));
  return preload("fetch", `/trpc/${asked.map(([path]) => path).join(",")}?batch=1&amp;input=${encodeURIComponent(JSON.stringify(inputs))}`);
}

/** `maybe`: the style of what may not be shown is no preload, of which browsers complain when nothing uses it. */
function linksOf(bundle: Bundle, modules: string[], maybe?: string): string[] {
  const certain = new Set(scriptsOf(bundle, ...modules));
  const scripts = new Set([...certain, ...(maybe === undefined ? [] : scriptsOf(bundle, maybe))]);
  const stylesOf = (names: Set<string>) =>
    new Set([...names].flatMap((name) => [...(chunkOf(bundle, name).viteMetadata?.importedCss ?? [])]));
  const styles = stylesOf(certain);
  return [
    ...[...scripts].map((name) => `<link rel="modulepreload" crossorigin href="/${name}">`),
    ...[...stylesOf(scripts)].map((name) =>
      styles.has(name) ? preload("style", `/${name}`) : `<link rel="stylesheet" crossorigin href="/${name}">`,
    ),
  ];
}

/** The chunks that a page begins with, and their static imports. */
export function scriptsOf(bundle: Bundle, ...modules: string[]): string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    chunkOf(bundle, name).imports.forEach(visit);
  };
  for (const module of modules) {
    const start = Object.values(bundle).find((file) => file.type === "chunk" && file.moduleIds.some((id) => id.endsWith(`/src/${module}`)));
    if (start === undefined) throw new Error(`No script holds ${module}`);
    visit(start.fileName);
  }
  return [...found];
}

function chunkOf(bundle: Bundle, name: string): Rolldown.OutputChunk {
  const file = bundle[name];
  if (file?.type !== "chunk") throw new Error(`${name} is no script`);
  return file;
}
