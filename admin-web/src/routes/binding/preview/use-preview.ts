import { useDebouncedValue } from "@mantine/hooks";
import { useMemo, useState } from "react";
import { type Outputs, trpc } from "../../../trpc.ts";
import type { Previewable } from "../draft/previewable.ts";

export interface PreviewState {
  /** The last answer, also while the next is on its way; undefined while there is none of this template. */
  data: Outputs["bindings"]["preview"] | undefined;
  /** There is none yet, and one is on its way. */
  isComing: boolean;
  error: { message: string } | null;
  /** Asks again. */
  retry: () => void;
}

const typingPauseMs = 250;

/** What the binding would do, asked of the server a moment after each change. `payload`: JSON text, undefined while there is none. */
export function usePreview(binding: Previewable | null, payload: string | undefined): PreviewState {
  const wanted = binding === null || payload === undefined ? "" : JSON.stringify({ ...binding.input, payload });
  const [settled] = useDebouncedValue(wanted, typingPauseMs);
  const input = useMemo(() => (settled === "" ? nothing : (JSON.parse(settled) as typeof nothing)), [settled]);
  const isThere = wanted !== "" && settled !== "";
  // Each key holds a whole payload.
  const preview = trpc.bindings.preview.useQuery(input, { enabled: isThere, gcTime: 0 });
  const [last, setLast] = useState<{ templateId: string; data: PreviewState["data"] }>({ templateId: "", data: undefined });
  if (preview.data !== undefined && preview.data !== last.data) setLast({ templateId: input.templateId, data: preview.data });
  // Another template's slots mean nothing.
  const isOfTemplate = last.templateId === binding?.input.templateId;
  const data = isThere && isOfTemplate ? last.data : undefined;
  const error = isThere ? preview.error : null;
  return {
    data,
    isComing: wanted !== "" && data === undefined && error === null,
    error,
    retry: () => void preview.refetch(),
  };
}

const nothing: Previewable["input"] & { payload: string } = {
  siteId: "",
  event: "",
  templateId: "",
  recipient: { strategy: "customer" },
  variableMap: {},
  payload: "",
};
