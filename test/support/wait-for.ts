import { setTimeout as sleep } from "node:timers/promises";

type Truthy<T> = T extends false | 0 | "" | null | undefined ? never : T;

/** A promise that the test keeps when it likes. */
export function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Calls `check` again and again, soon at first, until its answer is truthy, and answers that. Fails with `what` after `within` milliseconds. */
export const waitFor = async <T>(what: string, check: () => Promise<T> | T, within = 20_000): Promise<Truthy<T>> => {
  const deadline = performance.now() + within;
  for (let pause = 10; ; pause = Math.min(100, pause * 1.5)) {
    const value = await check();
    if (value) return value as Truthy<T>;
    if (performance.now() > deadline) throw new Error(`waited ${within} ms in vain for ${what}`);
    await sleep(pause);
  }
};
