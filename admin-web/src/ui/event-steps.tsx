import { Text, ThemeIcon, VisuallyHidden } from "@mantine/core";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconClock from "@tabler/icons-react/dist/esm/icons/IconClock.mjs";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";
import { type NotificationStatus, statusFacts } from "shared/core/message";
import { describeReason, type Reason } from "shared/core/reason";
import classes from "./event-steps.module.css";

const marks = {
  good: { color: "teal.9", Icon: IconCheck, word: "Done" },
  bad: { color: "red.9", Icon: IconX, word: "Stopped here" },
  open: { color: "gray.7", Icon: IconClock, word: "Under way" },
} as const;

/** Each step of a way with how it ended. */
export function TraceSteps({ steps, label }: { steps: readonly Step[]; label: string }) {
  return (
    <ol className={classes["steps"]} aria-label={label}>
      {steps.map(({ state, title, details }, index) => {
        const { color, Icon, word } = marks[state];
        return (
          <li key={index} className={classes["step"]}>
            <ThemeIcon size={18} radius="xl" color={color}>
              <Icon size={12} stroke={3} aria-hidden />
            </ThemeIcon>
            <div>
              <Text size="sm" fw={state === "bad" ? 600 : 400}>
                <VisuallyHidden>{word}: </VisuallyHidden>
                {title}
              </Text>
              {details.map((detail) => (
                <Text key={detail} size="sm" c="dimmed" className={classes["detail"] ?? ""}>
                  {detail}
                </Text>
              ))}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** What is known of an event's way, as the server tells it. */
interface EventTrace {
  /** How often it came again with its key. */
  duplicates: number;
  bindings: readonly TracedBinding[];
  /** Bindings beyond those that are kept of one event. */
  moreBindings: number;
}

export interface TracedBinding {
  bindingId: string;
  template: string;
  recipients: number;
  /** Phones that nothing was sent to. */
  dropped: readonly Extract<Reason, { code: "phone_dropped" }>[];
  /** Why it sent nothing, or to nobody. */
  reasons: readonly string[];
  /** The same as data; null of one that was stored without. */
  reasonCodes: readonly (Reason | null)[];
  messages: readonly TracedMessage[];
}

export interface TracedMessage {
  id: string;
  status: NotificationStatus;
  resendOf: string | null;
  errorCode: string | null;
  errorReason: string | null;
  explanation: { text: string } | null;
}

interface Step {
  /** `bad`: it ended here, or a part of it did. `open`: it is still under way. */
  state: "good" | "bad" | "open";
  title: string;
  details: string[];
}

/** A message that could not be put together. */
const contentErrors = new Set(["slot_unresolved", "too_long", "template_not_approved", "template_changed", "template_not_sendable"]);
/** One that the platform was never asked to send. */
const heldBackErrors = new Set(["too_many_recipients", "recipient_opted_out", "deadline", "account_stopped"]);

/** An event's way from its arrival to the platform, step by step, in plain words. */
export function eventSteps(event: { name: string; dryRun: boolean }, { duplicates, bindings, moreBindings }: EventTrace): Step[] {
  const arrival: Step[] = [
    { state: "good", title: "Key, signature and time were good", details: [] },
    duplicates === 0
      ? { state: "good", title: "It was no duplicate", details: [] }
      : {
          state: "good",
          title: `It came ${times(duplicates)} again with its key`,
          details: ["Those got the first answer and sent nothing."],
        },
    matched(event.name, bindings.length + moreBindings),
  ];
  return [...arrival, ...bindings.flatMap((binding) => bindingSteps(binding, event.dryRun, bindings.length > 1))];
}

function matched(name: string, count: number): Step {
  if (count === 0) return { state: "bad", title: `No binding was switched on for ${name} at this site`, details: [] };
  return { state: "good", title: count === 1 ? `A binding for ${name} matched` : `${count} bindings for ${name} matched`, details: [] };
}

/** `named`: there are several, so each step says whose it is. */
function bindingSteps(binding: TracedBinding, dryRun: boolean, named: boolean): Step[] {
  const steps = [recipientStep(binding), contentStep(binding), ...(dryRun ? [] : platformSteps(binding))];
  return steps.filter((step) => step !== null).map((step) => (named ? { ...step, title: `${binding.template}: ${step.title}` } : step));
}

function recipientStep(binding: TracedBinding): Step {
  const { recipients, dropped, messages } = binding;
  const details = dropped.map((phone) => describeReason(phone, "page"));
  if (recipients === 0)
    return {
      state: "bad",
      title: "Nobody to write to was found",
      details: messages.length === 0 ? [...describeReasons(binding), ...details] : details,
    };
  const title = recipients === 1 ? "One recipient was found" : `${recipients} recipients were found`;
  return { state: dropped.length === 0 ? "good" : "bad", title, details };
}

function contentStep(binding: TracedBinding): Step | null {
  if (binding.recipients === 0) return null;
  const failed = firstsOf(binding.messages).find(({ errorCode }) => contentErrors.has(errorCode ?? ""));
  const details = failed?.errorReason ? [failed.errorReason] : describeReasons(binding);
  if (details.length === 0) return { state: "good", title: "The template was approved and every slot filled", details: [] };
  return { state: "bad", title: "The message could not be put together", details };
}

const describeReasons = ({ reasons, reasonCodes }: TracedBinding): string[] =>
  reasons.map((reason, index) => {
    const code = reasonCodes[index] ?? null;
    return code === null ? reason : describeReason(code, "page");
  });

/** What became of those that could be put together. */
function platformSteps({ messages }: TracedBinding): Step[] {
  const asked = firstsOf(messages).filter(({ errorCode }) => !contentErrors.has(errorCode ?? ""));
  const heldBack = asked.filter(({ errorCode }) => heldBackErrors.has(errorCode ?? ""));
  const answered = asked.filter((message) => !heldBack.includes(message));
  return [
    counted(
      answered.filter(({ status }) => statusFacts[status].phase === "open"),
      "open",
      (which) => `Still to be handed over: ${which}`,
    ),
    counted(
      answered.filter(({ status }) => statusFacts[status].phase === "accepted"),
      "good",
      (which) => `The platform took ${which}`,
    ),
    counted(heldBack, "bad", (which) => `The platform was not asked to send ${which}`),
    counted(
      answered.filter(({ status }) => status === "failed"),
      "bad",
      (which) => `The platform did not deliver ${which}`,
    ),
  ].filter((each) => each !== null);
}

function counted(messages: TracedMessage[], state: Step["state"], title: (which: string) => string): Step | null {
  if (messages.length === 0) return null;
  const why = new Set(messages.map(({ explanation }) => explanation?.text).filter((text) => text !== undefined));
  return { state, title: title(messages.length === 1 ? "one message" : `${messages.length} messages`), details: [...why] };
}

/** Without those that people sent again. */
const firstsOf = (messages: readonly TracedMessage[]): TracedMessage[] => messages.filter(({ resendOf }) => resendOf === null);

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
