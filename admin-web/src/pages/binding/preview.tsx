import { Stack, Text, Code, Group } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import { useMemo, useState } from "react";
import { parseEventName } from "shared/core/event";
import { describeEmptySlot, describeReason, type Reason } from "shared/core/reason";
import type { TemplateDefinition } from "shared/core/template/definition";
import { cleanSlots } from "shared/core/template/message";
import { slotNames, type SlotTexts, urlSlotsOf } from "shared/core/template/slots";
import { useMay } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { fillMessage, type WhyEmpty } from "../../ui/fill-message.ts";
import { PhonePreview, MessageBubble } from "../../ui/message.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { LabelBadge } from "../../ui/status-badge.tsx";
import { type SavedBinding, previewable, type Previewable, type TemplateSlot } from "./draft.ts";
import { PayloadSource, type PayloadState, usePayload } from "./payload.tsx";
import classes from "./binding.module.css";

/** What the binding would do with an event, as it stands in the form, without sending anything. */
export function PreviewPanel({ template, trial }: { template: TemplateDefinition | undefined; trial: Trial }) {
  const { payload, preview, isNamed, hasRecipient } = trial;
  const { data, error } = preview;
  const seesPhones = useMay("operator");
  const isComing = payload.isComing || preview.isComing;
  return (
    <Section title="Dry run" lead="By the same plan as a live event, and nothing is sent.">
      <PayloadSource payload={payload} isNamed={isNamed} />
      {payload.error !== null && <FailureNotice title="Could not load the event" error={payload.error} />}
      {error !== null && <FailureNotice title="Could not try it out" error={error} onRetry={preview.retry} />}
      <PhonePreview title="Your customer's phone">
        {template === undefined ? (
          <Text size="sm" ta="center">
            Choose a template to see the message.
          </Text>
        ) : (
          <PreviewMessage template={template} preview={data} isComing={isComing} />
        )}
      </PhonePreview>
      <Stack gap="xs" role="status" aria-live="polite">
        {data !== undefined && payload.isTest && <Text size="sm">A test event goes to the site's test phone only.</Text>}
        {!seesPhones && <Text size="sm">Your role sees no phones, so whom it would reach is not shown.</Text>}
        {data !== undefined && seesPhones && !hasRecipient && (
          <Text size="sm">Say who gets it, and what live would answer shows here.</Text>
        )}
        {data !== undefined && seesPhones && hasRecipient && <LiveAnswer preview={data} />}
      </Stack>
    </Section>
  );
}

type Preview = Outputs["bindings"]["preview"];

/** What a live event would come to now: the answer, who gets the message, and what stands in the way. */
export function LiveAnswer({ preview }: { preview: Preview }) {
  const { chat, problemCodes } = preview;
  const { color, meaning } = answerMeanings[chat] ?? { color: "gray", meaning: "see the log for it." };
  return (
    <>
      <Text size="sm" component="p" m={0} className={classes["answer"] ?? ""} data-color={color}>
        Live would answer <Code>{chat}</Code>: {meaning}
      </Text>
      <Recipients {...preview} />
      {problemCodes.length > 0 && (
        <ul className={classes["faults"]} aria-label="What stands in the way">
          {problemCodes.map((problem, index) => (
            <li key={index}>
              <IconAlertTriangle size={16} aria-hidden />
              <span>{describeReason(problem, "page")}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const shownPhones = 5;

function Recipients({ recipients, dropped, optedOut }: Preview) {
  const more = recipients.length - shownPhones;
  return (
    <>
      {recipients.length > 0 && (
        <Group gap={6} role="group" aria-label="Recipients">
          <Text size="sm" c="dimmed" span>
            Goes to
          </Text>
          {recipients.slice(0, shownPhones).map((phone) => (
            <LabelBadge key={phone}>{phone}</LabelBadge>
          ))}
          {more > 0 && (
            <Text size="sm" span>
              and {more} more
            </Text>
          )}
        </Group>
      )}
      {optedOut !== null && optedOut.length > 0 && (
        <Text size="sm">Opted out, so their message fails: {optedOut.slice(0, shownPhones).join(", ")}</Text>
      )}
      {dropped.length > 0 && <Text size="sm">Dropped, since it is no phone in E.164 form: {dropped.slice(0, shownPhones).join(", ")}</Text>}
    </>
  );
}

/** What a live event would be answered, and what that means. */
const answerMeanings: Record<string, { color: string; meaning: string }> = {
  sent: { color: "teal", meaning: "the message goes to the platform." },
  partial: { color: "yellow", meaning: "some messages go to the platform, the others are logged as failed." },
  failed: { color: "red", meaning: "nothing is sent, and the message is logged as failed." },
  skipped_no_phone: { color: "yellow", meaning: "nothing is sent, since there is nobody to write to." },
  skipped_no_config: { color: "yellow", meaning: "nothing is sent, since no platform is connected in the settings." },
};

type Filled = Pick<Outputs["bindings"]["preview"], "slots" | "problemCodes">;

const noSlots: Filled["slots"] = { header: [], body: [], buttonUrl: [] };

interface PreviewMessageProps {
  template: TemplateDefinition;
  /** Undefined while there is nothing to fill it from. */
  preview: Filled | undefined;
  /** What fills it is on its way: until then nothing is missing. */
  isComing?: boolean;
}

/** The message as the recipient's phone would show it. */
export function PreviewMessage({ template, preview, isComing = false }: PreviewMessageProps) {
  if (isComing) return <MessageBubble {...fillMessage(template, asWritten(template), () => "")} />;
  const why = preview === undefined ? () => "there is nothing to fill it from yet" : whyEmpty(preview.problemCodes);
  return <MessageBubble {...fillMessage(template, cleanSlots(template, preview?.slots ?? noSlots), why)} />;
}

/** Each slot as its own mark. */
function asWritten(template: TemplateDefinition): SlotTexts {
  const { header, body, buttonUrl } = slotNames(template);
  const marks = (names: readonly string[]): string[] => names.map((name) => `{{${name}}}`);
  return { header: marks(header), body: marks(body), buttonUrl: marks(buttonUrl) };
}

/** A binding tried out with an event. */
interface Trial {
  payload: PayloadState;
  preview: PreviewState;
  /** Whether site and event are said. */
  isNamed: boolean;
  /** Whether it is said whom it goes to. */
  hasRecipient: boolean;
}

const trialPauseMs = 300;

export function useTrial(input: SavedBinding, template: TemplateDefinition | undefined): Trial {
  const [event] = useDebouncedValue(input.event, trialPauseMs);
  const payload = usePayload(input.siteId, event);
  const trial = template === undefined ? null : previewable(input);
  return {
    payload,
    preview: usePreview(trial, payload.text ?? undefined),
    isNamed: input.siteId !== "" && parseEventName(event) !== null,
    hasRecipient: trial?.hasRecipient === true,
  };
}

export interface PreviewState {
  /** The last answer, also while the next is on its way; undefined while there is none of this template. */
  data: Outputs["bindings"]["preview"] | undefined;
  /** There is none yet, and one is on its way. */
  isComing: boolean;
  error: { message: string } | null;
  /** Asks again. */
  retry: () => void;
}

const previewPauseMs = 250;

/** What the binding would do, asked of the server a moment after each change. `payload`: JSON text, undefined while there is none. */
function usePreview(binding: Previewable | null, payload: string | undefined): PreviewState {
  const wanted = binding === null || payload === undefined ? "" : JSON.stringify({ ...binding.input, payload });
  const [settled] = useDebouncedValue(wanted, previewPauseMs);
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

/** What comes of a slot: its text as it is sent, of a button its whole address; or why it is empty. */
export type SlotOutcome = { text: string } | { reason: string };

/** What the preview says of one slot. */
export function slotOutcome(
  template: TemplateDefinition,
  { group, index, name }: TemplateSlot,
  { slots, problemCodes }: Filled,
): SlotOutcome {
  const text = cleanSlots(template, slots)[group.part][index] ?? "";
  if (text === "") return { reason: whyEmpty(problemCodes)(group, name) };
  const url = group.part === "buttonUrl" ? urlSlotsOf(template)[index] : undefined;
  return { text: url === undefined ? text : url.fixed + text + url.rest };
}

const whyEmpty =
  (problems: readonly Reason[]): WhyEmpty =>
  (group, name) => {
    const empty = problems.filter((problem) => problem.code === "value_missing" || problem.code === "value_blank");
    const problem = empty.find(({ slot }) => slot.group === group.mapKey && slot.name === name);
    return problem === undefined ? "not filled yet" : describeEmptySlot(problem);
  };
