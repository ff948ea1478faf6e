import type { TRPCError } from "@trpc/server";
import type { TRPCDefaultErrorShape } from "@trpc/server";
import { z } from "zod";

export interface InputIssue {
  path: (string | number)[];
  code: string;
  message: string;
}

/** Adds the issues of a refused input, and keeps what went wrong inside the server out of the answer. */
export function formatError({ shape, error }: { shape: TRPCDefaultErrorShape; error: TRPCError }) {
  const issues = error.code === "BAD_REQUEST" ? issuesOf(error.cause) : null;
  return { ...shape, message: messageOf(shape, error, issues), data: { ...shape.data, issues } };
}

function messageOf(shape: TRPCDefaultErrorShape, error: TRPCError, issues: InputIssue[] | null): string {
  if (error.code === "INTERNAL_SERVER_ERROR") return "Something went wrong on the server. Try again; the server's log says more.";
  if (issues === null) return shape.message;
  return issues.map(placed).join("; ");
}

/** Some messages say by themselves where the fault is, at least within their part of the input. */
function placed({ path, message }: InputIssue): string {
  const place = path.join(".");
  const own = message.slice(0, Math.max(0, message.indexOf(": ")));
  return place === "" || (own !== "" && `.${place}`.endsWith(`.${own}`)) ? message : `${place}: ${message}`;
}

function issuesOf(cause: unknown): InputIssue[] | null {
  if (!(cause instanceof z.core.$ZodError)) return null;
  return cause.issues.map(({ path, code, message }) => ({ path: path.map(toPathMember), code: code ?? "custom", message }));
}

const toPathMember = (member: PropertyKey): string | number => (typeof member === "symbol" ? String(member) : member);
