import { useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Refusal } from "./editor/refusal.ts";

/** Why the template was not submitted, when its page is where that is told. It is told once: a reload, or coming back, begins without. */
export function useArrivedRefusal(): Refusal | undefined {
  const stated = useLocation({ select: ({ state }) => state.refusal });
  const [refusal] = useState(stated);
  const navigate = useNavigate();
  useEffect(() => {
    if (stated !== undefined) void navigate({ to: ".", replace: true, state: {} });
  }, [stated, navigate]);
  return refusal;
}
