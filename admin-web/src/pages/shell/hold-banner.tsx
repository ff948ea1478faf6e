import { Alert, Group, Stack, Text } from "@mantine/core";
import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { useLocation, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { formatSeconds } from "../../format.ts";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { age, type Outputs, trpc } from "../../trpc.ts";
import { SmallButton, TextLink } from "../../ui/base/buttons.tsx";
import { siteTitle } from "../../ui/base/labels.ts";
import { Dimmed, News, rich } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { HoldButton, WaitingThere } from "../../ui/message/hold.tsx";

/** Lists of a database that keeps up are at most this many seconds old. */
const usualAge = 2;

/** Tells on every page that the database which lists are read of is behind. */
export function Age() {
  const [seconds, tell] = useState(0);
  useEffect(() => {
    age.tell = tell;
  }, []);
  if (seconds <= usualAge) return null;
  return <Dimmed mb="md">{t("Lists and charts are {seconds, plural, one {# second} other {# seconds}} behind.", { seconds })}</Dimmed>;
}

const longAfterMs = 5_000;

/** Tells on every page that it waits for the server, and since when what it shows is as it is. */
export function Awaited() {
  const queries = useQueryClient();
  const isFetching = useIsFetching({ type: "active" }) > 0;
  const [since, setSince] = useState<string | null>(null);
  useEffect(() => {
    if (!isFetching) return undefined;
    const timer = setTimeout(() => {
      const shown = queries.getQueryCache().findAll({ type: "active", fetchStatus: "fetching" });
      const times = shown.map(({ state }) => state.dataUpdatedAt).filter((at) => at > 0);
      setSince(times.length === 0 ? "" : formatSeconds(new Date(Math.min(...times)).toISOString()));
    }, longAfterMs);
    return () => {
      clearTimeout(timer);
      setSince(null);
    };
  }, [isFetching, queries]);
  const ask = () => void queries.refetchQueries({ type: "active", predicate: ({ state }) => state.fetchStatus === "fetching" });
  return (
    <Group gap="sm" mb={since === null ? 0 : "sm"}>
      <News c="var(--mantine-color-yellow-light-color)" fw={600}>
        {since !== null &&
          (since === ""
            ? t("The server has not answered yet.")
            : t("The server has not answered yet. What is shown is of {since}.", { since }))}
      </News>
      {since !== null && <SmallButton onClick={ask}>{t("Try again")}</SmallButton>}
    </Group>
  );
}

const lookEveryMs = 30_000;
/** The number of sites that are named; the others are only counted. */
const mostNamed = 3;

/** Tells on every page which sites pause sending, with their waiting messages, and which refuse events. */
export function HoldBanner() {
  const halted = trpc.sites.list.useQuery({ halted: true, limit: 200 }, { refetchInterval: lookEveryMs });
  // The site's own page says it at its head, with the button, and the list of problems in a card.
  const { siteId } = useParams({ strict: false });
  const isTold = useLocation({ select: ({ pathname }) => pathname === paths.problems });
  const sites = halted.data?.items.filter(({ id }) => id !== siteId) ?? [];
  if (sites.length === 0 || isTold) return null;
  const others = sites.length - mostNamed;
  return (
    <Alert color="yellow" mb="md" component="section" role="region" aria-label={t("Paused sending")}>
      <Stack gap="xs">
        {sites.slice(0, mostNamed).map((site) => (
          <HaltedSite key={site.id} site={site} />
        ))}
        {others > 0 && (
          <Text>
            {rich(
              t(
                "{others, plural, one {# more site} other {# more sites}} {others, plural, one {pauses} other {pause}} sending or {others, plural, one {refuses} other {refuse}} events. <0>Open sites</0>",
                { others },
              ),
              <TextLink to={paths.sites} />,
            )}
          </Text>
        )}
      </Stack>
    </Alert>
  );
}

type ListedSite = Outputs["sites"]["list"]["items"][number];

function haltOf({ enabled, holdMessages }: ListedSite): string {
  if (enabled) return t("Sending is paused for <0/>.");
  return holdMessages ? t("<0/> refuses events, and sending is paused.") : t("<0/> refuses events.");
}

function HaltedSite({ site }: { site: ListedSite }) {
  const mayResume = useMay("operator");
  return (
    <Group gap="sm" justify="space-between">
      <Text>
        <strong>{rich(haltOf(site), <TextLink {...pages.site(site.id)}>{siteTitle(site)}</TextLink>)}</strong>{" "}
        <WaitingThere siteId={site.id} end="." />
      </Text>
      {mayResume && site.holdMessages && <HoldButton site={site} size="xs" />}
    </Group>
  );
}
