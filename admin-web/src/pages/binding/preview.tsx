import { Group, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import { useMemo, useState } from "react";
import { parseEventName } from "shared/core/event";
import { describeEmptySlot, describeReason, type Reason } from "shared/core/reason";
import { flattenSchedule } from "shared/core/schedule/schedule";
import type { TemplateDefinition } from "shared/core/template/definition";
import { cleanSlots } from "shared/core/template/message";
import { slotNames, type SlotTexts, urlSlotsOf } from "shared/core/template/slots";
import { formatCount, formatMoment } from "../../format.ts";
import { t } from "../../language.ts";
import { useMay } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { fillMessage, type WhyEmpty } from "../../ui/fill-message.ts";
import { zoneLabel } from "../../ui/labels.ts";
import { PhonePreview, MessageBubble } from "../../ui/message.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { Rich } from "../../ui/rich.tsx";
import { LabelBadge } from "../../ui/status-badge.tsx";
import { type SavedBinding, previewable, type Previewable, type TemplateSlot } from "./draft.ts";
import { PayloadSource, type PayloadState, usePayload } from "./payload.tsx";
import classes from "./binding.module.css";

/** A dry run of the form with an event. */
export function PreviewPanel({ template, trial }: { template: TemplateDefinition | undefined; trial: Trial }) {
  const { payload, preview, isNamed, hasRecipient } = trial;
  const { data, error } = preview;
  const seesPhones = useMay("seePhones");
  const isComing = payload.isComing || preview.isComing;
  return (
    <Section title={t("Preview")} lead={t("Preview only. Nothing is sent.")}>
      <PayloadSource payload={payload} isNamed={isNamed} />
      {payload.error !== null && <FailureNotice title={t("Could not load the event")} error={payload.error} />}
      {error !== null && <FailureNotice title={t("Could not load the preview")} error={error} onRetry={preview.retry} />}
      <PhonePreview title={t("Your customer's phone")}>
        {template === undefined ? (
          <Text size="sm" ta="center">
            {t("Choose a template to see the message.")}
          </Text>
        ) : (
          <PreviewMessage template={template} preview={data} isComing={isComing} />
        )}
      </PhonePreview>
      <Stack gap="xs" role="status" aria-live="polite">
        {data !== undefined && payload.isTest && <Text size="sm">{t("Test events go only to the site's test phone.")}</Text>}
        {!seesPhones && <Text size="sm">{t("Your role does not see phone numbers, so recipients are hidden.")}</Text>}
        {data !== undefined && seesPhones && !hasRecipient && <Text size="sm">{t("Choose a recipient to see the result.")}</Text>}
        {data !== undefined && seesPhones && hasRecipient && <LiveAnswer preview={data} />}
      </Stack>
    </Section>
  );
}

type Preview = Outputs["bindings"]["preview"];

/** The outcome of a live event: the answer, the recipients, and the problems. */
export function LiveAnswer({ preview }: { preview: Preview }) {
  const { chat, problemCodes, dueProblem } = preview;
  const { color, meaning } = answerMeanings[chat] ?? { color: "gray", meaning: t("With this data the answer would be {chat}.", { chat }) };
  return (
    <>
      <Text size="sm" component="p" m={0} className={classes["answer"] ?? ""} data-color={color}>
        {dueProblem === null ? meaning : t("With this data the binding would not fire: its date is past or cannot be read.")}
      </Text>
      <Departure {...preview} />
      <Recipients {...preview} />
      {problemCodes.length > 0 && (
        <ul className={classes["faults"]} aria-label={t("Problems")}>
          {problemCodes.map((problem, index) => (
            <li key={index}>
              <IconAlertTriangle size={16} aria-hidden />
              <span>{describeReason(problem, t)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** When the message would leave, by the reader's clock and by the shop's. */
function Departure({ dueAt, expiresAt }: Preview) {
  const timezone = trpc.settings.get.useQuery().data?.timezone;
  if (dueAt === null) return null;
  const isElsewhere = timezone !== undefined && timezone !== Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <Text size="sm">
        <Rich
          text={t("It would be sent on <0>{dueAt}</0>{value}.", {
            dueAt: formatMoment(dueAt),
            value:
              isElsewhere &&
              t(" (your time), {dueAt} in the shop's time ({timezone})", {
                dueAt: formatMoment(dueAt, timezone),
                timezone: zoneLabel(timezone),
              }),
          })}
        >
          <strong />
        </Rich>
      </Text>
      {expiresAt !== null && expiresAt < dueAt && (
        <Text size="sm" className={classes["empty"] ?? ""}>
          {t("That is too late: it would not be sent, because it expires on {expiresAt}.", { expiresAt: formatMoment(expiresAt) })}
        </Text>
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
        <Group gap={6} role="group" aria-label={t("Recipients")}>
          <Text size="sm" c="dimmed" span>
            {t("Recipients:")}
          </Text>
          {recipients.slice(0, shownPhones).map((phone) => (
            <LabelBadge key={phone}>{phone}</LabelBadge>
          ))}
          {more > 0 && (
            <Text size="sm" span>
              {t("and {more} more", { more: formatCount(more) })}
            </Text>
          )}
        </Group>
      )}
      {optedOut !== null && optedOut.length > 0 && (
        <Text size="sm">{t("Opted out, so the message fails: {optedOut}", { optedOut: optedOut.slice(0, shownPhones).join(", ") })}</Text>
      )}
      {dropped.length > 0 && (
        <Text size="sm">{t("Skipped, no valid phone number: {dropped}", { dropped: dropped.slice(0, shownPhones).join(", ") })}</Text>
      )}
    </>
  );
}

const answerMeanings: Record<string, { color: string; meaning: string }> = {
  scheduled: { color: "teal", meaning: t("With this data the message would wait, and be sent when it is due.") },
  sent: { color: "teal", meaning: t("With this data the message would be sent.") },
  partial: { color: "yellow", meaning: t("With this data some messages would be sent and others would fail.") },
  failed: { color: "red", meaning: t("With this data the message would fail.") },
  skipped_conditions: { color: "gray", meaning: t("With this data the binding would not fire: its conditions are not met.") },
  skipped_no_phone: { color: "yellow", meaning: t("With this data nothing would be sent: no valid phone number.") },
  skipped_no_config: { color: "yellow", meaning: t("Nothing would be sent: WhatsApp is not connected in the settings.") },
};

type Filled = Pick<Outputs["bindings"]["preview"], "slots" | "problemCodes">;

const noSlots: Filled["slots"] = { header: [], body: [], buttonUrl: [] };

interface PreviewMessageProps {
  template: TemplateDefinition;
  /** Undefined while there is no event. */
  preview: Filled | undefined;
  /** True while it loads: until then nothing counts as missing. */
  isComing?: boolean;
}

export function PreviewMessage({ template, preview, isComing = false }: PreviewMessageProps) {
  if (isComing) return <MessageBubble {...fillMessage(template, asWritten(template), () => "")} />;
  const why = preview === undefined ? () => t("no event yet") : whyEmpty(preview.problemCodes);
  return <MessageBubble {...fillMessage(template, cleanSlots(template, preview?.slots ?? noSlots), why)} />;
}

/** Every variable as its own name in braces. */
function asWritten(template: TemplateDefinition): SlotTexts {
  const { header, body, buttonUrl } = slotNames(template);
  const marks = (names: readonly string[]): string[] => names.map((name) => `{{${name}}}`);
  return { header: marks(header), body: marks(body), buttonUrl: marks(buttonUrl) };
}

interface Trial {
  payload: PayloadState;
  preview: PreviewState;
  /** True once site and event are chosen. */
  isNamed: boolean;
  /** True once the recipient is complete. */
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
  /** The last answer for this template, kept while the next one loads. */
  data: Outputs["bindings"]["preview"] | undefined;
  /** True while the first answer loads. */
  isComing: boolean;
  error: { message: string } | null;
  retry: () => void;
}

const previewPauseMs = 250;

/** Asks the server shortly after each change. `payload`: JSON text, undefined while there is none. */
function usePreview(binding: Previewable | null, payload: string | undefined): PreviewState {
  const wanted = binding === null || payload === undefined ? "" : JSON.stringify({ ...binding.input, payload });
  const [settled] = useDebouncedValue(wanted, previewPauseMs);
  const input = useMemo(() => (settled === "" ? nothing : (JSON.parse(settled) as typeof nothing)), [settled]);
  const isThere = wanted !== "" && settled !== "";
  // Each key contains a whole payload.
  const preview = trpc.bindings.preview.useQuery(input, { enabled: isThere, gcTime: 0 });
  const [last, setLast] = useState<{ templateId: string; data: PreviewState["data"] }>({ templateId: "", data: undefined });
  if (preview.data !== undefined && preview.data !== last.data) setLast({ templateId: input.templateId, data: preview.data });
  // Answers for another template do not fit.
  const isOfTemplate = last.templateId === binding?.input.templateId;
  const data = isThere && isOfTemplate ? last.data : undefined;
  const error = isThere ? preview.error : null;
  return { data, isComing: wanted !== "" && data === undefined && error === null, error, retry: () => void preview.refetch() };
}

const nothing: Previewable["input"] & { payload: string } = {
  siteId: "",
  event: "",
  templateId: "",
  recipient: { strategy: "customer" },
  variableMap: {},
  conditions: null,
  ...flattenSchedule(null),
  payload: "",
};

/** A variable's text as it is sent (for a button its whole URL), or the reason why it is empty. */
export type SlotOutcome = { text: string } | { reason: string };

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
    return problem === undefined ? t("not filled yet") : describeEmptySlot(problem, t);
  };
