import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { listen } from "./listen.ts";

/** A question in the form in which the provider got it. */
export interface AskedModel {
  path: string;
  headers: IncomingHttpHeaders;
  /** The body as it came. */
  body: string;
  /** The instructions and the question to the model, for either kind of provider. */
  system: string;
  messages: { role: string; text: string }[];
  json: Record<string, unknown>;
}

/**
 * The model's reply: `answer` comes in pieces, `status` refuses, `cut` ends the connection in the middle, "hang" says nothing, `raw` is any text with
 * status 200. `unfinished`: the answer never ends.
 */
export type ModelReply =
  | { answer: string; finish?: "stop" | "length"; silentOnUsage?: true; unfinished?: true }
  | { status: number; text?: string; headers?: Record<string, string> }
  | { cut: string }
  | { raw: string; type?: string }
  | "hang";

export interface ModelServer extends AsyncDisposable {
  /** The base URL for the settings. */
  url: string;
  /** The questions in the order of arrival. */
  asked: AskedModel[];
  /** The number of questions that their caller broke off. */
  readonly left: number;
  reply(next: (asked: AskedModel, index: number) => ModelReply): void;
}

/** The cost of every answer of a stand-in. */
export const costOfAnswer = { input: 70, output: 30 };

/** A provider on loopback that speaks like OpenAI-compatible servers or like Anthropic's, in real streams. */
export async function startModelServer(kind: "openai" | "anthropic"): Promise<ModelServer> {
  const asked: AskedModel[] = [];
  let left = 0;
  let reply: (asked: AskedModel, index: number) => ModelReply = () => ({ status: 500 });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    response.on("close", () => (left += response.writableFinished ? 0 : 1));
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const json = JSON.parse(body) as Record<string, unknown>;
      const one = { path: request.url ?? "", headers: request.headers, body, json, ...readers[kind](json) };
      const index = asked.push(one) - 1;
      write(response, reply(one, index), writers[kind](json));
    });
  });
  const listening = await listen(server);
  return {
    ...listening,
    url: `${listening.url}/v1`,
    asked,
    get left() {
      return left;
    },
    reply: (next) => void (reply = next),
  };
}

type Message = { role: string; content: string | { text?: string }[] };
const textOf = ({ content }: Message): string => (typeof content === "string" ? content : content.map(({ text = "" }) => text).join(""));

const readers = {
  openai: (json: Record<string, unknown>) => {
    const messages = json["messages"] as Message[];
    return {
      system: messages
        .filter(({ role }) => role === "system")
        .map(textOf)
        .join("\n"),
      messages: messages.filter(({ role }) => role !== "system").map((message) => ({ role: message.role, text: textOf(message) })),
    };
  },
  anthropic: (json: Record<string, unknown>) => ({
    system: textOf({ role: "system", content: json["system"] as Message["content"] }),
    messages: (json["messages"] as Message[]).map((message) => ({ role: message.role, text: textOf(message) })),
  }),
};

/** The lines of a stream: the beginning, a text, and the end. */
interface Writer {
  start: string;
  piece: (text: string) => string;
  end: (finish: "stop" | "length", withUsage: boolean) => string;
}

const event = (data: object, name?: string): string => `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
const { input, output } = costOfAnswer;

const writers: Record<"openai" | "anthropic", (json: Record<string, unknown>) => Writer> = {
  openai: (json) => {
    const chunk = (choices: object[], more: object = {}) =>
      event({ id: "c1", object: "chat.completion.chunk", created: 1, model: json["model"], choices, ...more });
    return {
      start: chunk([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]),
      piece: (content) => chunk([{ index: 0, delta: { content }, finish_reason: null }]),
      end: (finish, withUsage) =>
        chunk([{ index: 0, delta: {}, finish_reason: finish }]) +
        (withUsage ? chunk([], { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output } }) : "") +
        "data: [DONE]\n\n",
    };
  },
  anthropic: (json) => {
    // Anthropic's older models give structured answers as the input of a tool.
    const isTool = Array.isArray(json["tools"]) && json["tools"].length > 0;
    const send = (data: { type: string; [member: string]: unknown }) => event(data, data.type);
    const block = isTool ? { type: "tool_use", id: "t1", name: "json", input: {} } : { type: "text", text: "" };
    const usage = { input_tokens: input, output_tokens: 1 };
    const message = {
      id: "m1",
      type: "message",
      role: "assistant",
      model: json["model"],
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    return {
      start: send({ type: "message_start", message }) + send({ type: "content_block_start", index: 0, content_block: block }),
      piece: (text) =>
        send({
          type: "content_block_delta",
          index: 0,
          delta: isTool ? { type: "input_json_delta", partial_json: text } : { type: "text_delta", text },
        }),
      end: (finish) => {
        const reason = finish === "length" ? "max_tokens" : isTool ? "tool_use" : "end_turn";
        return (
          send({ type: "content_block_stop", index: 0 }) +
          send({ type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: output } }) +
          send({ type: "message_stop" })
        );
      },
    };
  },
};

const stream = { "content-type": "text/event-stream" };

function write(response: ServerResponse, reply: ModelReply, writer: Writer): void {
  if (reply === "hang") return;
  if ("status" in reply) {
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    return void response.end(reply.text ?? JSON.stringify({ error: { message: "no", type: "error" } }));
  }
  if ("raw" in reply) return void response.writeHead(200, { "content-type": reply.type ?? "text/html" }).end(reply.raw);
  response.writeHead(200, stream).write(writer.start);
  const text = "cut" in reply ? reply.cut : reply.answer;
  for (let at = 0; at < text.length; at += 16) response.write(writer.piece(text.slice(at, at + 16)));
  // Once all of it has left: a newer Node keeps back what is written in one turn.
  if ("cut" in reply) return void response.write("\n", () => response.socket?.end());
  if (reply.unfinished !== true) response.end(writer.end(reply.finish ?? "stop", reply.silentOnUsage !== true));
}
