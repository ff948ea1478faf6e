import { useEffect, useState } from "react";

const stepMs = 10_000;

/** The present time, in milliseconds, followed closely enough for clocks without seconds. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), stepMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}
