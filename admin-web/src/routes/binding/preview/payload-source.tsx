import { Button, Group, NativeSelect, Text } from "@mantine/core";
import { formatSeconds } from "../../../format.ts";
import { paths } from "../../../paths.ts";
import { TextLink } from "../../../ui/text-link.tsx";
import { PastedPayload } from "./pasted-payload.tsx";
import type { PayloadState, ReceivedEvent } from "./use-payload.ts";

const ownJson = { value: "own", label: "JSON of your own" };
const noEvent = { value: "none", label: "No event yet" };

/** What the preview is filled from: one of the last events, or a text of one's own. */
export function PayloadSource({ payload, isNamed }: { payload: PayloadState; isNamed: boolean }) {
  const { choice, choose, events = [], event, text } = payload;
  return (
    <>
      <NativeSelect
        label="Filled from"
        data={[...(events.length === 0 ? [noEvent] : events.map(eventOption)), ownJson]}
        value={choice.from === "paste" ? ownJson.value : (event?.id ?? noEvent.value)}
        onChange={({ currentTarget: { value } }) =>
          choose(value === ownJson.value ? { from: "paste" } : { from: "event", eventId: value === noEvent.value ? null : value })
        }
      />
      {choice.from === "paste" && <PastedPayload text={payload.pasted} onChange={payload.paste} />}
      {choice.from === "event" && event === undefined && isNamed && payload.events !== undefined && (
        <NoEvent onPaste={() => choose({ from: "paste" })} />
      )}
      {choice.from === "event" && event !== undefined && (
        <Group gap="xs">
          <Text size="sm">
            <TextLink to={paths.events} search={{ open: event.id }}>
              Open this event
            </TextLink>
          </Text>
          {text === null && (
            <Text size="sm" role="alert">
              What it held was deleted by the retention. Choose another one, or paste JSON of your own.
            </Text>
          )}
        </Group>
      )}
    </>
  );
}

function NoEvent({ onPaste }: { onPaste: () => void }) {
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        No such event has come yet. It shows here as soon as one does.
      </Text>
      <Button size="compact-sm" variant="default" onClick={onPaste}>
        Paste one
      </Button>
    </Group>
  );
}

function eventOption({ id, receivedAt, test, dryRun }: ReceivedEvent, index: number) {
  const kind = [dryRun && "dry run", test && "test"].filter((word) => word !== false).join(", ");
  const label = `${index === 0 ? "Last event" : "Event"} of ${formatSeconds(receivedAt)}${kind === "" ? "" : ` (${kind})`}`;
  return { value: id, label };
}
