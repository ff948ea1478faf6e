import { expect, test } from "vitest";
import { Disposers } from "./parts.ts";

const disposable = (order: string[], name: string, fails = false): AsyncDisposable => ({
  [Symbol.asyncDispose]: async () => {
    order.push(name);
    if (fails) throw new Error(name);
  },
});

test("the last comes first, each once, whatever the others throw", async () => {
  const order: string[] = [];
  const running = new Disposers();
  for (const name of ["database", "gateway"]) await running.add(disposable(order, name));
  await running.add(disposable(order, "admin", true));
  await expect(Promise.all([running.dispose(), running.dispose()])).rejects.toThrow("stopping failed");
  expect(order).toEqual(["admin", "gateway", "database"]);
});

test("what is still starting is stopped when it has started, and a start that failed needs no stopping", async () => {
  const order: string[] = [];
  const running = new Disposers();
  const starting = running.add(Promise.resolve(disposable(order, "database")));
  const failing = running.add(Promise.reject<AsyncDisposable>(new Error("no")));
  const failed = failing.catch(String);
  await running.dispose();
  await starting;
  expect(await failed).toBe("Error: no");
  expect(order).toEqual(["database"]);
  expect(running.stopping.aborted).toBe(true);
});
