import { attempt } from "shared/core/text";
import { type Said, SaidError, say, write } from "shared/core/wording";
import type { AssistantRow } from "shared/db/assistant";
import { endAssistantUse } from "shared/db/assistant-use";
import { createGuardedFetch } from "shared/guarded-request";
import { placeIn } from "shared/secrets/vault";
import type { AdminContext } from "../context.ts";
import { wentWrong } from "../trpc/errors.ts";
import { cleaned, type Proposal } from "./answer.ts";
import type { AssistantRequest } from "./request.ts";

/** The news of a question under way for the person who asked. `again`: the first answer broke rules, and the model was told which. */
export type AssistantNews =
  | { kind: "partial"; partial: unknown }
  | { kind: "text"; text: string }
  | { kind: "again"; problems: string[] }
  | { kind: "done"; proposal: Proposal; tokens: number }
  | { kind: "failed"; message: string; /** The message as data. */ said: Said };

const mostAnswerBytes = 4 * 1_048_576;
/** A model that answers badly twice would do so again. */
const mostTries = 2;
/** Characters of an answer, more than the most tokens make. */
const mostLength = 100_000;
/** The most tokens that an answer is counted with, whatever a provider says. */
const mostTokens = 1_000_000;
/** Characters between two looks at an unfinished answer: more as it grows, so that a long one is not read a thousand times. */
const stepOf = (length: number): number => Math.max(40, length / 16);

/** A rough number of tokens of a text, rather too many. */
const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);

/** The most that a question may cost. */
export function costOf({ system, messages, schema }: AssistantRequest, { output_tokens: output }: Pick<AssistantRow, "output_tokens">) {
  const input = tokensOf(system) + messages.reduce((sum, { content }) => sum + tokensOf(content), 0) + tokensOf(JSON.stringify(schema));
  return schema === null ? input + output : 2 * input + 3 * output;
}

/** How long a question may be under way. */
export const secondsOf = ({ timeout_seconds: seconds }: Pick<AssistantRow, "timeout_seconds">): number => mostTries * seconds + 30;

type RunContext = Pick<AdminContext, "sql" | "vault" | "config" | "log" | "stopping">;

/** A question to the provider of `row`, until `ended` is aborted. */
type Asked = { row: AssistantRow; request: AssistantRequest; ended: AbortSignal };
type Spent = { tokens: number };

/**
 * Asks the account's provider and yields its news. It ends with `done` or `failed`, also when the provider is away, hangs or talks nonsense; when `ended`
 * is aborted it stops at once. `use`: the row that records the cost.
 */
export async function* runQuestion(context: RunContext, use: { id: string }, { ended, ...asked }: Asked): AsyncGenerator<AssistantNews> {
  const spent = { tokens: 0 };
  try {
    yield* answers(context, { ...asked, ended: AbortSignal.any([ended, context.stopping]) }, spent);
  } catch (error) {
    if (ended.aborted) return;
    yield failed(describe(error, context));
  } finally {
    await endAssistantUse(context.sql, use.id, spent.tokens);
  }
}

async function* answers(context: RunContext, asked: Asked, spent: Spent): AsyncGenerator<AssistantNews> {
  const { request } = asked;
  const { readPartial } = await import("./provider.ts");
  const messages = [...request.messages];
  for (let tries = 1; ; tries += 1) {
    let answer = "";
    let seen = 0;
    for await (const text of answerOf(context, { ...asked, request: { ...request, messages } }, spent)) {
      answer += text;
      if (answer.length > mostLength) throw new SaidError(say("The answer is much longer than the limit: the provider ignores it"));
      if (request.schema === null) yield { kind: "text", text };
      else if (answer.length - seen >= stepOf(answer.length)) {
        seen = answer.length;
        const partial = await readPartial(answer);
        if (partial !== undefined) yield { kind: "partial", partial: cleaned(partial) };
      }
    }
    // A text that is no JSON is judged as it is.
    const judged = request.judge(request.schema === null ? answer : attempt((): unknown => JSON.parse(answer), answer));
    if ("proposal" in judged) return yield { kind: "done", proposal: judged.proposal, tokens: spent.tokens };
    if (tries === mostTries) {
      const problems = judged.problems.join("; ");
      return yield failed(
        request.unusable ?? say("The assistant's answer cannot be used ({problems}): rephrase the question", { problems }),
      );
    }
    yield { kind: "again", problems: judged.problems };
    const fault = `The answer breaks these rules:\n${judged.problems.map((problem) => `- ${problem}`).join("\n")}\nAnswer again, whole, and keep all rules.`;
    messages.push({ role: "assistant", content: answer || "{}" }, { role: "user", content: fault });
  }
}

/** The texts of one answer. Counts its cost, also if it breaks off. */
async function* answerOf({ config, vault }: RunContext, { row, request, ended }: Asked, spent: Spent): AsyncGenerator<string> {
  const { ask } = await import("./provider.ts");
  const { provider, base_url: baseUrl, model, output_tokens: outputTokens, timeout_seconds: seconds } = row;
  const apiKey = row.api_key === null ? null : vault.open(row.api_key, placeIn("assistant.api_key", row.account_id));
  const late = AbortSignal.timeout(seconds * 1_000);
  await using guarded = createGuardedFetch(config.allowPrivate, mostAnswerBytes);
  let [text, tokens]: [string, number | null] = ["", null];
  let isRefused = false;
  try {
    const signal = AbortSignal.any([ended, late]);
    for await (const part of ask({ provider, baseUrl, model, apiKey, outputTokens }, request, { signal, fetch: guarded.fetch })) {
      if ("tokens" in part) tokens = part.tokens;
      else {
        text += part.text;
        yield part.text;
      }
    }
  } catch (error) {
    isRefused = text === "" && error instanceof SaidError;
    if (!late.aborted || ended.aborted) throw error;
    throw new SaidError(
      say("The provider did not finish its answer within {seconds} seconds: try again, or raise the limit under Settings, Assistant", {
        seconds,
      }),
    );
  } finally {
    // The provider does not tell the cost of an answer that breaks off.
    const guess = costOf({ ...request, schema: null }, { output_tokens: tokensOf(text) });
    spent.tokens += isRefused ? 0 : tokens === null ? guess : Math.round(Math.min(Math.max(0, tokens), mostTokens));
  }
}

const failed = (said: Said): AssistantNews => ({ kind: "failed", message: write(said), said });

function describe(error: unknown, { log, stopping }: RunContext): Said {
  if (error instanceof SaidError) return error.said;
  if (stopping.aborted) return say("The server is being restarted: try again in a minute");
  log.error({ err: error }, "the assistant's question failed");
  return wentWrong;
}

/** A question that proves that the connection, the model and structured answers work; nothing of the account leaves with it. */
export const tryRequest: AssistantRequest = {
  system: 'Answer with the JSON value {"works": true} and nothing else.',
  messages: [{ role: "user", content: "Does it work?" }],
  schema: { type: "object", properties: { works: { type: "boolean" } }, required: ["works"], additionalProperties: false },
  judge: (answer) =>
    typeof answer === "object" && answer !== null && "works" in answer
      ? { proposal: { text: "" } }
      : { problems: ["it does not support structured output"] },
  unusable: say("This model does not support structured output"),
};
