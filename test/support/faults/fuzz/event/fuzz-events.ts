import { isAccepted, isLast, kindOf } from "../wire/answer-kind.ts";
import { undocumented } from "../wire/documented-answers.ts";
import { readAnswers, type WireAnswer } from "../wire/read-answers.ts";
import { talk } from "../wire/talk.ts";
import { readAccepted } from "../world/accepted-answer.ts";
import type { Claim } from "../world/books.ts";
import type { FuzzWorld } from "../world/fuzz-world.ts";
import { type EventCase, joined, senderOf, toBytes, toRequest } from "./event-case.ts";
import { type EventRequest, expectedOf } from "./event-oracle.ts";

/** Requests that share a connection, one right behind the other. */
const pipelined = 4;
const last = Buffer.from("GET /api/public/health HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n");

interface Answered {
  request: EventRequest;
  answer: WireAnswer;
}

/** Posts the cases and judges each answer by the documented order of checks, and what is stored and sent by the answers. */
export function createEventFuzz(world: FuzzWorld) {
  const replays = createReplays();
  return async (group: readonly EventCase[]): Promise<string[]> => {
    const requests = group.flatMap((wanted) => {
      const request = toRequest(world, wanted);
      return wanted.twice ? [request, request] : [request];
    });
    const connections = Array.from({ length: Math.ceil(requests.length / pipelined) }, (_, i) =>
      requests.slice(i * pipelined, (i + 1) * pipelined),
    );
    const results = await Promise.all(connections.map(async (lane) => post(world.gateway.port, lane)));
    const problems = results.flatMap((result) => result.problems);
    const answered = results.flatMap((result) => result.answered);
    problems.push(...answered.flatMap(judge));
    const taken = answered.filter(({ answer }) => isAccepted(answer));
    problems.push(...replays(taken, world));
    const claims = taken.filter(({ answer }) => !isReplay(answer)).map(({ request, answer }) => toClaim(world, request, answer));
    problems.push(...claims.filter((claim) => typeof claim === "string"));
    problems.push(...(await world.books.check(claims.filter((claim) => typeof claim !== "string"))));
    return problems;
  };
}

/** Every request is answered in its turn, unless an answer says that it is the connection's last. */
async function post(port: number, lane: EventRequest[]): Promise<{ problems: string[]; answered: Answered[] }> {
  const { answers, problem } = readAnswers((await talk(port, [Buffer.concat([...lane.map(toBytes), last])])).bytes);
  const problems = problem === null ? [] : [problem];
  // The client itself asks for the end behind the last request.
  const isWhole = answers.length <= lane.length + 1 && answers.length > 0 && answers.findIndex(isLast) === answers.length - 1;
  if (!isWhole)
    problems.push(`${lane.length + 1} requests, ${answers.length} answers, of which the last is none or not the first to say so`);
  const answered = lane.flatMap((request, i) => {
    const answer = answers[i];
    return answer ? [{ request, answer }] : [];
  });
  return { problems, answered };
}

function judge({ request, answer }: Answered): string[] {
  const got = kindOf(answer);
  const expected = expectedOf(request);
  const isExpected = got !== null && expected.includes(got);
  return [
    ...undocumented(answer),
    ...(isExpected ? [] : [`${describe(request)}: ${answer.status} ${answer.body.slice(0, 200)}, not ${expected.join(" or ")}`]),
  ];
}

const describe = ({ method, target, fields, body }: EventRequest): string =>
  `${method} ${target.slice(0, 200)} ${JSON.stringify(fields).slice(0, 700)} ${body.length} bytes ${JSON.stringify(body.subarray(0, 200).toString("latin1"))}`;

const isReplay = ({ headers }: WireAnswer): boolean => headers["x-service-idempotent-replay"] === "true";

function toClaim(world: FuzzWorld, request: EventRequest, { body }: WireAnswer): Claim | string {
  const accepted = readAccepted(body);
  return typeof accepted === "string"
    ? accepted
    : { ...accepted, texts: new Map([[request.body.toString("utf8"), senderOf(world, request)]]) };
}

/** Within the window a key has one original, and every replay is that one's bytes. */
function createReplays() {
  const originals = new Map<string, { body: string; at: number }>();
  const windowMs = 290_000;
  return (taken: readonly Answered[], world: FuzzWorld): string[] => {
    const problems: string[] = [];
    for (const { request, answer } of taken.toSorted((a, b) => Number(isReplay(a.answer)) - Number(isReplay(b.answer)))) {
      const key = joined(request.fields, "X-Service-Idempotency-Key");
      const { event, dry_run: dryRun } = JSON.parse(answer.body) as { event: string; dry_run?: boolean };
      const place = JSON.stringify([senderOf(world, request).siteId, event, dryRun === true, key]);
      const original = originals.get(place);
      if (isReplay(answer)) {
        if (original?.body !== answer.body) problems.push(`a replay of nothing, or with other bytes: ${answer.body.slice(0, 200)}`);
      } else if (key !== "") {
        if (original && Date.now() - original.at < windowMs) problems.push(`a key had two originals: ${place}`);
        originals.set(place, { body: answer.body, at: Date.now() });
      }
    }
    return problems;
  };
}
