import { Button, Card, Stack, Text, Title } from "@mantine/core";
import IconRoute from "@tabler/icons-react/dist/esm/icons/IconRoute.mjs";
import { Link } from "@tanstack/react-router";
import { paths } from "../../paths.ts";

/** Before the first message there is nothing to count: the way there instead. */
export function NothingYet() {
  return (
    <Card withBorder padding="xl">
      <Stack align="center" gap="md" ta="center" py="lg">
        <IconRoute size={40} stroke={1.5} color="var(--mantine-color-anchor)" aria-hidden />
        <div>
          <Title order={2} size="h3">
            Nothing was sent yet
          </Title>
          <Text c="dimmed" maw="30rem" mt={4}>
            Four steps lead from here to the first message: a site, a template, a binding and an event. After that this page shows what was
            sent, what arrived, and what needs you.
          </Text>
        </div>
        <Button component={Link} to={paths.firstDay}>
          Go through the first steps
        </Button>
      </Stack>
    </Card>
  );
}
