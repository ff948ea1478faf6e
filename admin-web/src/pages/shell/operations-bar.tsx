import { Stack } from "@mantine/core";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { cache, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import {
  type ListedOperation,
  mostOpen,
  operationPage,
  useFollowedOperations,
  useOpenOperations,
  useOperationTitle,
  useOperationsAdvance,
} from "../../ui/operations.tsx";
import { FailureNotice } from "../../ui/page.tsx";
import { OperationProgress } from "../../ui/progress.tsx";

/** Shows on every page how far the operations under way are, and what came of those that were started here. */
export function OperationsBar() {
  const open = useOpenOperations();
  const [followed, setFollowed] = useFollowedOperations();
  useOperationsAdvance(askForProblems, ({ id }) => id);
  const ended = followed.filter((id) => !open.some((operation) => operation.id === id));
  if (open.length === 0 && ended.length === 0) return null;
  return (
    <Stack component="section" data-screen gap="xs" mb="md" aria-label={t("Operations")}>
      {open.slice(0, mostOpen).map((operation) => (
        <OperationCard key={operation.id} operation={operation} />
      ))}
      {open.length > mostOpen && (
        <TextLink to={paths.operations} search={{ state: "running" }}>
          {t("{more} more under way", { more: formatCount(open.length - mostOpen) })}
        </TextLink>
      )}
      {ended.map((id) => (
        <EndedOperation key={id} id={id} onDismiss={() => setFollowed(followed.filter((each) => each !== id))} />
      ))}
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

function EndedOperation({ id, onDismiss }: { id: string; onDismiss: () => void }) {
  const query = trpc.operations.get.useQuery(
    { id },
    { refetchInterval: ({ state }) => (state.data?.operation.finishedAt === null ? soonMs : afterwardsMs), retry: false },
  );
  const operation = query.data?.operation;
  // It is kept as long as the log.
  if (operation === undefined) return null;
  return <OperationCard operation={operation} onDismiss={onDismiss} />;
}

function OperationCard({ operation, onDismiss }: { operation: ListedOperation; onDismiss?: () => void }) {
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
