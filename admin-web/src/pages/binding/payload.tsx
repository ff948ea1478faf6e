import { Group, NativeSelect, Text } from "@mantine/core";
import { useState } from "react";
import { parseEventName, isTestEvent } from "shared/core/event";
import type { JsonObject } from "shared/core/json";
import { attempt } from "shared/core/text";
import { formatParts, formatSeconds } from "../../format.ts";
import { t } from "../../language.ts";
import { pages } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { SmallButton, TextLink } from "../../ui/base/buttons.tsx";
import { bound } from "../../ui/base/fields.ts";
import { Awaiting, part } from "../../ui/base/later.tsx";
import { Dimmed, Loading } from "../../ui/base/page.tsx";

const PastedPayload = part(async () => (await import("./pasted-payload.tsx")).PastedPayload);

const ownJson = { value: "own", label: t("Your own JSON") };
const noEvent = { value: "none", label: t("No event yet") };
const coming = { ...noEvent, label: t("Loading…") };

export function PayloadSource({ payload, isNamed }: { payload: PayloadState; isNamed: boolean }) {
  const { choice, choose, events = [], event, text } = payload;
  return (
    <>
      <NativeSelect
        label={t("Preview with")}
        data={[...(events.length === 0 ? [payload.isComing ? coming : noEvent] : events.map(eventOption)), ownJson]}
        {...bound(choice.from === "paste" ? ownJson.value : (event?.id ?? noEvent.value), (value) =>
          choose(value === ownJson.value ? { from: "paste" } : { from: "event", eventId: value === noEvent.value ? null : value }),
        )}
      />
      {choice.from === "paste" && (
        <Awaiting fallback={<Loading what={t("Event JSON")} />}>
          <PastedPayload text={payload.pasted} onChange={payload.paste} />
        </Awaiting>
      )}
      {choice.from === "event" && event === undefined && isNamed && payload.events !== undefined && (
        <Group gap="xs">
          <Dimmed>{t("No event of this name was received yet. The next one appears here.")}</Dimmed>
          <SmallButton onClick={() => choose({ from: "paste" })}>{t("Paste JSON")}</SmallButton>
        </Group>
      )}
      {choice.from === "event" && event !== undefined && (
        <Group gap="xs">
          <Text>
            <TextLink {...pages.event(event.id)}>{t("Open this event")}</TextLink>
          </Text>
          {text === null && (
            <Text role="alert">{t("Its data was deleted after the retention period. Choose another event, or paste your own JSON.")}</Text>
          )}
        </Group>
      )}
    </>
  );
}

/** `10042, Ada, 6:20 AM`. */
export function eventOption({ id, orderNumber, customer, receivedAt, test, dryRun }: ReceivedEvent) {
  const kind = [dryRun && t("dry run"), test && t("test")].filter((word) => word !== false).join(t(", "));
  const known = [orderNumber, customer].filter((part) => part !== null);
  const label = `${formatParts([...(known.length === 0 ? [t("Event")] : known), formatSeconds(receivedAt)])}${kind === "" ? "" : ` (${kind})`}`;
  return { value: id, label };
}

type ReceivedEvent = Outputs["events"]["list"]["items"][number];

/** The data of the preview: a received event or pasted JSON. */
export type PayloadChoice = { from: "event"; eventId: string | null } | { from: "paste" };

export type PayloadState = ReturnType<typeof usePayload>;

const shownEvents = 10;
/** The time between two looks while waiting for the first event of a name. */
const waitMs = 3000;

/** `name` is the text that is typed so far. */
export function usePayload(siteId: string, name: string) {
  const [choice, choose] = useState<PayloadChoice>({ from: "event", eventId: null });
  const [{ pasted, whole }, setPasted] = useState<{ pasted: string; whole?: string | undefined }>({ pasted: "" });
  const event = parseEventName(name);
  const isNamed = siteId !== "" && event !== null;
  const list = trpc.events.list.useQuery(
    { siteId, event: event ?? "", limit: shownEvents },
    { enabled: isNamed, refetchInterval: ({ state }) => (state.data?.items.length === 0 ? waitMs : false) },
  );
  const events = isNamed ? list.data?.items : undefined;
  const used = choice.from === "event" ? pick(events ?? [], choice.eventId) : undefined;
  const received = trpc.events.get.useQuery({ id: used?.id ?? "" }, { enabled: used !== undefined, staleTime: Infinity });
  const text = choice.from === "paste" ? whole : used && received.data?.event.payload;
  return {
    /** The event's name, as it is after a pause in typing. */
    name,
    choice,
    choose: (next: PayloadChoice) => {
      // The own JSON starts with the event that was shown.
      if (next.from === "paste" && pasted === "" && typeof text === "string")
        void import("../../ui/base/code-sample.tsx").then(({ prettyJson }) =>
          setPasted((now) => (now.pasted === "" ? { pasted: prettyJson(text), whole: text } : now)),
        );
      choose(next);
    },
    pasted,
    // The preview keeps the last valid JSON while the text is edited.
    paste: (text: string) => setPasted((now) => ({ pasted: text, whole: isEvent(text) ? text : now.whole })),
    /** The last events of that site and name, newest first; undefined while loading. */
    events,
    event: used,
    /** JSON text; undefined while there is none, null if the retention deleted it. */
    text,
    /** True while the text loads. */
    isComing: choice.from === "event" && ((isNamed && list.isLoading) || received.isLoading),
    /** True if the event goes only to the site's test phone. */
    isTest: used?.test ?? (typeof text === "string" && event !== null && isTestEvent(event, JSON.parse(text) as JsonObject)),
    error: list.error ?? received.error,
  };
}

/** The newest live event; a test or a dry run only if there is no other. */
const pick = (events: readonly ReceivedEvent[], id: string | null): ReceivedEvent | undefined =>
  events.find((event) => event.id === id) ?? events.find(({ test, dryRun }) => !test && !dryRun) ?? events[0];

const isEvent = (text: string): boolean => text.trimStart().startsWith("{") && attempt(() => JSON.parse(text) as unknown, null) !== null;
