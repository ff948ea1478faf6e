import { Center } from "@mantine/core";
import { FailureNotice } from "./failure-notice.tsx";

/** In place of a page that could not be loaded or drawn. */
export function PageFailure({ error }: { error: Error }) {
  return (
    <Center component="main" mih="100vh" p="md">
      <FailureNotice title="This page could not be shown" error={error} onRetry={() => window.location.reload()} />
    </Center>
  );
}
