import { Stack } from "@mantine/core";
import { useState } from "react";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { cache, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { FailureNotice } from "../../ui/base/page.tsx";
import {
  type ListedOperation,
  mostOpen,
  operationPage,
  useFollowedOperations,
  useOpenOperations,
  useOperationTitle,
  useOperationsAdvance,
} from "../../ui/operation/operations.tsx";
import { OperationProgress } from "../../ui/operation/progress.tsx";

/** Shows on every page how far the operations under way are, and what came of those that were started here. */
export function OperationsBar() {
  const open = useOpenOperations();
  const [followed, setFollowed] = useFollowedOperations();
  useOperationsAdvance(askForProblems, ({ id }) => id);
  const ended = followed.filter((id) => !open.some((operation) => operation.id === id));
  const shown = [...open.slice(0, mostOpen).map(({ id }) => id), ...ended];
  if (shown.length === 0) return null;
  return (
    <Stack component="section" data-screen gap="xs" mb="md" aria-label={t("Progress of operations")}>
      {shown.map((id) => (
        <OneOperation
          key={id}
          id={id}
          open={open.find((operation) => operation.id === id)}
          onDismiss={() => setFollowed(followed.filter((each) => each !== id))}
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

/** Asks for the problems at once, and again when the server has counted what was done. */
const askForProblems = () => {
  const ask = () => void cache.problems.list.invalidate();
  ask();
  setTimeout(ask, problemsFreshMs);
};

/** What becomes of messages after the end changes more slowly. */
const afterwardsMs = 10_000;
const soonMs = 1_000;

/** One card from the beginning to the end, so that the focus stays in it. `open`: while it is under way. */
function OneOperation({ id, open, onDismiss }: { id: string; open: ListedOperation | undefined; onDismiss: () => void }) {
  const [first] = useState(open);
  const refetchInterval = ({ state }: { state: { data: { operation: ListedOperation } | undefined } }) =>
    state.data?.operation.finishedAt === null ? soonMs : afterwardsMs;
  const { data, error } = trpc.operations.get.useQuery({ id }, { enabled: open === undefined, refetchInterval, retry: false });
  // It is kept as long as the log.
  const operation = open ?? data?.operation ?? (error === null ? first : undefined);
  return operation && <OperationCard operation={operation} onDismiss={open === undefined ? onDismiss : undefined} />;
}

function OperationCard({ operation, onDismiss }: { operation: ListedOperation; onDismiss: (() => void) | undefined }) {
  const isOperator = useMay("operator");
  const { operations } = cache;
  const stop = trpc.operations.stop.useMutation({ onSuccess: () => operations.invalidate() });
  const { id, kind, canStop, hasMessages } = operation;
  const title = useOperationTitle(operation);
  const isListed = hasMessages || kind === "replay_deliveries";
  return (
    <>
      {stop.error !== null && <FailureNotice title={t("The operation was not stopped")} error={stop.error} />}
      <OperationProgress
        operation={operation}
        title={title}
        items={isListed ? operationPage(operation) : undefined}
        onStop={isOperator && canStop ? () => stop.mutate({ id }) : undefined}
        onDismiss={onDismiss}
      />
    </>
  );
}
