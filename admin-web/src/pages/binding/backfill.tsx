import { Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { describeReason } from "shared/core/reason";
import { formatCount, formatTime } from "../../format.ts";
import { t } from "../../language.ts";
import { type Outputs, trpc, trpcClient } from "../../trpc.ts";
import { ConfirmForm, manyThings } from "../../ui/base/dialogs.tsx";
import { bound } from "../../ui/base/fields.ts";
import { Pending } from "../../ui/base/page.tsx";
import { Told } from "../../ui/base/told.tsx";
import { dayMs } from "../../ui/list/days.ts";
import { toLocalMinute } from "../../ui/list/search-params.ts";
import { useFollowOperation } from "../../ui/operation/operations.tsx";
import type { Binding } from "./use-binding-form.ts";

/** Runs earlier events for this binding, after a dry run. */
export function Backfill({ binding, onClose }: { binding: Binding; onClose: () => void }) {
  const [since, setSince] = useState(() => toLocalMinute(Date.now() - dayMs));
  const at = Date.parse(since);
  return (
    <Stack>
      <Text>
        {t(
          "Events that came before the binding, or while it was switched off, are run for it alone, oldest first and each once. They leave at half of the account's pace, behind what happens now.",
        )}
      </Text>
      <TextInput type="datetime-local" label={t("Events since")} required {...bound(since, setSince)} />
      {!Number.isNaN(at) && <DryRun key={at} binding={binding} since={new Date(at).toISOString()} onClose={onClose} />}
    </Stack>
  );
}

function DryRun({ binding: { id }, since, onClose }: { binding: Binding; since: string; onClose: () => void }) {
  const preview = trpc.bindings.backfillPreview.useQuery({ id, since }, { gcTime: 0, refetchOnWindowFocus: false });
  const [requestId] = useState(() => crypto.randomUUID());
  const follow = useFollowOperation();
  if (preview.data === undefined) return <Pending query={preview} what={t("the dry run")} failure={t("Could not preview the backfill")} />;
  const { total, tooMany, searchedTo, isEnabled } = preview.data;
  return (
    <ConfirmForm
      action={t("Run {total, plural, one {# event} other {# events}}", { total })}
      typed={total > manyThings ? String(total) : undefined}
      isMild
      isAllowed={isEnabled && (total > 0 || searchedTo !== null) && !tooMany}
      onClose={onClose}
      onConfirm={async () => {
        follow((await trpcClient.bindings.backfill.mutate({ id, since, requestId })).operation.id);
      }}
    >
      <Result preview={preview.data} />
    </ConfirmForm>
  );
}

function Result({ preview }: { preview: Outputs["bindings"]["backfillPreview"] }) {
  const { total, tooMany, searchedTo, planned, messages, failed, expired, without, reasons, recipients, isEnabled, since } = preview;
  if (!isEnabled) return <Text>{t("The binding is switched off. Switch it on and save it first.")}</Text>;
  if (tooMany)
    return <Text>{t("More than {total, plural, one {# event} other {# events}} came since then. Choose a later time.", { total })}</Text>;
  const later =
    searchedTo !== null &&
    t("Events after {searchedTo} were not looked at yet: they are as it runs, and those that the binding has missed are run too.", {
      searchedTo: formatTime(searchedTo),
    });
  if (total === 0) return <Text>{later || t("The binding has missed no event since {since}.", { since: formatTime(since) })}</Text>;
  const of = planned < total ? t("Of the first {planned}: ", { planned: formatCount(planned) }) : "";
  const parts = [
    t("{messages, plural, one {# message} other {# messages}} would leave", { messages }),
    failed > 0 && t("{failed} would fail", { failed: formatCount(failed) }),
    expired > 0 && t("{expired} would have expired and are left out", { expired: formatCount(expired) }),
    without > 0 && t("{without, plural, one {# event} other {# events}} would send nothing", { without }),
  ].filter(Boolean);
  return (
    <Stack gap="xs">
      <Text>
        {t("{total, plural, one {# event} other {# events}} since {since}. {of}{parts}.", {
          total,
          since: formatTime(since),
          of,
          parts: parts.join(t(", ")),
        })}
      </Text>
      {later && <Text>{later}</Text>}
      {recipients.length > 0 && (
        <Text>
          {t("First recipients: {recipients}", { recipients: [...new Set(recipients.map(({ toPhone }) => toPhone))].join(t(", ")) })}
        </Text>
      )}
      {reasons.length > 0 && (
        <ul aria-label={t("Why not")}>
          {reasons.map(({ text, count, reason, said }) => (
            <li key={text}>
              {formatCount(count)}: {reason === null ? <Told text={text} said={said} /> : describeReason(reason, t)}
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}
