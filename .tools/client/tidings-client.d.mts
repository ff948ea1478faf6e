import type { operations } from "./schema.js";

type JsonOf<Content> = Content extends { content: { "application/json": infer Value } } ? Value : never;
type BodyOf<Operation> = Operation extends { requestBody?: infer Body } ? JsonOf<NonNullable<Body>> : never;
type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never;
type Either<First, Second> = [First] extends [never] ? ([Second] extends [never] ? Record<string, never> : Second) : First;

/** A query or mutation, such as `sites.create`. */
export type Procedure = keyof operations;
export type Input<P extends Procedure> = Either<BodyOf<operations[P]>, QueryOf<operations[P]>>;
export type Answer<P extends Procedure> = JsonOf<operations[P]["responses"][200]>;

/** What comes by each subscription. */
export interface Subscriptions {
  /** Events as they are stored, and again as they are answered. */
  "events.tail": {
    input: { siteId?: string };
    item: { events: Omit<Answer<"events.get">["event"], "payload" | "trace" | "replays">[] };
  };
  /** What endpoints of a site would be told of its messages; `body` is JSON. */
  "webhooks.tail": { input: { siteId: string }; item: { deliveries: { id: string; type: string; body: string }[] } };
}

export declare class Refused extends Error {
  readonly code: string;
  readonly issues: { path: (string | number)[]; code: string; message: string }[];
}

export interface Client {
  /** @throws Refused */
  call<P extends Procedure>(procedure: P, ...input: {} extends Input<P> ? [input?: Input<P>] : [input: Input<P>]): Promise<Answer<P>>;
  /** Goes on by itself after a cut connection, until the signal; what came last may come again then. @throws Refused */
  follow<S extends keyof Subscriptions>(
    subscription: S,
    input: Subscriptions[S]["input"],
    options?: { signal?: AbortSignal },
  ): AsyncGenerator<Subscriptions[S]["item"], void>;
}

export declare function createClient(options: { url: string; token: string }): Client;
