import { Anchor, Center, Stack, Text, Title } from "@mantine/core";
import { paths } from "../paths.ts";

export function NotFound() {
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack gap="xs" align="center">
        <Title order={1}>No such page</Title>
        <Text>
          The address leads nowhere.{" "}
          <Anchor href={paths.home} underline="always">
            Go to the start
          </Anchor>
        </Text>
      </Stack>
    </Center>
  );
}
