import { Group, Stack, Text, ThemeIcon, VisuallyHidden } from "@mantine/core";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconClock from "@tabler/icons-react/dist/esm/icons/IconClock.mjs";
import IconMinus from "@tabler/icons-react/dist/esm/icons/IconMinus.mjs";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";
import { type NotificationStatus, statusesIn, statusFacts } from "shared/core/message";
import { describeReason, type Reason } from "shared/core/reason";
import { formatParts } from "../../format.ts";
import { t } from "../../language.ts";
import type { Outputs } from "../../trpc.ts";
import { toldExplanation, toldReason } from "../base/labels.ts";
import { Dimmed } from "../base/page.tsx";
import unbuilt from "./content-errors.json";

const marks = {
  good: { color: "teal.9", Icon: IconCheck, word: t("Done") },
  bad: { color: "red.9", Icon: IconX, word: t("Failed") },
  open: { color: "gray.7", Icon: IconClock, word: t("In progress") },
  skipped: { color: "gray.7", Icon: IconMinus, word: t("Skipped") },
} as const;

/** Each step with its result. */
export const TraceSteps = ({ steps, label }: { steps: readonly Step[]; label: string }) => (
  <Stack component="ol" gap="0.4rem" aria-label={label}>
    {steps.map(({ state, title, details }, index) => {
      const { color, Icon, word } = marks[state];
      return (
        <Group component="li" key={index} gap="xs" wrap="nowrap" align="flex-start">
          <ThemeIcon size={18} radius="xl" color={color} me={2}>
            <Icon size={12} stroke={3} aria-hidden />
          </ThemeIcon>
          <div>
            <Text fw={state === "bad" ? 600 : 400}>
              <VisuallyHidden>{word}: </VisuallyHidden>
              {title}
            </Text>
            {details.map((detail) => (
              <Dimmed key={detail} style={{ overflowWrap: "anywhere" }}>
                {detail}
              </Dimmed>
            ))}
          </div>
        </Group>
      );
    })}
  </Stack>
);

type Trace = Outputs["events"]["get"]["event"]["trace"];
type Binding = Trace["bindings"][number];

/** What is read of the server's trace of an event. */
interface EventTrace extends Pick<Trace, "topic" | "duplicates" | "moreBindings"> {
  bindings: readonly TracedBinding[];
}

export interface TracedBinding extends Omit<Binding, "dropped" | "messages"> {
  /** Phones that got no message. */
  dropped: readonly Extract<Reason, { code: "phone_dropped" }>[];
  messages: readonly TracedMessage[];
}

export interface TracedMessage extends Pick<
  Binding["messages"][number],
  "id" | "status" | "errorCode" | "errorReason" | "errorReasonCode"
> {
  explanation: { text: string } | null;
}

interface Step {
  /** `bad`: all or a part of it ended here. `open`: in progress. `skipped`: it ended here as it should. */
  state: keyof typeof marks;
  title: string;
  details: string[];
}

/** Errors of messages that could not be built. */
const contentErrors = new Set(unbuilt);
/** Errors of messages that never reached the platform. */
const heldBackErrors = new Set(["too_many_recipients", "recipient_opted_out", "deadline", "account_stopped"]);

const step = (state: Step["state"], title: string, details: string[] = []): Step => ({ state, title, details });

/** The steps of an event from its arrival to the platform. */
export function eventSteps(event: { name: string; dryRun: boolean }, { topic, duplicates, bindings, moreBindings }: EventTrace): Step[] {
  const { name } = event;
  const times = duplicates === 1 ? t("once") : t("{duplicates} times", { duplicates });
  const repeated = t("Repeated {value}{value2}", { value: times, value2: topic === null ? t(" with the same idempotency key") : "" });
  const arrival: Step[] = [
    step("good", topic === null ? t("Key, signature and timestamp are valid") : t("The shop's signature is valid")),
    ...(topic === null ? [] : [step("good", t("The topic {topic} means {name} here", { topic, name }))]),
    duplicates === 0 ? step("good", t("Not a duplicate")) : step("good", repeated, [t("Repeats get the first answer and send nothing.")]),
    matched(name, bindings.length + moreBindings),
  ];
  const named = bindings.length > 1;
  const someHeld = bindings.some(({ fired }) => !fired);
  return [...arrival, ...bindings.flatMap((binding) => bindingSteps(binding, event.dryRun, { named, someHeld }))];
}

