import { setImmediate, setTimeout } from "node:timers/promises";

/** Work of so many milliseconds is felt by those who wait for an answer. */
const longMs = 5;

/** Lets the server's other work go on between pieces of a learner's: after a long piece for twice as long as that took. */
export function takeTurns(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    const tookMs = performance.now() - began;
    await (tookMs < longMs ? setImmediate() : setTimeout(2 * tookMs));
    began = performance.now();
  };
}
