import { Group, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import { useMemo, useState } from "react";
import { parseEventName } from "shared/core/event";
import { describeEmptySlot, describeReason, type Reason } from "shared/core/reason";
import { flattenSchedule } from "shared/core/schedule/merge";
import type { TemplateDefinition } from "shared/core/template/definition";
import { cleanSlots } from "shared/core/template/message";
import { type SlotTexts, slotNames, urlSlotsOf } from "shared/core/template/slots";
import { formatCount, formatMoment } from "../../format.ts";
import { t } from "../../language.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { LabelBadge } from "../../ui/base/facts.tsx";
import { tableOf, zoneLabel } from "../../ui/base/labels.ts";
import { Dimmed, FailureNotice, rich, Section } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { Sentences } from "../../ui/base/sentences.tsx";
import { fillMessage, type WhyEmpty } from "../../ui/template/fill-message.ts";
import { PhonePreview, MessageBubble } from "../../ui/template/message.tsx";
import { type SavedBinding, previewable, type Previewable, type TemplateSlot } from "./draft.ts";
import labels from "./labels.json";
import { PayloadSource, usePayload } from "./payload.tsx";
import classes from "./binding.module.css";

/** A dry run of the form with an event. */
export function PreviewPanel({ template, trial }: { template: TemplateDefinition | undefined; trial: Trial }) {
  const { payload, preview, isNamed, hasRecipient } = trial;
  const { data } = preview;
  const seesPhones = useMay("seePhones");
  const isComing = payload.isComing || preview.isComing;
  return (
    <Section title={t("Preview")} lead={t("Nothing is sent.")}>
      <PayloadSource payload={payload} isNamed={isNamed} />
      <FailureNotice title={t("Could not load the event")} of={payload} />
      <FailureNotice title={t("Could not load the preview")} of={preview} />
      <PhonePreview title={t("Your customer's phone")}>
        {template === undefined ? (
          <Text ta="center">{t("Choose a template to see the message.")}</Text>
        ) : (
          <PreviewMessage template={template} preview={data} isComing={isComing} />
        )}
      </PhonePreview>
      <Stack gap="xs" role="status" aria-live="polite">
        {data !== undefined && payload.isTest && <Text>{t("Test events go only to the site's test phone.")}</Text>}
        {!seesPhones && <Text>{t("Your role does not see phone numbers, so recipients are hidden.")}</Text>}
        {data !== undefined && seesPhones && !hasRecipient && <Text>{t("Choose a recipient to see the result.")}</Text>}
        {data !== undefined && seesPhones && hasRecipient && <LiveAnswer preview={data} />}
      </Stack>
    </Section>
  );
}

export type Preview = Outputs["bindings"]["preview"];

/** The outcome of a live event: the answer, the recipients, and the problems. */
export function LiveAnswer({ preview }: { preview: Preview }) {
  const { chat, problemCodes, dueProblem } = preview;
  const meaning = answers[chat] ?? t("With this data the answer would be {chat}.", { chat });
  const color = answerColors[chat] ?? (chat in answers ? "yellow" : "gray");
  return (
    <>
      <Text component="p" className={classes["answer"] ?? ""} style={{ borderColor: `var(--mantine-color-${color}-6)` }}>
        {dueProblem === null ? meaning : t("With this data the binding would not fire: its date is past or cannot be read.")}
      </Text>
      <Departure {...preview} />
      <Recipients {...preview} />
      {problemCodes.length > 0 && (
        <Sentences
          spacing="xs"
          icon={<IconAlertTriangle size={16} color="var(--mantine-color-yellow-8)" aria-hidden />}
          aria-label={t("Problems")}
          of={problemCodes.map((problem) => describeReason(problem, t))}
        />
      )}
    </>
  );
}

/** When the message would leave, by the reader's clock and by the shop's. */
function Departure({ dueAt, expiresAt }: Preview) {
  const timezone = trpc.settings.get.useQuery(undefined, { staleTime: Infinity }).data?.timezone;
  if (dueAt === null) return null;
  const isElsewhere = timezone !== undefined && timezone !== Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <Text>
        {rich(
          t("It would be sent on <0>{dueAt}</0>{value}.", {
            dueAt: formatMoment(dueAt),
            value:
              isElsewhere &&
              t(" (your time), {dueAt} in the shop's time ({timezone})", {
                dueAt: formatMoment(dueAt, timezone),
                timezone: zoneLabel(timezone),
              }),
          }),
          <strong />,
        )}
      </Text>
      {expiresAt !== null && expiresAt < dueAt && (
        <Text className={classes["empty"] ?? ""}>
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
          <Dimmed span>{t("Recipients:")}</Dimmed>
          {recipients.slice(0, shownPhones).map((phone) => (
            <LabelBadge key={phone}>{phone}</LabelBadge>
          ))}
          {more > 0 && <Text span>{t("and {more} more", { more: formatCount(more) })}</Text>}
        </Group>
      )}
      {optedOut !== null && optedOut.length > 0 && (
        <Text>{t("Opted out, so the message fails: {optedOut}", { optedOut: optedOut.slice(0, shownPhones).join(t(", ")) })}</Text>
      )}
      {dropped.length > 0 && (
        <Text>{t("Skipped, no valid phone number: {dropped}", { dropped: dropped.slice(0, shownPhones).join(t(", ")) })}</Text>
      )}
    </>
  );
}

