import { Checkbox, type CheckboxProps, Group, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { describeReason } from "shared/core/reason";
import { formatCount, formatParts } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { pages } from "../../paths.ts";
import { type Inputs, type OrEarlier, type Outputs, trpc, trpcClient } from "../../trpc.ts";
import { TextLink } from "../base/buttons.tsx";
import { ConfirmForm, DialogButtons, manyThings } from "../base/dialogs.tsx";
import { bound, ticked } from "../base/fields.ts";
import { siteTitle } from "../base/labels.ts";
import { Pending } from "../base/page.tsx";
import { Told } from "../base/told.tsx";
import { dayMs } from "../list/days.ts";
import { toLocalMinute } from "../list/search-params.ts";
import { useFollowOperation } from "../operation/operations.tsx";
import labels from "./resend-labels.json";
import { usePausedSites } from "./use-hold.ts";

/** The filters of the log that hold for failed messages, or messages or events by their ids. */
export type ResendInput = Inputs["notifications"]["resendCount"] & object;

interface ResendFormProps {
  filter: ResendInput;
  onClose: () => void;
  onStarted?: (() => void) | undefined;
}

/** What failed may have waited for its time before. */
const longestWaitMs = 100 * dayMs;
const minuteOf = (time: string): string => toLocalMinute(Date.parse(time));

/**
 * Resends failed messages, after showing why they failed and who they go to; the shell then shows how far it is. The period is the filter's, else all of what the list
 * shows; messages that are named by ids need none.
 */
export function ResendForm({ filter, ...dialog }: ResendFormProps) {
  const since = filter.from === undefined && filter.failedFrom !== undefined ? "failedFrom" : "from";
  const begin = filter[since];
  const [period, setPeriod] = useState(() => ({
    /** Empty for all. */
    from: begin === undefined ? "" : minuteOf(begin),
    to: toLocalMinute(filter.to === undefined ? Date.now() + 60_000 : Date.parse(filter.to)),
  }));
  if ((filter.ids ?? filter.eventId ?? filter.eventIds ?? filter.operationId) !== undefined) return <Reasons input={filter} {...dialog} />;
  const [from, to] = [period.from === "" ? 0 : Date.parse(period.from), Date.parse(period.to)];
  const field = (name: keyof typeof period, label: string) => (
    <TextInput
      type="datetime-local"
      flex="1 0 13rem"
      required={name === "to"}
      label={label}
      description={period.from === "" && (name === "from" ? t("Empty: everything that the list shows") : "\u00a0")}
      {...bound(period[name], (value) => setPeriod({ ...period, [name]: value }))}
    />
  );
  return (
    <Stack>
      <Group gap="sm">
        {field("from", since === "from" ? t("Messages since") : t("Failed since"))}
        {field("to", t("Until"))}
      </Group>
      {from < to ? (
        <Reasons
          key={`${from} ${to}`}
          // The chosen minute counts whole, unless the filter's own beginning stands.
          input={{
            ...filter,
            ...(since === "failedFrom" && { from: new Date(from - longestWaitMs).toISOString() }),
            [since]: begin !== undefined && minuteOf(begin) === period.from ? begin : new Date(from).toISOString(),
            to: new Date(to + 59_999).toISOString(),
          }}
          {...dialog}
        />
      ) : (
        <NothingToResend onClose={dialog.onClose}>{t("Choose a period that begins before it ends.")}</NothingToResend>
      )}
    </Stack>
  );
}

type Reason = Outputs["notifications"]["resendCount"]["errors"][number];

/** Whether a resend helps against a reason, which is then chosen at first. */
const isUsual = ({ resend: outlook, refusal, ...reason }: Reason, { errorCode, errorCodes, ids }: ResendInput): boolean =>
  refusal === null &&
  sendable(reason) > 0 &&
  (outlook === "helps" || (outlook === "later" && (errorCode ?? errorCodes ?? ids) !== undefined));

/** A checkbox for each reason. */
function Reasons({ input, onClose, onStarted }: Omit<ResendFormProps, "filter"> & { input: ResendInput }) {
  const count = trpc.notifications.resendCount.useQuery(input, { gcTime: 0, refetchOnWindowFocus: false });
  const follow = useFollowOperation();
  const [ticks, setTicks] = useState<Record<string, boolean>>({});
  const isChosen = (reason: Reason) => ticks[reason.code] ?? isUsual(reason, input);
  const chosen = (count.data?.errors ?? []).filter(isChosen);
  const { errorCode: _one, ...rest } = input;
  const ofChosen = { ...rest, errorCodes: chosen.map(({ code }) => code) };
  const part = trpc.notifications.resendCount.useQuery(ofChosen, { gcTime: 0, refetchOnWindowFocus: false, enabled: chosen.length > 0 });
  if (count.data === undefined) return <Pending query={count} what={t("the count")} failure={t("Could not count the messages")} />;
  const { total, tooMany, errors } = count.data;
  if (total === 0) return <NothingToResend onClose={onClose}>{t("No failed messages match, or all were resent already.")}</NothingToResend>;
  if (tooMany)
    return (
      <NothingToResend onClose={onClose}>
        {t("More than {total, plural, one {# message} other {# messages}} match. Choose a shorter period.", { total })}
      </NothingToResend>
    );
  const sent = chosen.reduce((all, reason) => all + sendable(reason), 0);
  const start = async () => {
    const force = chosen.some(({ resend: outlook }) => outlook === "futile");
    const { operation } = await trpcClient.notifications.resendMany.mutate({ ...ofChosen, force });
    follow(operation.id);
    onStarted?.();
  };
  return (
    <ConfirmForm
      action={t("Resend {sent, plural, one {# message} other {# messages}}", { sent })}
      typed={sent > manyThings ? String(sent) : undefined}
      isAllowed={sent > 0}
      isMild
      onClose={onClose}
      onConfirm={start}
    >
      <Stack>
        <Text>
          {t(
            "{total, plural, one {# failed message} other {# failed messages}} {total2, plural, one {matches} other {match}}; {sent} will be resent.",
            { total, total2: total, sent: formatCount(sent) },
          )}
        </Text>
        <Stack component="ul" gap="sm" aria-label={t("Why they failed")}>
          {errors.map((reason) => (
            <ReasonChoice
              key={reason.code}
              reason={reason}
              {...ticked(isChosen(reason), (checked) => setTicks({ ...ticks, [reason.code]: checked }))}
            />
          ))}
        </Stack>
        <FirstRecipients chosen={chosen} count={part.data?.people} />
        <Paused siteIds={(sent > 0 && part.data?.siteIds) || []} />
      </Stack>
    </ConfirmForm>
  );
}

/** `siteIds`: those of the chosen messages. */
function Paused({ siteIds }: { siteIds: readonly string[] }) {
  const sites = usePausedSites().filter(({ id }) => siteIds.includes(id));
  if (sites.length === 0) return null;
  const names = formatParts(sites.map(siteTitle));
  return <Text>{t("Sending is paused for {names}: what is resent there waits for the end of the pause.", { names })}</Text>;
}

/** How many failed by it, whether a resend helps, and how many cannot be sent again. */
const ReasonChoice = ({ reason, ...box }: { reason: Reason } & Pick<CheckboxProps, "checked" | "onChange">) => (
  <Group component="li" wrap="nowrap">
    <Checkbox
      label={`${formatCount(reason.count)}: ${translated(reason.explanation.text)}`}
      description={
        <>
          {sendable(reason) > 0 && <Outlook {...reason} />}
          {lostOf(reason).map(({ why, count }) => (
            <Text key={why} span display="block" inherit>
              {t("{count} cannot be resent: {why}.", { count: formatCount(count), why: translated(labels.lost[why]) })}
            </Text>
          ))}
        </>
      }
      disabled={sendable(reason) === 0}
      {...box}
    />
  </Group>
);

/** Whether a resend helps, and if not, what to do first. `isTold`: the reason of the failure stands beside it. */
export function Outlook({ code, resend: outlook, refusal, explanation, isTold = false }: Reason & { isTold?: boolean }) {
  if (refusal !== null)
    return (
      <>
        {refusal.reason === null ? (
          <Told {...refusal} />
        ) : isTold && refusal.reason.code === code ? (
          t("It would fail again for the same reason")
        ) : (
          t("It would fail again: {reason}", { reason: describeReason(refusal.reason, t).replace(/\.$/u, "") })
        )}
        . {refusal.bindingId !== null && <TextLink {...pages.binding(refusal.bindingId)}>{t("Open the binding")}</TextLink>}
      </>
    );
  return outlook === "helps" ? t("A resend may succeed.") : translated(explanation.action);
}

const mostNamed = 3;

/** How many people get the messages, and who the newest of the chosen reasons are for: ids are ordered by time. `count`: undefined until it is known. */
function FirstRecipients({ chosen, count }: { chosen: Reason[]; count: number | undefined }) {
  const messages = chosen.flatMap((reason) => reason.messages).toSorted((a, b) => b.id.localeCompare(a.id));
  const named = [...new Set(messages.map(({ toPhone }) => toPhone))].slice(0, mostNamed);
  if (named.length === 0 || count === undefined) return null;
  const others = count - named.length;
  return (
    <Text>
      {t("To {count, plural, one {# person} other {# people}}: {newest}{value}", {
        count,
        newest: named.join(t(", ")),
        value: others > 0 && t("{others, plural, one { and # other} other { and # others}}", { others }),
      })}
    </Text>
  );
}

export const NothingToResend = ({ onClose, children }: { onClose: () => void; children: ReactNode }) => (
  <Stack>
    <Text>{children}</Text>
    <DialogButtons dismiss={t("Close")} onClose={onClose} />
  </Stack>
);

const lostOf = ({ lost = [] }: Pick<OrEarlier<Reason, "lost">, "lost">) => lost;

/** How many of its messages can be sent again. */
const sendable = (reason: Pick<Reason, "count" | "lost">): number => lostOf(reason).reduce((left, { count }) => left - count, reason.count);
