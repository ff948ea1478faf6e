import { appRouter } from "admin-server/router";
import type { OpenAdmin } from "./open-admin.ts";
import { serverSent } from "./server-sent.ts";

export interface ProcedureAnswer {
  status: number;
  /** `ok`, else tRPC's code. */
  code: string;
  text: string;
}

// At run time the record is flat, by path; its type is nested.
const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>;

/** Every procedure that there is, by its path. */
export const procedurePaths: string[] = Object.keys(procedures);

/** Those of them that change something. */
export const mutationPaths: string[] = procedurePaths.filter((path) => procedures[path]?._def.type === "mutation");

/** Calls a procedure by its path over HTTP, as a query, a mutation or a subscription, whichever it is. */
export async function callProcedure(admin: Pick<OpenAdmin, "url">, path: string, input: unknown, token?: string): Promise<ProcedureAnswer> {
  const procedure = procedures[path];
  if (procedure === undefined) throw new Error(`there is no procedure ${path}`);
  const isMutation = procedure._def.type === "mutation";
  const url = `${admin.url}/trpc/${path}${isMutation ? "" : `?input=${encodeURIComponent(JSON.stringify(input))}`}`;
  const headers = { "content-type": "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  if (procedure._def.type === "subscription") return await subscribe(url, headers);
  const answer = await fetch(url, !isMutation ? { headers } : { method: "POST", headers, body: JSON.stringify(input) });
  const text = await answer.text();
  const { error } = JSON.parse(text) as { error?: { data: { code: string } } };
  return { status: answer.status, code: error?.data.code ?? "ok", text };
}

/** The first thing that a subscription tells. */
async function subscribe(url: string, headers: Record<string, string>): Promise<ProcedureAnswer> {
  for await (const { event, data } of serverSent(url, headers)) {
    if (event === "connected") continue;
    const code = event === "serialized-error" ? (JSON.parse(data) as { data: { code: string } }).data.code : "ok";
    return { status: 200, code, text: data };
  }
  throw new Error("the subscription ended without a word");
}
