import { appRouter } from "admin-server/router";
import type { OpenAdmin } from "./open-admin.ts";

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

/** Calls a procedure by its path over HTTP, as a query or a mutation, whichever it is. */
export async function callProcedure(admin: Pick<OpenAdmin, "url">, path: string, input: unknown, token?: string): Promise<ProcedureAnswer> {
  const procedure = procedures[path];
  if (procedure === undefined) throw new Error(`there is no procedure ${path}`);
  const isQuery = procedure._def.type === "query";
  const url = `${admin.url}/trpc/${path}${isQuery ? `?input=${encodeURIComponent(JSON.stringify(input))}` : ""}`;
  const headers = { "content-type": "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(url, isQuery ? { headers } : { method: "POST", headers, body: JSON.stringify(input) });
  const text = await answer.text();
  const { error } = JSON.parse(text) as { error?: { data: { code: string } } };
  return { status: answer.status, code: error?.data.code ?? "ok", text };
}
