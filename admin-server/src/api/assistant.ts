import { defaultAssistantLimits, defaultAssistantUrls } from "shared/core/assistant";
import {
  type AssistantQuestion,
  assistantQuestion,
  draftTemplateInput,
  explainInput,
  proposeBindingInput,
  saveAssistantInput,
  translateTemplateInput,
} from "shared/core/input/assistant";
import { idInput, noInput } from "shared/core/input/values";
import { may } from "shared/core/role";
import { type Said, say, write } from "shared/core/wording";
import { type AssistantRow, deleteAssistant, findAgreement, findAssistant, noteAgreement, saveAssistant } from "shared/db/assistant";
import { insertAssistantUse, readAssistantLoad, takeAssistantUse } from "shared/db/assistant-use";
import { newId } from "shared/db/ids";
import { type Sql, inTransaction } from "shared/db/statement";
import { addressProblem } from "shared/guarded-request";
import { placeIn } from "shared/secrets/vault";
import { z } from "zod";
import { readQuestion } from "../assistant/question.ts";
import { type AssistantNews, costOf, runQuestion, secondsOf, tryRequest } from "../assistant/run.ts";
import type { AdminContext, CallerContext } from "../context.ts";
import { secretHint } from "../platform-account.ts";
import type { Caller } from "../session/caller.ts";
import { whileLetIn } from "../session/sessions.ts";
import { conflict, invalidInput, absent, Refusal, requireUnchanged, tooMany } from "../trpc/errors.ts";
import { present } from "../trpc/paging.ts";
import { operatorProcedure, ownerCallProcedure, ownerProcedure, router } from "../trpc/trpc.ts";

/**
 * Questions that may be under way at the same time: of an account, of the accounts that were opened from one network, and of all. Once half of the places are
 * taken, an account has one, so that few accounts whose providers never answer leave places for the others; of its network's, twice as many are for accounts
 * that have none under way. `ofDay`: how many an account may ask in 24 hours.
 */
const most = { ofAccount: 4, ofNetwork: 8, firstOfNetwork: 16, anywhere: 40, ofDay: 2_000 };

export const assistantRouter = router({
  get: operatorProcedure.input(noInput).query(({ ctx }) => readAssistant(ctx.sql, ctx.caller)),

  /** The whole text that would leave for the provider, word for word. */
  preview: operatorProcedure.input(z.strictObject({ question: assistantQuestion })).query(async ({ ctx, input: { question } }) => {
    const row = await requireAssistant(ctx.sql, ctx.caller.accountId);
    const { system, messages } = await readQuestion(ctx, ctx.caller.accountId, question);
    return { place: placeOf(row), model: row.model, system, messages };
  }),

  /** The caller lets questions go to the provider at `place`, as `preview` names it. */
  agree: operatorProcedure.input(z.strictObject({ place: z.string().max(2048) })).mutation(async ({ ctx, input: { place } }) => {
    const { accountId, userId } = ctx.caller;
    const row = await requireAssistant(ctx.sql, accountId);
    if (place !== placeOf(row)) throw conflict("The assistant's provider has changed: check again what is shared");
    await noteAgreement(ctx.sql, accountId, userId, place);
    return readAssistant(ctx.sql, ctx.caller);
  }),

  draftTemplate: operatorProcedure.input(draftTemplateInput).mutation(({ ctx, input }) => begin(ctx, { kind: "draftTemplate", input })),

  translateTemplate: operatorProcedure
    .input(translateTemplateInput)
    .mutation(({ ctx, input }) => begin(ctx, { kind: "translateTemplate", input })),

  proposeBinding: operatorProcedure.input(proposeBindingInput).mutation(({ ctx, input }) => begin(ctx, { kind: "proposeBinding", input })),

  explain: operatorProcedure.input(explainInput).mutation(({ ctx, input }) => begin(ctx, { kind: "explain", input })),

  /** Asks the question that one of the four procedures has prepared, once and within a minute, and streams the answer. Leaving ends the question. */
  follow: operatorProcedure
    .input(idInput)
    .subscription(({ ctx, input: { id }, signal }) => whileLetIn(ctx, signal ?? ctx.stopping, (ended) => follow(ctx, id, ended))),

  /** Sends the provider a question that tells nothing of the account. */
  try: ownerCallProcedure
    .input(noInput)
    .mutation(async ({ ctx, signal }): Promise<{ ok: true } | { ok: false; error: string; said: Said }> => {
      const { accountId, userId } = ctx.caller;
      const row = await requireAssistant(ctx.sql, accountId);
      const use = { id: newId(), account_id: accountId, user_id: userId, kind: "try", model: row.model, tokens: costOf(tryRequest, row) };
      await inTransaction(ctx.sql, async (sql) => {
        await requireRoom(sql, row, use.tokens);
        await insertAssistantUse(sql, { ...use, input: {} });
        await ctx.record(sql, { subject: use.id });
      });
      await takeAssistantUse(ctx.sql, { id: use.id, accountId, userId }, secondsOf(row));
      const ended = signal ?? ctx.stopping;
      let last: AssistantNews | undefined;
      for await (const news of runQuestion(ctx, use, { row, request: tryRequest, ended })) last = news;
      if (last?.kind === "done") return { ok: true };
      const said = last?.kind === "failed" ? last.said : say("The provider gave no answer: try again");
      return { ok: false, error: write(said), said };
    }),
});

