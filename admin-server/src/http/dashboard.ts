import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { Middleware } from "koa";

/** Serves the dashboard's files, and its page for every other path: the page routes those itself. An unknown path with a file extension is not found. */
export function dashboardRoute(files: Map<string, DashboardFile>): Middleware {
  return async (koa, next) => {
    if (!["GET", "HEAD"].includes(koa.method)) return next();
    const page = files.get("/index.html");
    const isFilePath = koa.path.lastIndexOf(".") > koa.path.lastIndexOf("/");
    const file = files.get(koa.path) ?? (isFilePath ? undefined : page);
    if (file === undefined) {
      if (page === undefined && koa.path === "/") explainMissingBuild(koa);
      return;
    }
    koa.body = file.body;
    koa.set({ "content-type": file.type, etag: file.etag, "cache-control": cacheControl(koa.path) });
    if (koa.fresh) koa.status = 304;
  };
}

/** Names below /assets/ contain a digest of the content. */
const cacheControl = (path: string): string => (path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache");

function explainMissingBuild(koa: Parameters<Middleware>[0]): void {
  koa.status = 404;
  koa.body = { error: "The dashboard is not built: run npm run build and start this server again" };
}

export interface DashboardFile {
  body: Buffer;
  type: string;
  etag: string;
}

/** The dashboard's build by path, such as `/index.html`; empty when it is not built. It is kept in memory, so no request path reaches the disk. */
export async function readDashboard(directory: string): Promise<Map<string, DashboardFile>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(files.map(async (file) => [pathOf(directory, file), await readOne(file)] as const)));
}

const pathOf = (directory: string, file: string): string => `/${relative(directory, file).split(sep).join("/")}`;

async function readOne(file: string): Promise<DashboardFile> {
  const body = await readFile(file);
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return { body, type: types[extname(file)] ?? "application/octet-stream", etag };
}

const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};