const matched = (name: string, count: number): Step =>
  count === 0
    ? step("bad", t("No binding is switched on for {name} on this site", { name }))
    : step("good", t("{count, plural, one {# binding} other {# bindings}} matched {name}", { count, name }));

/** `named`: the event has several bindings, so each step names its template. `someHeld`: one of them did not fire, so each tells whether it did. */
function bindingSteps(binding: TracedBinding, dryRun: boolean, { named, someHeld }: { named: boolean; someHeld: boolean }): Step[] {
  const ended = binding.fired ? [recipientStep(binding), contentStep(binding), ...(dryRun ? [] : platformSteps(binding))] : [];
  const steps = [someHeld ? firingStep(binding) : null, ...ended];
  return steps
    .filter((each) => each !== null)
    .map((each) => (named ? { ...each, title: formatParts([binding.template, each.title], ": ") } : each));
}

const firingStep = (binding: TracedBinding): Step =>
  binding.fired ? step("good", t("The binding fired")) : step("skipped", t("The binding did not fire"), describeReasons(binding));

function recipientStep(binding: TracedBinding): Step {
  const { recipients, dropped, messages } = binding;
  const details = dropped.map((phone) => describeReason(phone, t));
  if (recipients === 0)
    return step("bad", t("No valid phone number"), [...(messages.length === 0 ? describeReasons(binding) : []), ...details]);
  const found = t("{recipients, plural, one {# recipient} other {# recipients}} found", { recipients });
  return step(dropped.length === 0 ? "good" : "bad", found, details);
}

function contentStep(binding: TracedBinding): Step | null {
  if (binding.recipients === 0) return null;
  const failed = binding.messages.find(({ errorCode }) => contentErrors.has(errorCode ?? ""));
  const details = failed?.errorReason ? [toldReason(failed) ?? ""] : describeReasons(binding);
  return details.length === 0
    ? step("good", t("The template is approved and every variable has a value"))
    : step("bad", t("The message could not be built"), details);
}

const describeReasons = ({ reasons, reasonCodes }: TracedBinding): string[] =>
  reasons.map((reason, index) => {
    const code = reasonCodes[index] ?? null;
    return code === null ? reason : describeReason(code, t);
  });

/** The steps of the messages that could be built. */
function platformSteps({ messages }: TracedBinding): Step[] {
  const asked = messages.filter(({ errorCode }) => !contentErrors.has(errorCode ?? ""));
  const heldBack = asked.filter(({ errorCode }) => heldBackErrors.has(errorCode ?? ""));
  const answered = asked.filter((message) => !heldBack.includes(message));
  const inPhase = (phase: (typeof statusFacts)[NotificationStatus]["phase"]) =>
    answered.filter(({ status }) => statusFacts[status].phase === phase);
  return [
    counted(inPhase("open"), "open", (which) => t("{which} waiting to be sent", { which })),
    counted(inPhase("waiting"), "open", (which) => t("{which} scheduled", { which })),
    ...statusesIn("dropped").map((dropped) => {
      const those = answered.filter(({ status }) => status === dropped);
      return counted(those, "skipped", (which) => statusFacts[dropped].step(t, which));
    }),
    counted(inPhase("accepted"), "good", (which) => t("WhatsApp accepted {which}", { which })),
    counted(heldBack, "bad", (which) => t("{which} not handed to WhatsApp", { which })),
    counted(inPhase("closed"), "bad", (which) => t("WhatsApp did not deliver {which}", { which })),
  ].filter((each) => each !== null);
}

function counted(messages: TracedMessage[], state: Step["state"], title: (which: string) => string): Step | null {
  if (messages.length === 0) return null;
  const why = new Set(messages.map(({ explanation }) => explanation && toldExplanation(explanation)).filter((text) => text !== null));
  return step(state, title(t("{count, plural, one {# message} other {# messages}}", { count: messages.length })), [...why]);
}
