/** Things to stop, the last one first; also one that is added while stopping. Every one gets its turn, whatever the others throw. */
export class Disposers {
  readonly #stack: AsyncDisposable[] = [];
  readonly #stopping = new AbortController();
  #disposing: Promise<void> | undefined;

  /** Aborted as soon as disposing begins. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Adds what is still being started: it is stopped when it has. A start that failed needs no stopping. */
  async add<T extends AsyncDisposable>(starting: T | Promise<T>): Promise<T> {
    const pending = Promise.resolve(starting);
    this.#stack.push({ [Symbol.asyncDispose]: async () => (await pending.catch(() => undefined))?.[Symbol.asyncDispose]() });
    return pending;
  }

  async dispose(): Promise<void> {
    this.#stopping.abort();
    return (this.#disposing ??= this.#disposeAll());
  }

  async #disposeAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let next = this.#stack.pop(); next !== undefined; next = this.#stack.pop()) {
      try {
        await next[Symbol.asyncDispose]();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, "stopping failed");
  }
}
