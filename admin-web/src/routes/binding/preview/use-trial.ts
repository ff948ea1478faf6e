import { useDebouncedValue } from "@mantine/hooks";
import { parseEventName } from "shared/core/event";
import type { TemplateDefinition } from "shared/core/template/definition";
import type { SavedBinding } from "../draft/binding-draft.ts";
import { previewable } from "../draft/previewable.ts";
import { type PayloadState, usePayload } from "./use-payload.ts";
import { type PreviewState, usePreview } from "./use-preview.ts";

/** A binding tried out with an event. */
export interface Trial {
  payload: PayloadState;
  preview: PreviewState;
  /** Whether site and event are said. */
  isNamed: boolean;
  /** Whether it is said whom it goes to. */
  hasRecipient: boolean;
}

const typingPauseMs = 300;

export function useTrial(input: SavedBinding, template: TemplateDefinition | undefined): Trial {
  const [event] = useDebouncedValue(input.event, typingPauseMs);
  const payload = usePayload(input.siteId, event);
  const trial = template === undefined ? null : previewable(input);
  return {
    payload,
    preview: usePreview(trial, payload.text ?? undefined),
    isNamed: input.siteId !== "" && parseEventName(event) !== null,
    hasRecipient: trial?.hasRecipient === true,
  };
}
