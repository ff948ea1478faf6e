export interface InFlightOptions {
  /** Sends of one account at most, while the platform answers it. */
  max?: number | undefined;
  /** The part of `max` that an account keeps while its sends time out. */
  perAccountShare?: number | undefined;
}

/** Bounds the sends under way, so that those that hang hold up nobody else's. Reserve before the claim; release once each send has ended. */
export interface InFlight {
  /** All n places, or none and false. */
  reserve(accountId: string, n: number): boolean;
  release(accountId: string, n: number): void;
  /** Whether the account, although the platform answers it, or everybody together, has taken all places: a reservation would fail. */
  isFull(accountId: string): boolean;
  /** The platform answered a send of the account, whatever it said. */
  answered(accountId: string): void;
  /** A send of the account got no answer in time: the account keeps its share only, until the next answer. */
  timedOut(accountId: string): void;
  /** Places taken in all. */
  readonly taken: number;
}

/** One account cannot take the last place: half of `max` comes on top, for the others. */
const headroom = 1.5;

export function createInFlight({ max = 2_000, perAccountShare = 0.25 }: InFlightOptions = {}): InFlight {
  const total = Math.floor(max * headroom);
  const share = Math.floor(max * perAccountShare);
  const held = new Map<string, number>();
  const hanging = new Set<string>();
  let taken = 0;
  return {
    reserve(accountId, n) {
      const mine = (held.get(accountId) ?? 0) + n;
      if (n === 0) return true;
      if (taken + n > total || mine > (hanging.has(accountId) ? share : max)) return false;
      held.set(accountId, mine);
      taken += n;
      return true;
    },
    release(accountId, n) {
      const before = held.get(accountId) ?? 0;
      const returned = Math.min(n, before);
      if (before > returned) held.set(accountId, before - returned);
      else held.delete(accountId);
      taken -= returned;
    },
    isFull: (accountId) => taken >= total || (held.get(accountId) ?? 0) >= max,
    answered: (accountId) => void hanging.delete(accountId),
    timedOut: (accountId) => void hanging.add(accountId),
    get taken() {
      return taken;
    },
  };
}
