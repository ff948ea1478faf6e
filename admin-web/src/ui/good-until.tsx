import { useState } from "react";
import { LabelBadge } from "./label-badge.tsx";
import { Moment } from "./moment.tsx";

/** Until when something may be used. `at`: ISO 8601, null for no end. */
export function GoodUntil({ at }: { at: string | null }) {
  const [now] = useState(Date.now);
  if (at === null) return "no end";
  return Date.parse(at) > now ? <Moment at={at} /> : <LabelBadge color="red">expired</LabelBadge>;
}
