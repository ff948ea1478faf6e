import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Tone } from "shared/core/message";
import { t, translated } from "../../language.ts";
import { pages } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { Moment, Status } from "../../ui/base/facts.tsx";
import { rich } from "../../ui/base/page.tsx";
import { WaitingThere } from "../../ui/message/hold.tsx";
import type { Site } from "./use-site.ts";

const mostCounted = 100;
const lookEveryMs = 3_000;
const restMs = 15_000;

/** Whether no event has come yet, from any sender. */
export const isNew = ({ connectedAt, lastEventAt }: Pick<Site, "connectedAt" | "lastEventAt">): boolean =>
  connectedAt === null && lastEventAt === null;

/** Whether orders come, in one line; while none has, what came instead. */
export function SiteState({ site, held }: { site: Site; held?: Outputs["sites"]["get"]["held"] | undefined }) {
  const { id, enabled, holdMessages, pingedAt, lastEventAt } = site;
  const refused = trpc.sites.refused.useQuery({ siteId: id, limit: mostCounted }, { refetchInterval: isNew(site) ? lookEveryMs : restMs });
  // Once a person has resolved them, they count anew.
  const [problem] = trpc.problems.list.useQuery({ siteId: id, kind: "requests_refused", limit: 1 }).data?.items ?? [];
  const since = problem?.resolvedAt ?? problem?.firstAt ?? "";
  const items = refused.data?.items.filter(({ at }) => at >= since && at > (lastEventAt ?? "")) ?? [];
  const [last] = items;
  const tell = (tone: Tone, word: string, more: ReactNode) => (
    <Text span fz={13} role="status" c="var(--mantine-color-text)">
      <Status tone={tone}>{word}</Status>
      {more}
    </Text>
  );
  if (!enabled) return tell("failed", t("Refuses events"), null);
  if (last !== undefined) {
    const count = items.reduce((sum, { skipped }) => sum + 1 + skipped, 0);
    const more = refused.data?.nextCursor != null && items.length === mostCounted && "+";
    return tell(
      "failed",
      t("{count, plural, one {# request} other {#{more} requests}} refused", { count, more }),
      ` · ${translated(last.text)}`,
    );
  }
  if (holdMessages) return tell("attention", t("Sending is paused"), <Pause siteId={id} held={held} />);
  if (!isNew(site))
    return tell("delivered", t("Connected"), lastEventAt !== null && rich(` · ${t("Last event: <0/>")}`, <Moment at={lastEventAt} />));
  const found = t(
    "The shop has found this address: <0/>. No signed request has arrived yet: place an order in the shop, or save one again.",
  );
  const connect = <TextLink {...pages.site(id, "connect")} />;
  const next = pingedAt ? rich(` · ${found}`, <Moment at={pingedAt} />) : rich(` · <0>${t("Connect this site")}</0>`, connect);
  return tell("waiting", t("Waiting for the first event"), next);
}

/** A server of an earlier version does not tell since when. */
const Pause = ({ siteId, held }: { siteId: string; held: Outputs["sites"]["get"]["held"] | undefined }) => (
  <>
    {held != null && rich(` · ${t("By {name}, <0/>", { name: held.by })}`, <Moment at={held.at} />)}
    <WaitingThere siteId={siteId} before=" · " />
  </>
);