export const assistantSettingsRouter = router({
  saveAssistant: ownerProcedure.input(saveAssistantInput).mutation(async ({ ctx, input }) => {
    await save(ctx, ctx.caller, input);
    return readAssistant(ctx.sql, ctx.caller);
  }),

  removeAssistant: ownerProcedure.input(noInput).mutation(async ({ ctx }) => {
    await deleteAssistant(ctx.sql, ctx.caller.accountId);
    return readAssistant(ctx.sql, ctx.caller);
  }),
});

/** The place where questions go, in the words that a person agrees to. */
const placeOf = ({ base_url: url }: Pick<AssistantRow, "base_url">): string => new URL(url).origin;

async function requireAssistant(sql: Sql, accountId: string): Promise<AssistantRow> {
  const row = await findAssistant(sql, accountId);
  if (row === undefined) throw conflict("The account has no assistant: an owner enters its provider under Settings, Assistant");
  return row;
}

/** The version of an assistant that nobody has entered, which only a form can name. */
const noAssistant = { updated_at: new Date(0) };

/** Shows how the provider is reached only to people who may change it. */
async function readAssistant(sql: Sql, { accountId, userId, role }: Pick<Caller, "accountId" | "userId" | "role">) {
  const row = await findAssistant(sql, accountId);
  if (row === undefined) return { isOn: false as const };
  const place = placeOf(row);
  return {
    isOn: true as const,
    updatedAt: row.updated_at.toISOString(),
    place,
    model: row.model,
    isAgreed: (await findAgreement(sql, accountId, userId)) === place,
    usedTokens: (await readAssistantLoad(sql, accountId)).tokens,
    dailyTokens: row.daily_tokens,
    settings: may(role, "changeAssistant")
      ? {
          ...present(row, "provider", "base_url", "timeout_seconds", "output_tokens"),
          hasKey: row.api_key !== null,
          keyHint: row.api_key_hint,
        }
      : null,
  };
}

