import type { NamedEventRow } from "shared/db/event/log";
import { expect, test, vi } from "vitest";
import { data } from "../../../test/support/data.ts";
import { pasteBlock } from "./demo.ts";
import { resetCommandOf, runningScreen, tryOutScreen, createTerminal, isForPeople } from "./terminal.ts";

const addresses = { gateway: "http://127.0.0.1:4000", admin: "http://127.0.0.1:4001", sandbox: "http://127.0.0.1:4002", isPlatform: true };
const shop = { apiKey: `sk_live_${"k".repeat(54)}`, webhookSecret: `whs_${"s".repeat(40)}` };
const login = { email: "demo@example.com", password: "p".repeat(16) };

const rowsOf = (text: string): number => text.split("\n").reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / 80)), 0);

test("the screens fit a terminal of 80 columns and 24 rows, and the block to paste is whole", () => {
  const tryOut = tryOutScreen({ addresses, login, isDemoOwner: true, shop });
  expect(rowsOf(tryOut)).toBeLessThanOrEqual(24);
  expect(tryOut.split(/\n\n/).find((paragraph) => paragraph.includes("curl "))).toBe(pasteBlock(addresses.gateway, shop));
  expect(tryOut).toContain(login.password);
  expect(tryOutScreen({ addresses, login, isDemoOwner: false, shop })).not.toContain(login.password);
  expect(rowsOf(runningScreen(addresses, "0123456789ab", resetCommandOf("/it's/data")))).toBeLessThanOrEqual(24);
  expect(resetCommandOf("/it's/data")).toBe(String.raw`DATA_DIR='/it'\''s/data' npm run reset-password -- demo@example.com`);
});

test("people read a terminal, unless more than usual is asked for", () => {
  const terminal = { write: () => true, isTTY: true as const };
  expect(isForPeople(terminal, "info")).toBe(true);
  expect(isForPeople(terminal, "debug")).toBe(false);
  expect(isForPeople({ write: () => true }, "info")).toBe(false);
});

const event = (id: string, values: Partial<NamedEventRow> = {}): NamedEventRow => ({
  id,
  site_id: "s",
  site_name: "Demo shop",
  source: "generic",
  name: "order.created",
  test: false,
  dry_run: false,
  order_id: null,
  idempotency_key: null,
  bindings_run: 1,
  site_mode: "live",
  chat: "sent",
  recipients_sent: 1,
  recipients_failed: 0,
  recipients_scheduled: 0,
  replays: 0,
  replay_of: null,
  ...values,
});

const started = new Date(2026, 10, 23, 14, 0, 0);

/** A terminal whose events are `rows`; `beats` lets it look that many times, four times a second. */
function openTerminal({ rows, hasColors = false, columns = 100 }: { rows: () => NamedEventRow[]; hasColors?: boolean; columns?: number }) {
  vi.useFakeTimers({ now: started });
  let written = "";
  const stream = { write: (text: string) => ((written += text), true), isTTY: true as const, columns, hasColors: () => hasColors };
  const terminal = createTerminal(stream, true);
  const read = terminal.logReader();
  return {
    terminal,
    read,
    log: (entry: object) => read(`${JSON.stringify({ level: "info", time: new Date(), name: "gateway", ...entry })}\n`),
    follow: () => terminal.follow(async (ids) => rows().filter(({ id }) => ids.includes(id))),
    beats: async (count: number) => vi.advanceTimersByTimeAsync(250 * count),
    written: () => written,
    [Symbol.dispose]: () => {
      terminal.close();
      vi.useRealTimers();
    },
  };
}

const request = { msg: "request", method: "POST", status: 200, path: "/api/public/ingest/generic/order.created" };

test("an event is one line once it is known what became of it, and nothing else of the log is shown", async () => {
  let rows = [event("a"), event("b", { chat: "accepted", recipients_sent: 0, site_name: "Shop\u001B[2J\u009B1m", test: true })];
  using screen = openTerminal({ rows: () => rows });
  screen.log({ ...request, event_id: "early" });
  screen.follow();
  for (const id of ["a", "b"]) screen.log({ ...request, event_id: id });
  screen.log({ msg: "listening" });
  screen.log({ ...request, path: "/api/public/platform/webhook/1" });
  screen.log({ ...request, method: "GET", path: "/api/public/ready" });
  await screen.beats(1);
  expect(screen.written()).toBe("14:00:00  order.created    1 message sent  Demo shop\n");
  rows = [event("b", { chat: "partial", recipients_sent: 2, recipients_failed: 1, site_name: "Shop\u001B[2J\u009B1m", test: true })];
  await screen.beats(4);
  expect(screen.written().split("\n").slice(1)).toEqual([
    "14:00:00  order.created    2 messages sent, 1 message failed  Shop?[2J?1m, test",
    "",
  ]);
});

test("an outcome that does not come is not waited for, and one that cannot be read is the request's own", async () => {
  using screen = openTerminal({ rows: () => [event("a", { chat: "accepted", recipients_sent: 0 })] });
  screen.follow();
  screen.log({ ...request, event_id: "a" });
  screen.log({ ...request, status: 202, event_id: "gone" });
  await screen.beats(16);
  expect(screen.written()).toBe("14:00:00  order.created    202\n14:00:00  order.created    accepted  Demo shop\n");
});

test.each(data<[object, string][]>("admin-server-cli-terminal", "what became of an event: j"))(
  "what became of an event: %j",
  async (values, words) => {
    using screen = openTerminal({ rows: () => [event("a", values)] });
    screen.follow();
    screen.log({ ...request, event_id: "a" });
    await screen.beats(1);
    expect(screen.written()).toBe(`14:00:00  order.created    ${words}  Demo shop\n`);
  },
);

test("refusals and troubles are a line each, in colour, cut at the terminal's edge; what is no log line stays", async () => {
  using screen = openTerminal({ rows: () => [], hasColors: true, columns: 60 });
  screen.follow();
  screen.terminal.progress("Starting…");
  screen.log({ ...request, status: 401, refusal: "invalid_signature" });
  screen.log({ level: "error", msg: "recovery failed", err: { message: "connection\nlost" } });
  screen.read("(node:1) Warn");
  screen.read("ing: old\n");
  await screen.beats(1);
  expect(screen.written().split("\n")).toEqual(data("admin-server-cli-terminal", "refusals and troubles are a line each, in colour"));
});

test("a flood is counted beyond what anybody reads", async () => {
  using screen = openTerminal({ rows: () => [] });
  screen.follow();
  for (let index = 0; index < 1_000; index += 1) screen.log({ ...request, status: 401, refusal: "invalid_site_key" });
  await screen.beats(1);
  const lines = screen.written().trimEnd().split("\n");
  expect(lines).toHaveLength(51);
  expect(lines.at(-1)).toBe("14:00:00  … and 950 more");
});
