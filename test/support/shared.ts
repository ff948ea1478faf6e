import { afterAll, beforeAll } from "vitest";

/** What the tests of a file or of a group share: opened before the first of them and closed after the last. Has no members of its own to spread. */
export function shared<T extends AsyncDisposable>(open: () => Promise<T>): T {
  let opened: T | undefined;
  beforeAll(async () => void (opened = await open()));
  afterAll(async () => opened?.[Symbol.asyncDispose]());
  return new Proxy({} as T, { get: (_, name) => Reflect.get(opened as T, name) as unknown });
}
