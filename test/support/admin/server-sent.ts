/** One message of a stream of server-sent events. */
export interface ServerSent {
  /** `message` unless it has a name. */
  event: string;
  data: string;
}

/** Subscribes over plain HTTP; leaving the loop ends the subscription. */
export async function* serverSent(url: string, headers: Record<string, string> = {}): AsyncGenerator<ServerSent> {
  const ended = new AbortController();
  const answer = await fetch(url, { headers: { accept: "text/event-stream", ...headers }, signal: ended.signal });
  if (answer.body === null) throw new Error("an answer without a body");
  let text = "";
  try {
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) yield parse(block);
    }
  } finally {
    ended.abort();
  }
}

function parse(block: string): ServerSent {
  const lineOf = (name: string) =>
    block
      .split("\n")
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  return { event: lineOf("event") ?? "message", data: lineOf("data") ?? "" };
}
