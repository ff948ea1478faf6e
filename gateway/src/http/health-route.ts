import { readFileSync } from "node:fs";
import type { Context } from "koa";
import { Refusal } from "../ingest/refusal.ts";
import type { Readiness } from "./readiness.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };

/** 200 while the process lives; `degraded` says that events cannot be taken at the moment. */
export const answerHealth = async (ctx: Context, readiness: Readiness): Promise<void> => {
  const database = await readiness.databaseAnswers();
  const status = database && !readiness.stopping ? "ok" : "degraded";
  answerJson(ctx, {
    status,
    version,
    uptimeSeconds: Math.floor(process.uptime()),
    database: database ? "ok" : "away",
    stopping: readiness.stopping,
  });
};

/** 200 when events are taken; 503 when not, for a load balancer to look elsewhere. */
export const answerReady = async (ctx: Context, readiness: Readiness): Promise<void> => {
  if (readiness.stopping) throw new Refusal("stopping");
  if (!(await readiness.databaseAnswers())) throw new Refusal("database_away");
  answerJson(ctx, { status: "ready" });
};

const answerJson = (ctx: Context, body: object): void => {
  ctx.set("Cache-Control", "no-store");
  ctx.type = "application/json; charset=utf-8";
  ctx.body = JSON.stringify(body);
};
