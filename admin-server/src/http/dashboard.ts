import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Context, Middleware } from "koa";
import { readCookie, readCookies } from "../session/sessions.ts";
import types from "./content-types.json" with { type: "json" };
import { refuseWith } from "./refusals.ts";

/**
 * Serves the dashboard's files, and its page for every other path: the page routes those itself. For a person with a session, the page names its files and
 * queries. The head of its answer names its texts in the reader's language. An unknown path with a file extension is not found.
 */
export function dashboardRoute(files: Map<string, DashboardFile>, secure: boolean): Middleware {
  const pageAt = createPages(files);
  const textsOf = createTexts(files);
  return async (koa, next) => {
    if (!["GET", "HEAD"].includes(koa.method)) return next();
    const hasSession = readCookies(koa.headers.cookie, secure).session !== null;
    const page = (hasSession ? pageAt(koa.path, koa.querystring) : undefined) ?? files.get("/index.html");
    const isFilePath = koa.path.lastIndexOf(".") > koa.path.lastIndexOf("/");
    const file = (isPage(koa.path) ? undefined : files.get(koa.path)) ?? (isFilePath ? undefined : page);
    if (file === undefined) {
      if (page === undefined && koa.path === "/")
        refuseWith(koa, 404, "The dashboard is not built: run npm run build and start this server again");
      return;
    }
    const encoding = encodings.find((name) => file.bodies.has(name) && koa.acceptsEncodings(name) !== false) ?? "identity";
    const { body, etag } = file.bodies.get(encoding) ?? file.identity;
    koa.body = body();
    koa.set({
      "content-type": file.type,
      etag,
      "cache-control": cacheControl(koa.path),
      vary: file.type.startsWith("text/html") ? "Accept-Encoding, Accept-Language, Cookie" : "Accept-Encoding",
    });
    const texts = textsOf(file, koa);
    if (texts.length > 0) koa.set("link", texts.map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`).join(", "));
    if (encoding !== "identity") koa.set("content-encoding", encoding);
    if (koa.fresh) koa.status = 304;
  };
}

/** Names below /assets/ contain a digest of the content. */
const cacheControl = (path: string): string => (path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache");

/** Files that are sent at the paths of their pages. */
const isPage = (path: string): boolean => /^\/(?:first|pages)\/.*\.html$/u.test(path);

/**
 * Finds the file of a page's path, such as `pages/sites.html` or `pages/sites/$siteId.html`; a path by its name goes before one with a parameter. Pages in
 * `first` go before the others if the path has no query.
 */
function createPages(files: Map<string, DashboardFile>): (path: string, query: string) => DashboardFile | undefined {
  const inFolder = (folder: string) =>
    Array.from(files)
      .filter(([path]) => path.startsWith(folder) && isPage(path))
      .map(([path, file]) => ({
        steps: path
          .slice(folder.length, -".html".length)
          .replace(/^index$/u, "")
          .split("/"),
        file,
      }))
      .toSorted((a, b) => parameters(a.steps) - parameters(b.steps));
  const [first, pages] = [inFolder("/first/"), inFolder("/pages/")];
  return (path, query) => {
    const steps = path.slice(1).split("/");
    const isHere = (step: string, index: number): boolean => step === steps[index] || (step.startsWith("$") && steps[index] !== "");
    const choices = query === "" ? [...first, ...pages] : pages;
    return choices.find((page) => page.steps.length === steps.length && page.steps.every(isHere))?.file;
  };
}

/** Finds the files of the texts that a page names, `<meta name="texts" content="base shell">`, in the reader's language. */
function createTexts(files: Map<string, DashboardFile>): (page: DashboardFile, koa: Context) => string[] {
  const folders = new Map(
    [...files.keys()].flatMap((path) => {
      const [, folder, language] = /^(\/assets\/texts-[\w-]+\/(\w+))\/base\.json$/u.exec(path) ?? [];
      return folder === undefined || language === undefined ? [] : [[language, folder] as const];
    }),
  );
  const pages = Array.from(files.values()).filter(({ type }) => type.startsWith("text/html"));
  const names = new Map(
    pages.map((page) => [page, /<meta name="texts" content="([\w -]*)"/u.exec(page.identity.body().toString())?.[1]?.split(" ") ?? []]),
  );
  return (page, koa) => {
    const named = names.get(page) ?? [];
    if (named.length === 0) return [];
    const folder = folders.get(languageOf(koa, folders));
    return folder === undefined ? [] : named.map((name) => `${folder}/${name}.json`).filter((path) => files.has(path));
  };
}

/** Picks the language as the dashboard does: the chosen one, which it keeps in a cookie, else the first of the browser's that it has. */
function languageOf(koa: Context, known: Pick<Map<string, unknown>, "has">): string {
  const preferred = koa.acceptsLanguages().map((tag) => tag.split("-", 1)[0]?.toLowerCase() ?? "");
  const chosen = readCookie(koa.headers.cookie, "tidings_language") ?? "";
  return [chosen, ...preferred].find((language) => known.has(language)) ?? "en";
}

const parameters = (steps: readonly string[]): number => steps.filter((step) => step.startsWith("$")).length;

/** The encodings, the best first. The build writes a file of this ending beside each file that gets smaller by it. */
const encodings = ["br", "gzip", "identity"];
const endings: Record<string, string> = { ".br": "br", ".gz": "gzip" };

interface Body {
  body: () => Buffer;
  etag: string;
}

export interface DashboardFile {
  type: string;
  identity: Body;
  /** The bodies by encoding, `identity` included. */
  bodies: Map<string, Body>;
}

/**
 * The dashboard's build by path, such as `/index.html`; empty when it is not built. It is kept in memory, so no request path reaches the disk, and a file that
 * has a compressed form is kept in that form alone: browsers ask for no other.
 */
export async function readDashboard(directory: string): Promise<Map<string, DashboardFile>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const isZipped = new Set(names.filter((name) => extname(name) === ".gz").map((name) => name.slice(0, -".gz".length)));
  const read = await Promise.all(names.filter((name) => !isZipped.has(name)).map(async (name) => [name, await readBody(name)] as const));
  const bodies = new Map(read);
  const files = new Map<string, DashboardFile>();
  for (const name of names) {
    const zipped = bodies.get(`${name}.gz`);
    const identity = zipped === undefined ? bodies.get(name) : unzipped(zipped);
    if (identity === undefined || extname(name) in endings) continue;
    const encoded = Object.entries(endings).map(([ending, encoding]) => [encoding, bodies.get(name + ending)] as const);
    files.set(`/${relative(directory, name).split(sep).join("/")}`, {
      type: (types as Partial<Record<string, string>>)[extname(name)] ?? "application/octet-stream",
      identity,
      bodies: new Map([...encoded, ["identity", identity] as const].filter((entry): entry is [string, Body] => entry[1] !== undefined)),
    });
  }
  return files;
}

const unzipped = ({ body, etag }: Body): Body => ({ etag: etag.replace(/"$/, '-plain"'), body: () => gunzipSync(body()) });

async function readBody(file: string): Promise<Body> {
  const body = await readFile(file);
  return { body: () => body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
}
