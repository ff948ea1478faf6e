/** A refusal of the server. `code` is stable, and `issues` name what is wrong with each member of an input. */
export class Refused extends Error {
  constructor({ code = "FAILED", message = "The server refused", issues = [] } = {}) {
    super(message);
    this.name = "Refused";
    this.code = code;
    this.issues = issues;
  }
}

/** A typed client of an admin server: `client.call("sites.list", {})`, and `client.follow("events.tail", {})` for what comes. */
export function createClient({ url, token }) {
  const base = url.replace(/\/+$/, "");
  const authorization = `Bearer ${token}`;

  async function call(procedure, input = {}) {
    const headers = { authorization, "content-type": "application/json" };
    const address = `${base}/api/v1/${procedure.replaceAll(".", "/")}`;
    const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(input) });
    const body = await answer.json().catch(() => null);
    if (answer.ok && body !== null) return body;
    throw new Refused(body?.error ?? { message: `${base} answered ${answer.status}` });
  }

  /** Goes on by itself after a cut connection, until the signal; what came last may come again then. */
  async function* follow(subscription, input = {}, { signal } = {}) {
    let lastEventId;
    while (!signal?.aborted) {
      try {
        const given = JSON.stringify({ ...input, ...(lastEventId !== undefined && { lastEventId }) });
        const address = `${base}/trpc/${subscription}?input=${encodeURIComponent(given)}`;
        const answer = await fetch(address, { headers: { authorization, accept: "text/event-stream" }, signal });
        if (!answer.ok) throw refusal(await answer.json().catch(() => null), answer.status);
        for await (const { event, id, data } of messagesOf(answer.body)) {
          if (event === "serialized-error") throw refusal(JSON.parse(data), answer.status);
          if (event !== "message") continue;
          lastEventId = id ?? lastEventId;
          yield JSON.parse(data);
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (error instanceof Refused) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }
  }

  return { call, follow };
}

function refusal(body, status) {
  const { message, data } = body?.error ?? body ?? {};
  return new Refused({ message: message ?? `The server answered ${status}`, code: data?.code, issues: data?.issues });
}

/** The messages of a stream of server-sent events. */
async function* messagesOf(stream) {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const line = (name) =>
        block
          .split("\n")
          .find((each) => each.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trim();
      yield { event: line("event") ?? "message", id: line("id"), data: line("data") ?? "" };
    }
  }
}
