import { Writable } from "node:stream";
import { expect, test, describe, vi } from "vitest";
import { data } from "../../../test/support/data.ts";
import fullDisk from "../core/full-disk.json" with { type: "json" };
import { createLogger, logOutput } from "./logger.ts";

describe("logger", () => {
  const logged = (level: "info" | "warn", write: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown>[] => {
    const lines: string[] = [];
    write(createLogger("gateway", level, { write: (line) => void lines.push(line) }));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  test("a line is JSON with the level as a word, the time in ISO 8601 and the program's name", () => {
    const [line] = logged("info", (log) => log.info({ port: 4000 }, "listening"));
    expect(line).toMatchObject({ level: "info", name: "gateway", port: 4000, msg: "listening" });
    expect(line?.["time"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test("a kind of lines about a database that is away comes once a second, with a stack the first time alone", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const lines = logged("info", (log) => {
      for (let n = 0; n < 5; n += 1) {
        for (let again = 0; again < 3; again += 1) log.warn({ err: Object.assign(new Error("gone"), { code: "57P01" }) }, "a job failed");
        log.info({ path: "/" }, "request");
        vi.advanceTimersByTime(500);
      }
    });
    vi.useRealTimers();
    const [first, second, ...more] = lines.filter(({ msg }) => msg === "a job failed").map(({ err, omitted }) => ({ err, omitted }));
    expect(first?.err).toMatchObject({ stack: expect.any(String), code: "57P01" });
    expect(second).toEqual({ err: { type: "Error", code: "57P01", message: "gone", stack: "" }, omitted: 5 });
    expect([more.length, lines.filter(({ msg }) => msg === "request").length]).toEqual([1, 5]);
  });

  test("a full disk is one line for the warnings of all jobs and once more after five minutes, until there is room; what is lost is told with its events", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const err = Object.assign(new Error("no space"), { code: fullDisk.code });
    const lines = logged("info", (log) => {
      for (const room of [[], [fullDisk.hasRoom], []]) {
        for (const text of room) log.info(text);
        for (const job of ["results wait", "a job failed"]) log.warn({ err }, job);
        log.warn(fullDisk.isFull);
        log.error({ err, event_ids: ["1"] }, "lost");
        vi.advanceTimersByTime(room.length === 0 ? 200_000 : 301_000);
      }
    });
    vi.useRealTimers();
    const full = ["warn", fullDisk.isFull, "no space"];
    const lost = ["error", "lost", undefined];
    const told = lines.map(({ level, msg, detail }) => [level, msg, detail]);
    expect(told).toEqual([full, lost, ["info", fullDisk.hasRoom, undefined], full, lost, full, lost]);
  });

  test("less than the level is not written", () => {
    expect(logged("warn", (log) => log.info("quiet"))).toEqual([]);
  });

  test("secrets are redacted, also inside of what is logged", () => {
    const [line] = logged("info", (log) => log.info(data("shared-server-logger", "secrets are redacted, also inside of what is logged")));
    expect(JSON.stringify(line)).not.toMatch(/hunter2|sk_live|Bearer/);
    expect(line).toMatchObject({ request: { headers: { accept: "a" } } });
  });
});

describe("log output", () => {
  /** A stream whose reader takes a chunk only when it is told to. */
  const slowReader = (): { stream: Writable; taken: string[]; read: () => void } => {
    const taken: string[] = [];
    const waiting: (() => void)[] = [];
    const stream = new Writable({
      decodeStrings: false,
      write: (chunk: string, _encoding, done) => {
        taken.push(chunk);
        waiting.push(done);
      },
    });
    return { stream, taken, read: () => waiting.splice(0).forEach((done) => done()) };
  };

  test("the lines of one turn are written together", async () => {
    const { stream, taken } = slowReader();
    const output = logOutput(stream);
    for (let n = 0; n < 3; n += 1) output.write(`line ${n}\n`);
    expect(taken).toEqual([]);
    await expect.poll(() => taken).toEqual(["line 0\nline 1\nline 2\n"]);
  });

  test("what a reader does not take waits up to the limit; then lines are left out and counted", async () => {
    const { stream, taken, read } = slowReader();
    const output = logOutput(stream, 20);
    for (let n = 0; n < 10; n += 1) output.write(`line ${n}\n`);
    await expect.poll(() => stream.writableLength).toBe(21);
    await expect.poll(() => (read(), stream.writableLength)).toBe(0);
    output.write("after\n");
    await expect.poll(() => taken.length).toBe(2);
    expect(taken[0]).toBe("line 0\nline 1\nline 2\n");
    const [told = "", after] = (taken[1] ?? "").split("\n");
    expect(JSON.parse(told)).toMatchObject({ level: "warn", lines: 7 });
    expect(after).toBe("after");
  });

  test("a reader that is gone is no error", async () => {
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })) });
    const output = logOutput(stream);
    output.write("one\n");
    await expect.poll(() => stream.errored?.message).toBe("write EPIPE");
    output.write("two\n");
  });
});
