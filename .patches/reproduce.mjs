// Reproduces the faults that README.md reports, without a database: node .patches/reproduce.mjs LIBRARY FAULT
// LIBRARY is the file to import, FAULT a name of `faults`. Prints one line that says what happened.
import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const [library = "", fault = ""] = process.argv.slice(2);
const { default: postgres } = await import(pathToFileURL(library).href);

const faults = {
  /** A statement is sent between the events "error" and "close" of the connection's socket. */
  async forgotten() {
    const closed = signal();
    const port = await serve((text, socket) => (text.includes("select 1") ? socket.resetAndDestroy() : socket.write(answer("I"))));
    const sql = connect(port, { onclose: closed.resolve });
    await sql`select 0`.simple();
    const first = sql`select 1`.simple().catch(() => undefined);
    const second = first.then(() => sql`select 2`.simple()).then(() => "answered", codeOf);
    await closed.promise;
    return await Promise.race([second, sleep(5_000, "never settled")]);
  },

  /** A transaction goes on after its connection has closed. */
  async fatal() {
    const closed = signal();
    const port = await serve((_, socket) => socket.end(answer("T")));
    const sql = connect(port, { onclose: closed.resolve });
    const rest = signal();
    const transaction = sql.begin(async (open) => {
      await closed.promise;
      rest.resolve(await open`select 1`.simple().then(() => "answered", codeOf));
    });
    await transaction.catch(() => undefined);
    return await rest.promise;
  },

  /** The same, when the pool has connected again meanwhile. */
  async stray() {
    const closed = signal();
    const statements = [];
    const port = await serve((text, socket) => {
      if (text.includes("begin")) return socket.end(answer("T"));
      statements.push(text);
      socket.write(answer("I"));
    });
    const sql = connect(port, { onclose: closed.resolve });
    const rest = signal();
    const transaction = sql.begin(async (open) => {
      await closed.promise;
      await sql`select 1`.simple();
      rest.resolve(await open`delete from t`.simple().then(() => "answered", codeOf));
    });
    await transaction.catch(() => undefined);
    const outcome = await rest.promise;
    return statements.some((text) => text.includes("delete")) ? "ran outside of the transaction" : outcome;
  },

  /** The server closes every connection before it is ready. */
  async endless() {
    let connections = 0;
    const many = signal();
    const server = createServer((socket) => {
      connections += 1;
      if (connections === 20) many.resolve("connected 20 times");
      socket.on("error", () => undefined).end();
    });
    const sql = connect(await listen(server), { backoff: 0 });
    return await Promise.race([sql`select 1`.then(() => "answered", codeOf), many.promise]);
  },

  /** Statements are over, and the young generation is collected twice: none of the texts is in the heap any more. */
  async kept() {
    const port = await serve((_, socket) => socket.write(answer("I")));
    const sql = connect(port, {});
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    const [rounds, count, length] = [15, 500, 5_000];
    const growths = [];
    for (let round = 0; round < rounds; round += 1) {
      collect();
      const before = process.memoryUsage().heapUsed;
      for (let i = 0; i < count; i += 1) await sql.unsafe(`select ${i} -- ${randomBytes(length / 2).toString("hex")}`).simple();
      collect({ type: "minor" });
      collect({ type: "minor" });
      growths.push(process.memoryUsage().heapUsed - before);
    }
    // Other work of the runtime shows in some rounds, and so does a full collection that it starts itself.
    const median = growths.sort((one, other) => one - other)[(rounds - 1) / 2];
    return median > (count * length) / 2 ? "kept" : "let go";
  },

  /** A million statements have run, one at a time, in a pool of two connections. */
  async growing() {
    const { default: Queue } = await import(new URL("queue.js", pathToFileURL(library)).href);
    const open = (Queue.default ?? Queue)([{}, {}]);
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 1_000_000; i += 1) open.push(open.shift());
    return process.memoryUsage().heapUsed - before > 4_000_000 ? "a place for each statement" : "a place for each connection";
  },

  /** Three statements at once, then ten that each wait for the one before. */
  async rotating() {
    const used = new Set();
    const port = await serve((_, socket) => {
      used.add(socket);
      socket.write(answer("I"));
    });
    const sql = connect(port, { max: 3 });
    await Promise.all([1, 2, 3].map((i) => sql.unsafe(`select ${i}`).simple()));
    used.clear();
    for (let i = 0; i < 10; i += 1) await sql.unsafe(`select ${i}`).simple();
    return `${used.size} used`;
  },

  /** A transaction begins on a connection that takes one statement at a time. */
  async homeless() {
    const port = await serve((text, socket) => socket.write(answer(text.includes("commit") ? "I" : "T")));
    const sql = connect(port, { max_pipeline: 0 });
    return await sql.begin((open) => open`select 1`.simple()).then(() => "committed", String);
  },

  /** Behind a statement that waits for its answer comes one with a value that cannot be written. */
  async unwritten() {
    const asked = signal();
    const port = await serve((_, socket) => asked.resolve(socket));
    const sql = connect(port, {});
    const first = sql`select 1`.simple().then(() => "answered", codeOf);
    const socket = await asked.promise;
    await Promise.race([sql`select ${undefined}`.catch(codeOf), sleep(100)]);
    socket.write(answer("I"));
    return await first;
  },
};

process.stdout.write(`${await faults[fault]()}\n`);
process.exit(0);

function connect(port, options) {
  return postgres({ host: "127.0.0.1", port, user: "u", password: "", database: "d", max: 1, fetch_types: false, ...options });
}

/** A server that lets everybody in, then hands each message to `onMessage`; answers its port. */
async function serve(onMessage) {
  return await listen(
    createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        socket.write(Buffer.concat([message("R", Buffer.alloc(4)), message("Z", "I")]));
        socket.on("data", (data) => onMessage(data.toString("latin1"), socket));
      });
    }),
  );
}

async function listen(server) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server.address().port;
}

/** A statement is done, and the session is idle (I) or in a transaction (T). */
function answer(state) {
  return Buffer.concat([message("C", "OK\0"), message("Z", state)]);
}

function message(type, body) {
  const bytes = Buffer.from(body);
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length + 4);
  return Buffer.concat([Buffer.from(type), length, bytes]);
}

function signal() {
  let resolve;
  const promise = new Promise((settle) => (resolve = settle));
  return { promise, resolve };
}

function codeOf(error) {
  return error.code ?? String(error);
}
