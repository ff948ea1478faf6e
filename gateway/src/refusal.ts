import rows from "./refusals.json" with { type: "json" };

interface Row {
  status: number;
  /** Stable: clients match on it. */
  message: string;
  /** The refusal as which it is listed for the site's people. */
  listedAs?: string;
  /** When to come back, for refusals that pass by themselves. */
  retryAfterSeconds?: number;
}

/** Every reason for which the gateway refuses a request. */
export type RefusalName = keyof typeof rows;

/** The answer to each. */
export const refusals: Readonly<Record<RefusalName, Row>> = rows;

/** Refuses a request. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
  readonly refusal: RefusalName;

  constructor(refusal: RefusalName, options?: ErrorOptions) {
    super(refusal, options);
    this.refusal = refusal;
  }
}

/** What `act` answers; the request is refused where it throws. */
export function orRefuse<T>(refusal: RefusalName, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new RequestRefused(refusal, { cause: error });
  }
}
