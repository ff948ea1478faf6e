import type { GatewayContext } from "gateway/context";

/** Holds every event before a step until it is opened, so that a test decides which of them arrive there together. */
export interface Gate {
  /** How many wait. */
  readonly waiting: number;
  readonly onStep: NonNullable<GatewayContext["onStep"]>;
  /** Lets them go in the order in which they came, all in one turn of the event loop; and whatever comes later. */
  open(): void;
}

export function createGate(at: Parameters<Gate["onStep"]>[0]): Gate {
  const held: (() => void)[] = [];
  let isOpen = false;
  return {
    get waiting() {
      return held.length;
    },
    onStep: async (step) => {
      if (step === at && !isOpen) await new Promise<void>((resolve) => held.push(resolve));
    },
    open: () => {
      isOpen = true;
      for (const release of held) release();
    },
  };
}