const answerColors: Partial<Record<string, string>> = { scheduled: "teal", sent: "teal", failed: "red", skipped_conditions: "gray" };
const answers: Partial<Record<string, string>> = tableOf(labels.answers);

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
  if (isComing) return <MessageBubble {...fillMessage(template, unfilled(template), () => "")} />;
  const why = preview === undefined ? () => t("no event yet") : whyEmpty(preview.problemCodes);
  return <MessageBubble {...fillMessage(template, cleanSlots(template, preview?.slots ?? noSlots), why)} />;
}

/** Every variable as something that is still to come. */
function unfilled(template: TemplateDefinition): SlotTexts {
  const { header, body, buttonUrl } = slotNames(template);
  const marks = (names: readonly string[]): string[] => names.map(() => "…");
  return { header: marks(header), body: marks(body), buttonUrl: marks(buttonUrl) };
}

type Trial = ReturnType<typeof useTrial>;

const trialPauseMs = 300;

export function useTrial(input: SavedBinding, template: TemplateDefinition | undefined) {
  const [event] = useDebouncedValue(input.event, trialPauseMs);
  const payload = usePayload(input.siteId, event);
  const trial = template === undefined ? null : previewable(input);
  return {
    payload,
    preview: usePreview(trial, payload.text ?? undefined),
    /** True once site and event are chosen. */
    isNamed: input.siteId !== "" && parseEventName(event) !== null,
    /** True once the recipient is complete. */
    hasRecipient: trial?.hasRecipient === true,
  };
}

const previewPauseMs = 250;

/** Asks the server shortly after each change. `payload`: JSON text, undefined while there is none. */
function usePreview(binding: Previewable | null, payload: string | undefined) {
  const wanted = binding === null || payload === undefined ? "" : JSON.stringify({ ...binding.input, payload });
  const [settled] = useDebouncedValue(wanted, previewPauseMs);
  const input = useMemo(() => (settled === "" ? nothing : (JSON.parse(settled) as typeof nothing)), [settled]);
  const isThere = wanted !== "" && settled !== "";
  // Each key contains a whole payload.
  const preview = trpc.bindings.preview.useQuery(input, { enabled: isThere, gcTime: 0 });
  const [last, setLast] = useState<{ templateId: string; data: Preview | undefined }>({ templateId: "", data: undefined });
  if (preview.data !== undefined && preview.data !== last.data) setLast({ templateId: input.templateId, data: preview.data });
  // Answers for another template do not fit.
  const isOfTemplate = last.templateId === binding?.input.templateId;
  const data = isThere && isOfTemplate ? last.data : undefined;
  const error = isThere ? preview.error : null;
  return {
    /** The last answer for this template, kept while the next one loads. */
    data,
    /** True while the first answer loads. */
    isComing: wanted !== "" && data === undefined && error === null,
    error,
    refetch: preview.refetch,
  };
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

export function slotOutcome(template: TemplateDefinition, { group, index, name }: TemplateSlot, { slots, problemCodes }: Filled) {
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
