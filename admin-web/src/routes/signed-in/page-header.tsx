import { Button, Container, Group, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { ColorSchemeButton } from "../../ui/color-scheme-button.tsx";
import classes from "./page-header.module.css";

export function PageHeader({ account, email }: { account: string; email: string }) {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const logout = trpc.auth.logout.useMutation({
    onSuccess: async () => {
      await navigate({ to: paths.signIn });
      cache.clear();
    },
  });
  return (
    <header className={classes["header"]}>
      <Container size="lg" px="md">
        <Group justify="space-between" gap="xs" py="sm">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Text fw={700} c="var(--mantine-color-anchor)">
              Tidings
            </Text>
            <Text fw={600} truncate title={account}>
              {account}
            </Text>
          </Group>
          <Group gap="xs">
            <Text size="sm" c="dimmed" className={classes["email"]}>
              {email}
            </Text>
            <ColorSchemeButton />
            <Button size="compact-sm" variant="default" loading={logout.isPending} onClick={() => logout.mutate()}>
              Sign out
            </Button>
          </Group>
        </Group>
        {logout.error !== null && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)" pb="xs">
            You are still signed in: {logout.error.message}
          </Text>
        )}
      </Container>
    </header>
  );
}