async function save({ sql, vault, config }: AdminContext, caller: Caller, input: z.output<typeof saveAssistantInput>): Promise<void> {
  const { accountId } = caller;
  const { provider, baseUrl = defaultAssistantUrls[provider], model, apiKey } = input;
  const problem = addressProblem(baseUrl, config.allowPrivate);
  if (problem !== null) throw invalidInput([{ path: ["baseUrl"], said: problem }]);
  const stored = await findAssistant(sql, accountId);
  await requireUnchanged(stored ?? noAssistant, input, () => readAssistant(sql, caller));
  const isElsewhere = stored !== undefined && (stored.provider !== provider || placeOf(stored) !== new URL(baseUrl).origin);
  if (isElsewhere && apiKey === undefined && stored.api_key !== null)
    throw invalidInput([{ path: ["apiKey"], said: say("Must be entered again: the stored key is not sent to another provider") }]);
  if (provider === "anthropic" && (apiKey ?? (apiKey === null ? null : stored?.api_key)) == null)
    throw invalidInput([{ path: ["apiKey"], said: say("Is required: Anthropic accepts no questions without one") }]);
  const seal = await vault.sealer(sql);
  const key =
    apiKey === undefined
      ? { api_key: stored?.api_key ?? null, api_key_hint: stored?.api_key_hint ?? "" }
      : apiKey === null
        ? { api_key: null, api_key_hint: "" }
        : { api_key: seal(apiKey, placeIn("assistant.api_key", accountId)), api_key_hint: secretHint(apiKey) };
  await saveAssistant(sql, {
    account_id: accountId,
    provider,
    base_url: baseUrl,
    model,
    ...key,
    timeout_seconds: input.timeoutSeconds ?? stored?.timeout_seconds ?? defaultAssistantLimits.timeoutSeconds,
    output_tokens: input.outputTokens ?? stored?.output_tokens ?? defaultAssistantLimits.outputTokens,
    daily_tokens: input.dailyTokens ?? stored?.daily_tokens ?? defaultAssistantLimits.dailyTokens,
  });
}

/** Prepares a question for `follow`, within the account's limits. */
async function begin(context: CallerContext, question: AssistantQuestion) {
  const { sql, caller } = context;
  const { accountId, userId } = caller;
  const row = await requireAssistant(sql, accountId);
  const tokens = costOf(await readQuestion(context, accountId, question), row);
  if ((await findAgreement(sql, accountId, userId)) !== placeOf(row)) {
    throw new Refusal(
      "PRECONDITION_FAILED",
      say("You have not agreed yet to what is shared with this provider: check it (assistant.preview), agree (assistant.agree), then ask"),
    );
  }
  await requireRoom(sql, row, tokens);
  const { kind, input } = question;
  const id = newId();
  await insertAssistantUse(sql, { id, account_id: accountId, user_id: userId, kind, model: row.model, tokens, input });
  return { use: { id } };
}

/** @throws TRPCError TOO_MANY_REQUESTS */
async function requireRoom(sql: Sql, row: AssistantRow, cost: number): Promise<void> {
  const load = await readAssistantLoad(sql, row.account_id);
  const share = load.running_anywhere * 2 >= most.anywhere ? 1 : most.ofAccount;
  if (load.running >= share)
    throw tooMany(
      10,
      say(
        "{most, plural, one {# question of the account is} other {# questions of the account are}} running: try again when one has ended",
        { most: share },
      ),
    );
  const ofNetwork = load.running === 0 ? most.firstOfNetwork : most.ofNetwork;
  if (load.running_anywhere >= most.anywhere || load.running_of_network >= ofNetwork)
    throw tooMany(10, say("The assistant is too busy now: try again soon"));
  if (load.count >= most.ofDay)
    throw tooMany(3_600, say("The account has asked {most} questions in 24 hours: try again later", { most: most.ofDay }));
  if (load.tokens + cost <= row.daily_tokens) return;
  const said = say(
    "The account's limit for the assistant is reached ({used} of {most} tokens were used in 24 hours, and this question may need {cost}): try again later, or ask an owner to raise it",
    { used: load.tokens, most: row.daily_tokens, cost },
  );
  throw tooMany(3_600, said);
}

async function* follow(context: CallerContext, id: string, ended: AbortSignal) {
  const { accountId, userId } = context.caller;
  const row = await requireAssistant(context.sql, accountId);
  const use =
    (await takeAssistantUse(context.sql, { id, accountId, userId }, secondsOf(row))) ??
    absent("question: a question can be asked once, within a minute. Ask again");
  // Inputs are stored as they were after their check.
  const request = await readQuestion(context, accountId, { kind: use.kind, input: use.input } as AssistantQuestion);
  yield* runQuestion(context, use, { row, request, ended });
}
