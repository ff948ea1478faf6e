import { Alert, Button, Group, Text } from "@mantine/core";
import IconRefresh from "@tabler/icons-react/dist/esm/icons/IconRefresh.mjs";
import { useMay } from "../../session/me.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { Moment } from "../../ui/moment.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";

/** When the templates were last read from the platform and what came of it; and reading them now. */
export function SyncTemplates() {
  const mayWrite = useMay("operator");
  const cache = trpc.useUtils();
  const state = trpc.templates.syncState.useQuery();
  const sync = trpc.templates.sync.useMutation({ onSettled: () => cache.templates.invalidate() });
  return (
    <>
      <Group gap="sm">
        {mayWrite && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={sync.isPending}
            onClick={() => sync.mutate()}
          >
            Sync with the platform
          </Button>
        )}
        <Text size="sm" c="dimmed" component="div" role="status">
          {sync.isPending && "Reading the templates from the platform…"}
          {sync.isSuccess && <strong>{outcome(sync.data)} </strong>}
          {!sync.isPending && state.data !== undefined && <LastRead {...state.data} />}
        </Text>
      </Group>
      {sync.error !== null && <FailureNotice title="The templates were not read" error={sync.error} onRetry={() => sync.mutate()} />}
      {sync.error === null && state.data?.problem && (
        <Alert color="yellow" title="The hourly reading of the templates fails">
          {state.data.problem} {state.data.nextAt !== null && <Next at={state.data.nextAt} />}
        </Alert>
      )}
    </>
  );
}

function LastRead({ lastAt, nextAt }: Outputs["templates"]["syncState"]) {
  if (nextAt === null) return "The account is not connected to the platform yet.";
  if (lastAt === null) return "Not read from the platform yet; it is done every hour.";
  return (
    <>
      Last read <Moment at={lastAt} />, then every hour.
    </>
  );
}

const Next = ({ at }: { at: string }) => (
  <>
    Tried again <Moment at={at} />.
  </>
);

function outcome({ imported, updated }: Outputs["templates"]["sync"]): string {
  if (imported + updated === 0) return "Nothing new.";
  return `${imported} imported, ${updated} updated.`;
}
