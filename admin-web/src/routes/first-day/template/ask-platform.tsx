import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { trpc } from "../../../trpc.ts";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";

/** Reads the platform's templates now, should its word not come by itself. */
export function AskPlatform({ children }: { children: ReactNode }) {
  const cache = trpc.useUtils();
  const sync = trpc.templates.sync.useMutation({ onSuccess: () => cache.templates.invalidate() });
  return (
    <>
      {sync.error !== null && <FailureNotice title="Could not ask the platform" error={sync.error} />}
      <Button variant="default" loading={sync.isPending} onClick={() => sync.mutate()}>
        {children}
      </Button>
    </>
  );
}
