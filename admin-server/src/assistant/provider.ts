// The library is loaded with the first question: it takes memory and time that a server without an assistant does not spend.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, jsonSchema, type LanguageModel, Output, parsePartialJson, streamText } from "ai";
import { type Said, SaidError, say } from "shared/core/wording";
import { RequestFailed } from "shared/guarded-request";
import { plainText } from "./data.ts";
import type { RequestText } from "./request.ts";

export interface ProviderSettings {
  provider: "openai" | "anthropic";
  baseUrl: string;
  model: string;
  apiKey: string | null;
  outputTokens: number;
}

/** A part of an answer as it comes, and at its end the tokens it has cost; null if the provider does not say. */
export type AnswerPart = { text: string } | { tokens: number | null };

// The library's warnings would stand between the log's JSON lines.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

/** Asks the model. @throws SaidError, for the person who asked, and the reason with which `signal` is aborted */
export async function* ask(
  settings: ProviderSettings,
  { system, messages, schema }: RequestText & { schema: object | null },
  { signal, fetch }: { signal: AbortSignal; fetch: typeof globalThis.fetch },
): AsyncGenerator<AnswerPart> {
  const result = streamText({
    model: modelOf(settings, fetch),
    system,
    messages,
    maxOutputTokens: settings.outputTokens,
    maxRetries: 0,
    abortSignal: signal,
    // Prints nothing: the error is thrown below.
    onError: () => undefined,
    ...(schema !== null && { output: inFormOf(schema) }),
  });
  try {
    for await (const part of result.fullStream) {
      if (part.type === "text-delta") yield { text: part.text };
      else if (part.type === "error") throw part.error;
      else if (part.type === "finish") {
        requireWhole(part.finishReason, settings.outputTokens);
        const { inputTokens, outputTokens } = part.totalUsage;
        yield { tokens: inputTokens === undefined && outputTokens === undefined ? null : (inputTokens ?? 0) + (outputTokens ?? 0) };
      }
    }
    signal.throwIfAborted();
  } catch (error) {
    throw signal.aborted
      ? signal.reason
      : error instanceof SaidError
        ? error
        : new SaidError(describeFault(error, settings), { cause: error });
  }
}

/** Asks for an answer of that form but takes its text: parsing a long one with each piece would take a time that grows with its square. */
const inFormOf = (schema: object) => ({ ...Output.text(), responseFormat: Output.object({ schema: jsonSchema(schema) }).responseFormat });

/** The readable part of an unfinished answer. */
export const readPartial = async (text: string): Promise<unknown> => (await parsePartialJson(text)).value;

function modelOf({ provider, baseUrl: baseURL, model, apiKey }: ProviderSettings, fetch: typeof globalThis.fetch): LanguageModel {
  if (provider === "anthropic") return createAnthropic({ baseURL, apiKey: apiKey ?? "", fetch })(model);
  // OpenAI's own models take no other name for the limit, and other providers do not know this one.
  const isOpenAi = new URL(baseURL).hostname === "api.openai.com";
  const compatible = createOpenAICompatible({
    name: "openai",
    baseURL,
    ...(apiKey !== null && { apiKey }),
    fetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
    transformRequestBody: ({ max_tokens: most, ...body }: Record<string, unknown>) => ({
      ...body,
      [isOpenAi ? "max_completion_tokens" : "max_tokens"]: most,
    }),
  });
  return compatible(model);
}

function requireWhole(reason: string, outputTokens: number): void {
  if (reason === "stop" || reason === "tool-calls") return;
  if (reason === "length")
    throw new SaidError(
      say("The answer is longer than {outputTokens} tokens: ask for less, or raise the limit under Settings, Assistant", { outputTokens }),
    );
  if (reason === "content-filter") throw new SaidError(say("The provider's filter blocked the answer: rephrase the question"));
  throw new SaidError(say("The provider's answer stopped too early: try again"));
}

const unreadable = say("The provider's answer cannot be read: check the address and the kind of provider");

function describeFault(error: unknown, { model, apiKey }: ProviderSettings): Said {
  if (error instanceof RequestFailed) return describeRequestFault(error);
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof RequestFailed) return describeRequestFault(cause);
  if (!APICallError.isInstance(error) || error.statusCode === undefined) return unreadable;
  const { statusCode: status, responseHeaders } = error;
  if (status >= 300 && status < 400)
    return say("The provider redirects to another address (HTTP {status}), and nothing is sent there: enter the final address", { status });
  if (status === 401 || status === 403)
    return say("The provider refuses the key (HTTP {status}): enter another one under Settings, Assistant", { status });
  if (status === 404)
    return say("The provider has no model {model} at this address (HTTP 404): check the model and the address", { model });
  if (status === 429) {
    const seconds = Number(responseHeaders?.["retry-after"]);
    const when = Number.isInteger(seconds) && seconds > 0 ? say("try again in {seconds} s", { seconds }) : say("try again later");
    return say("The provider accepts no more questions now, or your credit is used up (HTTP 429): {when}", { when });
  }
  if (status >= 500) return say("The provider has a problem (HTTP {status}): try again in a few minutes", { status });
  if (status < 300) return unreadable;
  const words = wordsOf(error.message, apiKey);
  if (words === "")
    return say("The provider refuses the question (HTTP {status}): check the model; it must support structured answers", { status });
  return say("The provider refuses the question (HTTP {status}) with “{words}”: check the model; it must support structured answers", {
    status,
    words,
  });
}

/** The provider's own words, without the key. */
const wordsOf = (message: string, apiKey: string | null): string =>
  plainText(apiKey === null ? message : message.replaceAll(apiKey, "•••"), 200)
    .replaceAll(/\s+/g, " ")
    .trim();

function describeRequestFault({ fault, message }: RequestFailed): Said {
  if (fault === "address_private") return say("The provider's address is private: WEBHOOK_ALLOW_PRIVATE on the server can allow it");
  if (fault === "not_encrypted")
    return say("The provider's address begins with http://, so others could read the key: enter an https:// address");
  if (fault === "too_large") return say("The provider's answer is too large and is not used");
  return say("The provider cannot be reached ({message}): check the address, and that the provider is online", { message });
}
