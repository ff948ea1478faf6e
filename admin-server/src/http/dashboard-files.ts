import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";

export interface DashboardFile {
  body: Buffer;
  type: string;
  etag: string;
}

/** The dashboard's build by path, such as `/index.html`; empty when it was not built. Kept in memory: it is small, and no path of a request ever reaches the disk. */
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
