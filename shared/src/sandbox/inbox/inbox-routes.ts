import { deleteSandboxMessages, findSandboxMessage, listSandboxMessages, type MessageFilter } from "../../db/tables/sandbox/message.ts";
import type { Handler } from "../http/answer.ts";
import { ControlError } from "../http/control.ts";
import type { Route } from "../http/match-route.ts";
import { forgetMessages } from "./forget-messages.ts";
import { markRead } from "./mark-read.ts";
import { presentMessage } from "./present-message.ts";

const MOST = 10_000;

const listMessages: Handler = async (context, { query }) => {
  const filter = { ...filterOf(query), unreached: query.get("unreached") === "1", limit: limitOf(query) };
  const rows = await listSandboxMessages(context.sql, filter);
  return { json: rows.map((row) => presentMessage(row, context.options.now())) };
};

const showMessage: Handler = async (context, { params }) => {
  const row = await findSandboxMessage(context.sql, params["id"] ?? "");
  if (row === undefined) throw new ControlError(404, `No message ${params["id"] ?? ""}`);
  return { json: presentMessage(row, context.options.now()) };
};

const emptyInbox: Handler = async (context, { query }) => ({
  json: { deleted: await deleteSandboxMessages(context.sql, filterOf(query)) },
});

/** The phone: every message as its recipient would see it. */
export const inboxRoutes: Route[] = [
  ["GET", "/_sandbox/messages", listMessages],
  ["DELETE", "/_sandbox/messages", emptyInbox],
  ["GET", "/_sandbox/messages/:id", showMessage],
  ["POST", "/_sandbox/messages/:id/read", markRead],
  ["POST", "/_sandbox/forget", forgetMessages],
];

function filterOf(query: URLSearchParams): MessageFilter {
  const to = query.get("to") ?? "";
  // A plus sign in a query reads as a space.
  return { recipient: to === "" ? null : to.replaceAll(/\D/g, ""), phoneNumberId: query.get("phoneNumberId") };
}

function limitOf(query: URLSearchParams): number {
  const limit = Number(query.get("limit") ?? MOST);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST) throw new ControlError(400, `limit must be a whole number from 1 to ${MOST}`);
  return limit;
}
