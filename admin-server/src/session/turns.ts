import { tooBusy } from "../trpc/errors.ts";

/** Hashing a password takes a core and 19 MiB: two at once leave the server room for everything else. */
const atOnce = 2;
/** Running and waiting together; a flood beyond is turned away at once. */
const mostPresent = 64;

let present = 0;

/** Runs this process's tasks two at a time, those of one key one after the other in call order. @throws TRPCError SERVICE_UNAVAILABLE when too many wait */
export async function inTurn<T>(key: string | null, act: () => Promise<T>): Promise<T> {
  if (present >= mostPresent) throw tooBusy();
  present += 1;
  try {
    return await (key === null ? oneOfFew(act) : oneAtATime(key, () => oneOfFew(act)));
  } finally {
    present -= 1;
  }
}

let running = 0;
const waiting: (() => void)[] = [];

async function oneOfFew<T>(act: () => Promise<T>): Promise<T> {
  if (running < atOnce) running += 1;
  else await new Promise<void>((begin) => waiting.push(begin));
  try {
    return await act();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** The last task of each key; these promises never reject. */
const tails = new Map<string, Promise<void>>();

/** Runs this process's tasks of one key one after the other, in call order. */
export async function oneAtATime<T>(key: string, act: () => Promise<T>): Promise<T> {
  const turn = (tails.get(key) ?? Promise.resolve()).then(act);
  const leave = (): void => {
    if (tails.get(key) === tail) tails.delete(key);
  };
  const tail = turn.then(leave, leave);
  tails.set(key, tail);
  return turn;
}
