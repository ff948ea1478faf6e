import { expect, test } from "vitest";
import { createLogger } from "./logger.ts";

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

test("less than the level is not written", () => {
  expect(logged("warn", (log) => log.info("quiet"))).toEqual([]);
});

test("secrets are redacted, also inside of what is logged", () => {
  const [line] = logged("info", (log) =>
    log.info({
      password: "hunter2",
      site: { apiKey: "sk_live_1" },
      request: { headers: { authorization: "Bearer x", "x-service-site-key": "sk_live_2", accept: "a" } },
    }),
  );
  expect(JSON.stringify(line)).not.toMatch(/hunter2|sk_live|Bearer/);
  expect(line).toMatchObject({ request: { headers: { accept: "a" } } });
});
