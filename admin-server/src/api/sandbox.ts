import { createHash } from "node:crypto";
import { markReadInput, sandboxAnswerInput, sandboxMessagesInput } from "shared/core/input/log";
import { sandboxControlInput } from "shared/core/input/sandbox";
import type { JsonValue } from "shared/core/json";
import { knownValues } from "shared/core/known-values";
import { maskKnownWithin, textsOf } from "shared/core/mask";
import { may, type Role } from "shared/core/role";
import { findTemplate } from "shared/db/template";
import type { z } from "zod";
import type { AdminContext } from "../context.ts";
import { ownWabaId, sandboxOf } from "../sandbox/account.ts";
import type { SandboxClient, SandboxMessage } from "../sandbox/client.ts";
import { conflict, notFound } from "../trpc/errors.ts";
import { readPage } from "../trpc/paging.ts";
import { requirePhoneSearch, shownPhone } from "../trpc/roles.ts";
import { operatorCallProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

/** Entries of the audit are written before the calls, since the sandbox keeps none. */
export const sandboxRouter = router({
  messages: viewerProcedure.input(sandboxMessagesInput).query(({ ctx, input }) => {
    const { role, accountId: owner } = ctx.caller;
    return readPage(
      "sandbox",
      input,
      async ({ before, limit }) => {
        requirePhoneSearch(role, input.to);
        const sandbox = await openSandbox(ctx, owner);
        return await sandbox.messages({ owner, to: input.to, before: before ?? undefined, limit });
      },
      (message) => presentMessage(message, role),
      { keyOf: ({ seq }) => seq, isKey: (key) => /^\d{1,16}$/u.test(key) },
    );
  }),

  markRead: operatorCallProcedure.input(markReadInput).mutation(async ({ ctx, input }) => {
    const { accountId: owner } = ctx.caller;
    const sandbox = await openSandbox(ctx, owner);
    const own = await sandbox.messages({ owner, id: input.id, limit: 1 });
    if (!own.some((message) => message.id === input.id)) throw notFound("message");
    await ctx.record(ctx.sql, { subject: input.id });
    await sandbox.markRead(input.id);
    return { id: input.id };
  }),

  answer: operatorCallProcedure.input(sandboxAnswerInput).mutation(async ({ ctx, input }) => {
    const { accountId: owner } = ctx.caller;
    const sandbox = await openSandbox(ctx, owner);
    await ctx.record(ctx.sql);
    await sandbox.answer({ owner, ...input });
    return { from: input.from };
  }),

  control: operatorCallProcedure.input(sandboxControlInput).mutation(async ({ ctx, input }) => {
    const { accountId: owner } = ctx.caller;
    const sandbox = await openSandbox(ctx, owner);
    const template = input.of === "template" ? await findTemplate(ctx.sql, owner, input.id) : undefined;
    if (input.of === "template" && template === undefined) throw notFound("template");
    if (template?.platform_id === null) throw conflict("The template is not at WhatsApp yet: submit it first");
    await ctx.record(ctx.sql, input.of === "template" ? { subject: input.id } : {});
    await play(ctx, sandbox, owner, input, template?.platform_id ?? "");
    return { of: input.of };
  }),
});

type Control = z.output<typeof sandboxControlInput>;

async function play(context: AdminContext, sandbox: SandboxClient, owner: string, input: Control, platformId: string): Promise<void> {
  if (input.of === "news") {
    const value = newsOf(input.news, input.hours ?? 1, context.clock());
    return await sandbox.control("POST", "/account-updates", { wabaId: await ownWabaId(context, sandbox, owner), value });
  }
  if (input.of === "template") {
    const { of: _, id: __, ...change } = input;
    return await sandbox.control("PATCH", `/templates/${encodeURIComponent(platformId)}`, change);
  }
  const { of, ...told } = input;
  if (of === "person") return await sandbox.control("POST", "/people", { owner, ...told });
  return await sandbox.control("PATCH", `/accounts/${await ownWabaId(context, sandbox, owner)}`, told);
}

/** The value of an `account_update` callback. */
function newsOf(news: Extract<Control, { of: "news" }>["news"], hours: number, now: Date): object {
  if (news === "DISABLE" || news === "REINSTATE") return { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: news } };
  const violation_info = { violation_type: "UTILITY_TEMPLATE_ABUSE" };
  if (news === "warning") return { event: "ACCOUNT_RESTRICTION", violation_info };
  const expiration = Math.floor(now.getTime() / 1000) + hours * 3600;
  return {
    event: "ACCOUNT_RESTRICTION",
    ...(news === "RESTRICTED_UTILITY_TEMPLATES" && { violation_info }),
    restriction_info: [{ restriction_type: news, expiration }],
  };
}

/** The sandbox in which the account is the owner of its number; ids that its people entered are ignored. @throws TRPCError CONFLICT while it is not connected */
async function openSandbox(context: AdminContext, accountId: string): Promise<SandboxClient> {
  const sandbox = await sandboxOf(context, accountId);
  if (sandbox === null) throw conflict("The account is not connected to the sandbox: connect it in the settings");
  return sandbox;
}

/** Stands for the message's id, which contains the recipient's phone, lightly encoded. */
const messageHandle = ({ id }: Pick<SandboxMessage, "id">): string => createHash("sha256").update(id).digest("hex");

function presentMessage(listed: SandboxMessage, role: Role): Omit<SandboxMessage, "seq"> {
  const { seq: _, ...message } = listed;
  if (may(role, "seePhones")) return message;
  const { at, status, readAt, ...told } = message;
  const values = knownValues([...textsOf(message.components as JsonValue), message.to]);
  const shown = maskKnownWithin(told as JsonValue, values) as typeof told;
  return {
    ...shown,
    template: message.template,
    language: message.language,
    at,
    status,
    ...(readAt !== undefined && { readAt }),
    id: messageHandle(message),
    to: shownPhone(message.to, role),
  };
}
