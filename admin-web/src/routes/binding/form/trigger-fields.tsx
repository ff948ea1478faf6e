import { Text } from "@mantine/core";
import { parseEventName } from "shared/core/event";
import { EventNameInput } from "../../../pickers/event-name-input.tsx";
import { SiteSelect } from "../../../pickers/site-select.tsx";
import { Section } from "../../../ui/page/section.tsx";
import type { BindingForm } from "../use-binding-form.ts";
import classes from "./fields.module.css";

interface TriggerFieldsProps {
  form: BindingForm;
  /** Whether no such event has come yet; undefined until that is known. */
  isUnseen: boolean | undefined;
}

/** What sets the message off. */
export function TriggerFields({ form: { draft, faults, change }, isUnseen }: TriggerFieldsProps) {
  const { siteId, event } = draft;
  return (
    <Section title="When">
      <div className={classes["pair"]}>
        <SiteSelect
          placeholder="Choose a site"
          required
          allowDeselect={false}
          value={siteId === "" ? null : siteId}
          error={faults["siteId"]}
          onChange={(value) => change({ siteId: value ?? "" })}
        />
        <EventNameInput siteId={siteId} required value={event} error={faults["event"]} onChange={(value) => change({ event: value })} />
      </div>
      {isUnseen === true && parseEventName(event) !== null && (
        <Text size="sm" c="dimmed">
          No {event} has come from this site yet. It can be set up all the same: type the paths, or paste an event into the preview.
        </Text>
      )}
    </Section>
  );
}
