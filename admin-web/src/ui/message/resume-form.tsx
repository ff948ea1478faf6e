import { Group, NativeSelect, Radio, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "../../language.ts";
import { cache, type Inputs, trpcClient } from "../../trpc.ts";
import { ConfirmForm } from "../base/dialogs.tsx";
import { bound } from "../base/fields.ts";
import { Pending } from "../base/page.tsx";
import { countOf } from "../list/count.ts";
import { useFollowOperation } from "../operation/operations.tsx";
import { type HeldSite, listedOf, useHold } from "./use-hold.ts";

const choices = ["all", "young", "none"] as const;
type Choice = (typeof choices)[number];

const hourMs = 3_600_000;
type CancelInput = Inputs["notifications"]["cancelMany"];

const lookEveryMs = 500;

const countAnew = (which: CancelInput) => ({ ...countOf("notifications.scheduledCount", which), gcTime: 0, staleTime: 0 });

const ages = [1, 3, 6, 12, 24, 48].map((hours) => ({
  value: String(hours),
  label: t("{hours, plural, one {# hour} other {# hours}}", { hours }),
}));

/** Ends a pause: sends the messages that wait for it, all or the younger ones, or discards them. Messages that are scheduled for later stay scheduled. */
export function ResumeForm({ site, onClose }: { site: Pick<HeldSite, "id">; onClose: () => void }) {
  const end = useEndOfPause(site.id);
  const [choice, choose] = useState<Choice>("all");
  const [young, setYoung] = useState({ hours: "6", since: before("6") });
  const [until] = useState(() => new Date().toISOString());
  // Only what was counted is discarded: messages that come meanwhile are sent. The banner's number may be half a minute old.
  const waiting = { siteId: site.id, due: true, to: until };
  const all = useQuery(countAnew(waiting));
  const younger = useQuery({ ...countAnew({ ...waiting, from: young.since }), enabled: choice === "young" });
  const failed = [all, younger].find(({ error }) => error !== null);
  if (failed !== undefined || all.data === undefined || !all.isFetchedAfterMount)
    return <Pending query={failed ?? all} what={t("the count")} failure={t("Could not count the messages")} />;
  const [{ total }, listed] = [all.data, listedOf(all.data)];
  // What is queued already cannot be discarded.
  const stuck = listed.total - total;
  const chosen = { all: all.data, young: younger.data, none: { total: 0, more: false } }[choice];
  const discarded = { more: all.data.more, total: chosen === undefined ? 0 : total - chosen.total };
  const resume = async () => {
    const to = { all: null, young: justBefore(young.since), none: until }[choice];
    await end(to !== null && discarded.total > 0 ? { ...waiting, to } : null);
  };
  return (
    <ConfirmForm
      action={discarded.total > 0 ? discardLabel(discarded) : sendLabel(chosen, stuck)}
      isMild={discarded.total === 0}
      isCounting={chosen === undefined}
      onClose={onClose}
      onConfirm={resume}
    >
      {listed.total === 0 ? (
        t("No messages are waiting. New messages are sent at once again.")
      ) : (
        <Radio.Group
          label={tellWaiting(listed)}
          description={tellChoice(stuck)}
          value={choice}
          onChange={(value) => choose(choices.find((each) => each === value) ?? "all")}
        >
          <Stack gap="sm" mt="sm">
            <Radio value="all" label={t("Send all")} />
            <Group gap="xs">
              <Radio value="young" label={t("Send the newer ones, discard the others")} />
              {choice === "young" && (
                <NativeSelect
                  size="xs"
                  aria-label={t("Newer than")}
                  data={ages}
                  {...bound(young.hours, (value) => setYoung({ hours: value, since: before(value) }))}
                />
              )}
            </Group>
            <Radio value="none" disabled={total === 0} label={noneLabel(all.data)} />
          </Stack>
        </Radio.Group>
      )}
    </ConfirmForm>
  );
}

const tellWaiting = ({ total, more }: { total: number; more: boolean }): string =>
  t("{value}{total, plural, one {# message} other {# messages}} {total, plural, one {waits} other {wait}} for the end of the pause", {
    value: more ? t("More than ") : "",
    total,
  });

const tellChoice = (stuck: number): string =>
  t(
    "They are sent one by one at the account's pace. Discarded messages are cancelled and cannot be resent. {stuck, plural, =0 {} one {# is queued already, and sent in any case.} other {# are queued already, and sent in any case.}}",
    { stuck },
  );

/** Discards messages and then resumes sending: what is sent meanwhile cannot be discarded, and the servers go on with what is too much for one call. The operation's bar tells how many there were. */
function useEndOfPause(id: string) {
  const hold = useHold();
  const follow = useFollowOperation();
  const discard = async (which: CancelInput): Promise<void> => {
    const { id: operationId } = (await trpcClient.notifications.cancelMany.mutate(which)).operation;
    follow(operationId);
    for (;;) {
      const { operation } = await cache.operations.get.fetch({ id: operationId }, { staleTime: 0 });
      if (operation.state === "stopped") throw new Error(t("Discarding was stopped. Sending stays paused."));
      if (operation.finishedAt !== null) return;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  };
  return async (which: CancelInput | null): Promise<void> => {
    if (which !== null) await discard(which);
    await hold.change({ id, holdMessages: false });
  };
}

const sendLabel = (kept: { total: number; more: boolean } | undefined, stuck: number): string =>
  kept === undefined || kept.total + stuck === 0
    ? t("Resume sending")
    : t("Send {more}{total, plural, one {# message} other {# messages}}", {
        more: kept.more && t("more than "),
        total: kept.total + stuck,
      });

const noneLabel = ({ total, more }: { total: number; more: boolean }): string =>
  more ? t("Discard all") : t("Discard {total, plural, one {# message} other {# messages}}", { total });

const discardLabel = ({ total, more }: { total: number; more: boolean }): string =>
  t("Discard {more}{total, plural, one {# message} other {# messages}} and resume", { more: more && t("more than "), total });

const before = (hours: string): string => new Date(Date.now() - Number(hours) * hourMs).toISOString();
const justBefore = (time: string): string => new Date(Date.parse(time) - 1).toISOString();
