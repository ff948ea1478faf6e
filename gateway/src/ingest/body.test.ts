import { expect, it } from "vitest";
import { createReadObject } from "./body.ts";

const costly = (name: string) => Buffer.from(JSON.stringify({ name, data: Array(20_000).fill({ a: 1 }) }));

it("reads costly bodies of each account in turn, others at once, and goes on after one that is refused", async () => {
  const read = createReadObject(60_000);
  const seen: unknown[] = [];
  const note = async (account: string, body: Buffer) =>
    seen.push(await Promise.resolve(read(account, body)).then(({ payload }) => payload["name"], String));
  const all = ["a1", "a2", "b1"].map(async (name) => note(name.charAt(0), costly(name)));
  all.push(note("a", Buffer.concat([costly("wrong"), Buffer.from("]")])));
  expect(read("a", Buffer.from('{"name":"small"}'))).toMatchObject({ payload: { name: "small" } });
  await Promise.all(all);
  expect(seen).toEqual(["a1", "b1", "a2", expect.stringContaining("malformed_json")]);
});
