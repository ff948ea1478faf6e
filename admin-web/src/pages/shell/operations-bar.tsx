import { Stack } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { cache, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { FailureNotice } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import {
  laterOf,
  type ListedOperation,
  mostFollowed,
  mostOpen,
  useFollowedOperations,
  useOpenOperations,
  useOperationsAdvance,
} from "../../ui/operation/operations.tsx";
import { OperationProgress } from "../../ui/operation/progress.tsx";

/**
 * Shows on every page how far the operations under way are, and what came of them until the page is left. What somebody begins elsewhere is shown from the next
 * page on, so that nothing moves under the hand.
 */
export function OperationsBar() {
  const pathname = useLocation({ select: (location) => location.pathname });
  const [arrival, setArrival] = useState({ pathname, at: Date.now() });
  if (arrival.pathname !== pathname) setArrival({ pathname, at: Date.now() });
  const [followed, setFollowed] = useFollowedOperations();
  const open = useOpenOperations().filter(({ id, startedAt }) => followed.includes(id) || Date.parse(startedAt) < arrival.at);
  useOperationsAdvance(askForCounts, ({ id }) => id);
  const under = open.slice(0, mostOpen).map(({ id }) => id);
  const fresh = under.filter((id) => !followed.includes(id));
  useEffect(() => {
    if (fresh.length > 0) setFollowed((before) => [...before, ...fresh].slice(-mostFollowed));
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [fresh.join()]);
  const shown = [...under, ...followed.filter((id) => !open.some((operation) => operation.id === id))];
  if (shown.length === 0) return null;
  return (
    <Stack component="section" data-screen gap="xs" mb="md" aria-label={t("Progress of operations")}>
      {shown.map((id) => (
        <OneOperation
          key={id}
          id={id}
          open={open.find((operation) => operation.id === id)}
          onDismiss={() => setFollowed((before) => before.filter((each) => each !== id))}
        />
      ))}
      {open.length > mostOpen && (
        <TextLink to={paths.operations} search={{ state: "running" }}>
          {t("{more} more under way", { more: formatCount(open.length - mostOpen) })}
        </TextLink>
      )}
    </Stack>
  );
}

/** How old what the server tells of problems may be. */
const problemsFreshMs = 5_000;

/** Asks for the problems, and for how many there are and wait, at once, and again when the server has counted what was done. */
const askForCounts = () => {
  const { problems, notifications, webhookDeliveries, stats } = cache;
  const counts = [problems.list, notifications.count, notifications.scheduledCount, webhookDeliveries.count, stats];
  const ask = () => counts.forEach((shown) => void shown.invalidate());
  ask();
  setTimeout(ask, problemsFreshMs);
};

/** What becomes of messages after the end changes more slowly. */
const afterwardsMs = 10_000;
const soonMs = 1_000;

/** How long a result was in sight when it is taken as seen. */
const seenMs = 3_000;

/** One line from the beginning to the end, so that the focus stays in it. `open`: while it is under way. */
function OneOperation({ id, open, onDismiss }: { id: string; open: ListedOperation | undefined; onDismiss: () => void }) {
  const pathname = useLocation({ select: (location) => location.pathname });
  const [latest, setLatest] = useState(open);
  const refetchInterval = ({ state }: { state: { data: { operation: ListedOperation } | undefined } }) =>
    state.data?.operation.finishedAt === null ? soonMs : afterwardsMs;
  const { data, error } = trpc.operations.get.useQuery({ id }, { enabled: open === undefined, refetchInterval, retry: false });
  const stop = trpc.operations.stop.useMutation({ onSuccess: () => cache.operations.invalidate() });
  const isOperator = useMay("operator");
  // It is kept as long as the log.
  const told = [error === null || data !== undefined ? latest : undefined, data?.operation, open].filter((each) => each !== undefined);
  const operation = told.length === 0 ? undefined : told.reduce(laterOf);
  if (operation !== latest) setLatest(operation);
  const isOver = operation !== undefined && operation.finishedAt !== null;
  const seen = useRef<{ pathname: string; at: number }>(null);
  useEffect(() => {
    if (!isOver || seen.current?.pathname === pathname) return;
    if (seen.current !== null && Date.now() - seen.current.at > seenMs) onDismiss();
    seen.current = { pathname, at: Date.now() };
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isOver, pathname]);
  if (operation === undefined) return null;
  const onStop = isOperator && operation.canStop ? () => stop.mutate({ id }) : undefined;
  return (
    <>
      {stop.error !== null && <FailureNotice title={t("The operation was not stopped")} error={stop.error} />}
      <OperationProgress operation={operation} onStop={onStop} onDismiss={isOver ? onDismiss : undefined} />
    </>
  );
}
