import type { Middleware } from "koa";
import type { DashboardFile } from "./dashboard-files.ts";

/** The dashboard: its files, and its page for every other path, since it routes them itself. Paths that look like a file's are not found. */
export function dashboardRoute(files: Map<string, DashboardFile>): Middleware {
  return async (koa, next) => {
    if (!["GET", "HEAD"].includes(koa.method)) return next();
    const page = files.get("/index.html");
    const isFilePath = /\.[^/]*$/.test(koa.path);
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

/** The build puts a digest of the content into the names below /assets/. */
const cacheControl = (path: string): string => (path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache");

function explainMissingBuild(koa: Parameters<Middleware>[0]): void {
  koa.status = 404;
  koa.body = { error: "The dashboard is not built: run npm run build and start this server again" };
}
