import { Anchor, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { paths } from "../../paths.ts";

/** An address that leads nowhere. */
export function NotFound() {
  useDocumentTitle("No such page · Tidings");
  return (
    <Stack gap="xs" align="center" p="xl" ta="center">
      <Title order={1}>No such page</Title>
      <Text>
        The address leads nowhere.{" "}
        <Anchor href={paths.home} underline="always">
          Go to the start
        </Anchor>
      </Text>
    </Stack>
  );
}
