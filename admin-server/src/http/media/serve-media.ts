import { Readable } from "node:stream";
import { TRPCError } from "@trpc/server";
import type { Context as KoaContext } from "koa";
import { findMediaFile, readMediaFile } from "shared/db/media-file";
import type { AdminContext } from "../../context.ts";

/** Answers a file of the account as it was uploaded. @throws TRPCError */
export async function serveMedia({ sql, log }: AdminContext, accountId: string, id: string, koa: KoaContext): Promise<void> {
  const file = await findMediaFile(sql, accountId, id);
  if (file === undefined) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such file" });
  koa.attachment(file.name, { type: file.type === "application/pdf" ? "attachment" : "inline" });
  koa.type = file.type;
  koa.length = file.size;
  // A file never changes, and is nobody else's.
  koa.set("cache-control", "private, max-age=86400, immutable");
  koa.body = Readable.from(readMediaFile(sql, id)).on("error", (error) =>
    log.warn({ err: error, path: koa.path }, "a file was not sent whole"),
  );
}
