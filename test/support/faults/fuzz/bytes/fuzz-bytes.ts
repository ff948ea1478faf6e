import { type HttpBytes, toPackets } from "../../../arbitrary/http-bytes.ts";
import { isAccepted, isLast, kindOf } from "../wire/answer-kind.ts";
import { undocumented } from "../wire/documented-answers.ts";
import { readAnswers, type WireAnswer } from "../wire/read-answers.ts";
import { talk } from "../wire/talk.ts";
import { readAccepted } from "../world/accepted-answer.ts";
import type { Claim, Texts } from "../world/books.ts";
import type { FuzzWorld } from "../world/fuzz-world.ts";
import { type WrittenRequest, writePlain } from "./write-plain.ts";

/** Ends whatever the gateway may still take for a request: it fits into no header and no chunk's size. */
const fullStop = Buffer.from("\r\n\r\n\0\0\r\n\r\n");

/** Sends the bytes and judges what came back and what was stored: the exact answers where nothing was edited, else any documented ones. */
export function createBytesFuzz(world: FuzzWorld) {
  const stories = new Map<string, string>();
  return async (group: readonly HttpBytes[]): Promise<string[]> => {
    const results = await Promise.all(group.map(async (one) => exchange(world, one)));
    const claims = results.flatMap((result) => result.claims);
    const unanswered = results.flatMap((result) => result.unanswered);
    for (const { names, story } of results) for (const name of names) stories.set(name, story);
    const unaccounted = await world.books.check(claims, unanswered);
    const told = unaccounted.map((problem) => `${problem}; it went ${stories.get(/"raw-\d+"/.exec(problem)?.[0] ?? "")}`);
    return [...results.flatMap(({ problems }) => problems), ...told];
  };
}

interface Result {
  problems: string[];
  claims: Claim[];
  /** What a client signed that did not wait for its answers. */
  unanswered: Texts[];
  /** The orders in it, and what was sent and answered: for the message when something is wrong with one. */
  names: string[];
  story: string;
}

async function exchange(world: FuzzWorld, one: HttpBytes): Promise<Result> {
  const written = one.requests.map((request) => writePlain(world, request));
  const packets = toPackets(Buffer.concat(written.map(({ bytes }) => bytes)), one);
  const waits = one.leave === "wait";
  const heard = await talk(world.gateway.port, waits ? [...packets, fullStop] : packets, one.leave);
  const { answers, problem } = readAnswers(heard.bytes);
  const texts: Texts = new Map(written.flatMap(({ text, shop }) => (text === null ? [] : [[text, shop]])));
  const accepted = answers.filter(isAccepted).map(({ body }) => readAccepted(body));
  return {
    problems: [
      ...(problem === null || heard.wasReset || one.leave === "reset" ? [] : [problem]),
      ...answers.flatMap(undocumented),
      ...accepted.filter((answer) => typeof answer === "string"),
      ...(waits && one.edits.length === 0 ? inTurn(answers, written, heard.wasReset) : []),
    ],
    claims: accepted.filter((answer) => typeof answer !== "string").map((answer) => ({ ...answer, texts })),
    unanswered: waits && !heard.wasReset ? [] : [texts],
    names: written.map(({ order }) => JSON.stringify(order)),
    story: `${JSON.stringify(one)} answered ${answers.map(kindOf).join()}${heard.wasReset ? ", reset" : ""}`,
  };
}

/**
 * Each request has its own answer, in order, until one says that it is the last; the full stop is a bad request. Who still sends when the connection
 * closes behind the last may lose answers to a reset, and knows that.
 */
function inTurn(answers: readonly WireAnswer[], written: readonly WrittenRequest[], wasReset: boolean): string[] {
  const kinds = answers.map(kindOf);
  const whole = [...written.map((request) => request.expected), "badRequest"];
  const heard = answers.some(isLast) ? answers.findIndex(isLast) + 1 : wasReset ? answers.length : whole.length;
  const expected = whole.slice(0, heard);
  return kinds.join() === expected.join() ? [] : [`answered ${kinds.join() || "nothing"} for ${expected.join()}`];
}
