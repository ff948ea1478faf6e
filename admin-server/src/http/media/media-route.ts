import type { Context as KoaContext, Middleware } from "koa";
import type { AdminContext } from "../../context.ts";
import { callerAsActor, recordMutation } from "../../trpc/record-mutation.ts";
import { requireRole } from "../../trpc/require-role.ts";
import { answerRefusal } from "../answer-refusal.ts";
import { requestContext } from "../request-context.ts";
import { receiveMedia } from "./receive-media.ts";
import { serveMedia } from "./serve-media.ts";

/**
 * Files for the headers of templates: `POST /media?name=` with the bytes as they are and their type answers `{file: {id, name, type, size}}`, and
 * `GET /media/{id}` shows one. Callers, roles and refusals are those of the procedures; a refusal is `{error}`.
 */
export function mediaRoute(context: AdminContext): Middleware {
  return async (koa, next) => {
    const isUpload = koa.path === "/media" && koa.method === "POST";
    const id = /^\/media\/([0-9a-f-]{36})$/i.exec(koa.path)?.[1];
    if (!isUpload && (id === undefined || koa.method !== "GET")) return next();
    koa.set("cache-control", "no-store");
    try {
      await (isUpload ? upload(context, koa) : show(context, koa, id ?? ""));
    } catch (cause) {
      refuse(context, koa, cause);
    }
  };
}

async function upload(context: AdminContext, koa: KoaContext): Promise<void> {
  const request = await requestContext(context, koa);
  const caller = requireRole(request.caller, "operator");
  const { id, name, type, size } = await receiveMedia(context.sql, caller.accountId, koa);
  await recordMutation(request, callerAsActor(caller), { action: "media.upload", subject: id });
  koa.body = { file: { id, name, type, size } };
}

async function show(context: AdminContext, koa: KoaContext, id: string): Promise<void> {
  const { caller } = await requestContext(context, koa);
  await serveMedia(context, requireRole(caller, "viewer").accountId, id, koa);
}

function refuse({ log }: AdminContext, koa: KoaContext, cause: unknown): void {
  // What is left of a body that nobody wants is not read.
  koa.set("connection", "close");
  answerRefusal(log, koa, cause);
}
