import { Button, Group, NativeSelect, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { parseEventName, isTestEvent } from "shared/core/event";
import { examplePayload } from "shared/core/example";
import type { JsonObject } from "shared/core/json";
import { formatParts, formatSeconds } from "../../format.ts";
import { t } from "../../language.ts";
import { pages } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { monospace, TextLink } from "../../ui/buttons.tsx";
import { prettyJson } from "../../ui/code-sample.tsx";
import { bound } from "../../ui/fields.ts";
import { Dimmed } from "../../ui/page.tsx";

const ownJson = { value: "own", label: t("Your own JSON") };
const noEvent = { value: "none", label: t("No event yet") };

export function PayloadSource({ payload, isNamed }: { payload: PayloadState; isNamed: boolean }) {
  const { choice, choose, events = [], event, text } = payload;
  return (
    <>
      <NativeSelect
        label={t("Preview with")}
        data={[...(events.length === 0 ? [noEvent] : events.map(eventOption)), ownJson]}
        {...bound(choice.from === "paste" ? ownJson.value : (event?.id ?? noEvent.value), (value) =>
          choose(value === ownJson.value ? { from: "paste" } : { from: "event", eventId: value === noEvent.value ? null : value }),
        )}
      />
      {choice.from === "paste" && <PastedPayload text={payload.pasted} onChange={payload.paste} />}
      {choice.from === "event" && event === undefined && isNamed && payload.events !== undefined && (
        <Group gap="xs">
          <Dimmed>{t("No event of this name was received yet. The next one appears here.")}</Dimmed>
          <Button size="compact-sm" variant="default" onClick={() => choose({ from: "paste" })}>
            {t("Paste JSON")}
          </Button>
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

const PastedPayload = ({ text, onChange }: { text: string; onChange: (text: string) => void }) => (
  <div>
    <Textarea
      label={t("Event JSON")}
      autosize
      minRows={6}
      maxRows={16}
      spellCheck={false}
      autoComplete="off"
      styles={monospace}
      error={text.trim() === "" ? undefined : payloadFault(text)}
      {...bound(text, onChange)}
    />
    {text.trim() === "" && (
      <Button mt="xs" size="compact-sm" variant="default" onClick={() => onChange(JSON.stringify(examplePayload, null, 2))}>
        {t("Insert example")}
      </Button>
    )}
  </div>
);

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
      if (next.from === "paste" && pasted === "" && typeof text === "string") setPasted({ pasted: prettyJson(text), whole: text });
      choose(next);
    },
    pasted,
    // The preview keeps the last valid JSON while the text is edited.
    paste: (text: string) => setPasted((now) => ({ pasted: text, whole: payloadFault(text) === null ? text : now.whole })),
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

/** The fault that keeps the text from being an event, with line and column; null if there is none. */
function payloadFault(text: string): string | null {
  const fault = jsonFault(text);
  if (fault !== null)
    return t("Line {line}, column {column}: {message}", { line: fault.line, column: fault.column, message: fault.message });
  return text.trimStart().startsWith("{") ? null : t("Must be a JSON object in braces");
}

/** The place where a text stops being JSON. Line and column start at 1. */
export interface JsonFault {
  line: number;
  column: number;
  message: string;
}

/** A token with leading white space. Incomplete strings and numbers do not match. */
const token =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\p{Cc}]|[\u007F-\u009F]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w))|$)/uy;

const words = {
  value: t("a value"),
  "value or ]": t("a value or ]"),
  key: t("a name in double quotes"),
  "key or }": t("a name in double quotes or '}'"),
  colon: t("a colon"),
  "comma or ]": t("a comma or ]"),
  "comma or }": t("a comma or '}'"),
  end: t("the end of the text"),
};
type Expected = keyof typeof words;

/** The first place that is not JSON, or null. Browsers report it differently or not at all. */
export function jsonFault(text: string): JsonFault | null {
  const open: string[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    token.lastIndex = at;
    const match = token.exec(text);
    const [whole = "", mark = "", string = "", scalar = ""] = match ?? [];
    const isEnd = match !== null && mark === "" && string === "" && scalar === "";
    if (isEnd && expected === "end") return null;
    const next: Expected | null = match === null || isEnd ? null : step(expected, mark, string !== "", open);
    if (next === null) return faultAt(text, at + (/^[ \t\n\r]*/u.exec(text.slice(at))?.[0].length ?? 0), expected);
    expected = next;
    at += whole.length;
  }
}

/** The tokens that may follow this one; null if this one is not allowed here. `open`: the closing marks to come. */
function step(expected: Expected, mark: string, isString: boolean, open: string[]): Expected | null {
  if (expected.startsWith("value") && (mark === "{" || mark === "[")) {
    open.push(mark === "{" ? "}" : "]");
    return mark === "{" ? "key or }" : "value or ]";
  }
  if (expected.startsWith("value") && mark === "") return afterValue(open);
  if (expected.startsWith("key") && isString) return "colon";
  if (expected === "colon" && mark === ":") return "value";
  if (expected.startsWith("comma") && mark === ",") return open.at(-1) === "}" ? "key" : "value";
  if (mark === "" || !expected.endsWith(` ${mark}`)) return null;
  open.pop();
  return afterValue(open);
}

function afterValue(open: readonly string[]): Expected {
  if (open.length === 0) return "end";
  return open.at(-1) === "}" ? "comma or }" : "comma or ]";
}

function faultAt(text: string, at: number, expected: Expected): JsonFault {
  const before = text.slice(0, at).split(/\r\n|\n|\r/u);
  const message =
    at >= text.length
      ? t("the text ends, expected {value}", { value: words[expected] })
      : t("expected {value}", { value: words[expected] });
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, message };
}
