import { useEffect, useState } from "react";
import { trpc } from "../trpc.ts";

const tryAgainMs = 2000;

interface TailOptions {
  siteId: string | undefined;
  isLive: boolean;
  /** Something came or was answered. Told with what the tail begins with too, so also after a connection was lost. */
  onEvents: () => void;
}

/** Follows the account's events. `isLost`: the connection went, and a new one is being tried. */
export function useEventTail({ siteId, isLive, onEvents }: TailOptions): { isLost: boolean } {
  const { status, error, reset } = trpc.events.tail.useSubscription({ siteId }, { enabled: isLive, onData: onEvents });
  const hasEnded = isLive && (status === "error" || status === "idle");
  const [isLost, setLost] = useState(false);
  const isBroken = hasEnded || (status === "connecting" && error !== null);
  if (isBroken && !isLost) setLost(true);
  if (isLost && (status === "pending" || !isLive)) setLost(false);
  useEffect(() => {
    if (!hasEnded) return undefined;
    const timer = setTimeout(reset, tryAgainMs);
    return () => clearTimeout(timer);
  }, [hasEnded, reset]);
  return { isLost };
}
