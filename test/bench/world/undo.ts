const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** What the run has started or made and not yet undone, oldest first. */
const pending = new Set<() => Promise<void>>();

/** Undone when disposed or when the run is interrupted, whichever comes first, and once. */
export function undoable(undo: () => Promise<unknown>): AsyncDisposable {
  let undone: Promise<unknown> | undefined;
  const once = async (): Promise<void> => {
    undone ??= undo();
    await undone;
    pending.delete(once);
  };
  pending.add(once);
  return { [Symbol.asyncDispose]: once };
}

const interrupted = new AbortController();

/** Aborted when a signal has come: whoever can hurry then, should. */
export const interruption: AbortSignal = interrupted.signal;

/** From now on a signal undoes everything, newest first, and ends the run. */
export function undoWhenInterrupted(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (interruption.aborted) return;
      // What fails because its server or database is gone must not end the run before everything is undone.
      process.on("uncaughtException", () => undefined);
      interrupted.abort();
      void undoAll().finally(() => process.exit(exitCodes[signal]));
    });
  }
}

/** What a benchmark that failed half way has left. */
export async function undoAll(): Promise<void> {
  for (const undo of [...pending].toReversed()) await undo().catch(() => undefined);
}
