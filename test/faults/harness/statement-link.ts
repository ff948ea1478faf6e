import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { waitFor } from "../../support/wait-for.ts";

/** How a statement fails: with PostgreSQL's code, or as the connection does. */
export type Failing =
  /** Refused with this SQLSTATE. */
  | { code: string }
  /** The connection is cut before it arrives. */
  | "cut"
  /** It is carried out, and committed, and the connection is cut before the answer. */
  | "lost"
  /** It has no answer for as long as the fault lasts, and is carried out afterwards, whoever still waits for it. */
  | "late";

/** A way to the database on which some statements fail, and all others do not. */
export interface StatementLink extends AsyncDisposable {
  url: string;
  /** Makes statements fail until `heal`. Those of the first are counted. */
  breakThose(broken: readonly Broken[]): void;
  /** Resolves once the first have failed, and then often enough or not again for so long (ms). False if they never do. */
  givenUp(calmMs: number): Promise<boolean>;
  heal(): void;
}

/** Statements that fail, by their text. */
export interface Broken {
  isIn: (statement: string) => boolean;
  how: Failing;
}

/** A statement that always fails is given up by then, or is tried again for as long as it takes. */
const often = 6;

/** A function of the test's own, with which a statement is refused as by PostgreSQL itself. */
export const refuseStatement = `
  create function refuse_statement(code text) returns void language plpgsql as $$
  begin raise exception 'refused by the test' using errcode = code; end $$`;

export async function startStatementLink(targetUrl: string): Promise<StatementLink> {
  const target = new URL(targetUrl);
  const fault: Fault = { broken: [], hits: 0, at: 0, release: new Set() };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    join(client, upstream, fault);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const heal = (): void => {
    fault.broken = [];
    const held = [...fault.release];
    fault.release.clear();
    held.forEach((release) => release());
  };
  return {
    url: url.href,
    breakThose: (broken) => void Object.assign(fault, { broken, hits: 0, at: performance.now() }),
    givenUp: async (calmMs) => {
      await waitFor("the statement to fail", () => fault.hits > 0).catch(() => undefined);
      const isOver = (): boolean => fault.hits >= often || performance.now() - fault.at > calmMs;
      if (fault.hits > 0) await waitFor("the statement to be given up", isOver);
      return fault.hits > 0;
    },
    heal,
    [Symbol.asyncDispose]: async () => {
      heal();
      sockets.forEach((socket) => socket.resetAndDestroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Fault {
  broken: readonly Broken[];
  hits: number;
  /** The time of the last hit. */
  at: number;
  /** Lets the connections go on that are held. */
  release: Set<() => void>;
}

/** Carries the messages of one connection, and spoils those of statements that fail. */
function join(client: Socket, server: Socket, fault: Fault): void {
  const texts = new Map<string, string>();
  /** The ends of statements (`Sync`) that were sent, and those that were answered (`ReadyForQuery`), which also ends the greeting. */
  let [asked, answered] = [0, -1];
  /** The connection is cut when this many have been answered, and nothing of that answer is heard. */
  let cutAt = Infinity;
  let inTransaction = false;
  let losesCommit = false;
  let isCounted = false;
  let held: Buffer[] | null = null;

  const cut = (): void => {
    client.resetAndDestroy();
    server.resetAndDestroy();
  };
  const count = (): void => {
    if (isCounted) Object.assign(fault, { hits: fault.hits + 1, at: performance.now() });
    isCounted = false;
  };
  const lose = (): void => void (cutAt = asked + 1);
  const send = (message: Buffer): void => void server.write(message);

  const release = (): void => {
    const messages = held ?? [];
    held = null;
    messages.forEach(toServer);
  };

  /** What is sent in place of a message that begins a statement; null if its connection is gone, or waits. */
  const spoil = (message: Buffer, how: Failing): Buffer | null => {
    if (typeof how === "object") return instead(`select refuse_statement('${how.code}')`);
    if (how === "lost") {
      if (inTransaction) losesCommit = true;
      else lose();
      return message;
    }
    if (how === "cut") cut();
    else {
      held = [message];
      fault.release.add(release);
    }
    return null;
  };

  const toServer = (message: Buffer): void => {
    if (held !== null) return void held.push(message);
    const type = String.fromCharCode(message[0] ?? 0);
    const [first = "", second = ""] = type === "P" || type === "B" || type === "Q" ? message.toString("utf8", 5).split("\0", 2) : [];
    if (type === "P") texts.set(first, second);
    const text = type === "Q" ? first : (texts.get(second) ?? "");
    if ((type === "Q" || type === "B") && /^(?:begin|commit|rollback)\b/u.test(text)) {
      if (text.startsWith("commit") && losesCommit) lose();
      inTransaction = text.startsWith("begin");
      losesCommit = false;
    }
    if (type === "B") {
      const found = fault.broken.find(({ isIn }) => isIn(text));
      isCounted ||= found !== undefined && found === fault.broken[0];
      // An answer that is lost counts when it is.
      if (found !== undefined && found.how !== "lost") count();
      const spoiled = found === undefined ? message : spoil(message, found.how);
      if (spoiled !== null) send(spoiled);
      return;
    }
    send(message);
    if (type === "S" || type === "Q") asked += 1;
  };
  const toClient = (message: Buffer): void => {
    const isLost = answered + 1 >= cutAt;
    if (message[0] === readyForQuery) answered += 1;
    if (!isLost) client.write(message);
    else if (message[0] === readyForQuery) {
      count();
      cut();
    }
    // Whoever asked is gone, and what was asked is done all the same.
    if (client.destroyed) leave();
  };
  const leave = (): void => void (held === null && asked === answered && server.destroy());

  // The first message has no type: its length comes first.
  let isStarted = false;
  const readClient = byMessage(
    (bytes) => (isStarted ? typed(bytes) : untyped(bytes)),
    (message) => {
      if (isStarted) return toServer(message);
      isStarted = true;
      server.write(message);
    },
  );
  client.on("data", readClient);
  server.on("data", byMessage(typed, toClient));
  client.on("close", leave);
  server.on("close", () => client.destroy());
}

const readyForQuery = "Z".charCodeAt(0);

const typed = (bytes: Buffer): number => (bytes.length < 5 ? Infinity : 1 + bytes.readUInt32BE(1));
const untyped = (bytes: Buffer): number => (bytes.length < 4 ? Infinity : bytes.readUInt32BE(0));

/** Calls back with each message, whole. */
function byMessage(lengthOf: (bytes: Buffer) => number, onMessage: (message: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (let length = lengthOf(rest); length <= rest.length; length = lengthOf(rest)) {
      onMessage(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

/** Parses and binds another statement in place of one; what executes the one now executes the other. */
function instead(text: string): Buffer {
  return Buffer.concat([message("P", `\0${text}\0`, 2), message("B", "\0\0", 6)]);
}

function message(type: string, text: string, zeros: number): Buffer {
  const body = Buffer.concat([Buffer.from(text), Buffer.alloc(zeros)]);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
