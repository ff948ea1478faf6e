import { type ButtonProps, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { SecondaryButton, TextLink } from "../base/buttons.tsx";
import { type AskedDialog, useDialog } from "../base/dialogs.tsx";
import { part } from "../base/later.tsx";
import { FailureNotice, rich } from "../base/page.tsx";
import { countOf } from "../list/count.ts";
import { type HeldSite, listedOf, useHold } from "./use-hold.ts";

const ResumeForm = part(async () => (await import("./resume-form.tsx")).ResumeForm);

/** The question how a pause ends. */
export const resuming = (site: Pick<HeldSite, "id" | "name">): AskedDialog => ({
  title: t("Resume sending for {name}?", { name: site.name }),
  children: (close) => <ResumeForm site={site} onClose={close} />,
});

const lookEveryMs = 30_000;

/** How many messages wait for the end of a site's pause, between signs that stand there only with it. */
export function WaitingThere({ siteId, before, end }: { siteId: string; before?: string; end?: string }) {
  // Those that are scheduled for later do not wait for the end of the pause.
  const due = useQuery({ ...countOf("notifications.scheduledCount", { siteId, due: true }), refetchInterval: lookEveryMs });
  const count = due.data === undefined ? 0 : listedOf(due.data).total;
  if (count === 0) return null;
  const waiting = t("{count, plural, one {<0># message</0> is waiting} other {<0># messages</0> are waiting}}", { count });
  return (
    <>
      {before}
      {rich(waiting, <TextLink to={paths.scheduled} search={{ siteId }} />)}
      {end}
    </>
  );
}

const holdLabel = ({ holdMessages }: Pick<HeldSite, "holdMessages">) => (holdMessages ? t("Resume sending") : t("Pause sending"));

/** Pauses with one click. The end of a pause asks what to do with the waiting messages. */
export function HoldButton({ site, ...props }: { site: HeldSite } & ButtonProps) {
  const hold = useHold();
  const { show, draw } = useDialog();
  return (
    <Stack gap="xs" align="flex-start">
      <SecondaryButton
        {...props}
        loading={hold.isPending}
        onClick={site.holdMessages ? () => show(resuming(site)) : () => void hold.change({ ...site, holdMessages: true }).catch(() => {})}
      >
        {holdLabel(site)}
      </SecondaryButton>
      <FailureNotice title={t("Sending was not paused")} of={hold} />
      {draw()}
    </Stack>
  );
}
