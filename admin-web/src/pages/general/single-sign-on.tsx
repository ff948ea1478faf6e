import { Card, Stack, Switch } from "@mantine/core";
import type { Settings } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";

/** Whether only the company's own sign-in counts. Shown where there is one. */
export function SingleSignOn({ sso, requireSso }: Pick<Settings, "sso" | "requireSso">) {
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  if (sso === null) return null;
  const lead = requireSso
    ? `Everybody in this account signs in with ${sso.name}.`
    : `People sign in with ${sso.name}, or with their password or passkey.`;
  return (
    <Section title="Company sign-in" lead={lead}>
      <Card withBorder>
        <Stack gap="sm">
          {update.error !== null && <FailureNotice title="The setting was not changed" error={update.error} />}
          <Switch
            label={`Require ${sso.name}`}
            description={
              sso.opensThis
                ? `Passwords, passkeys and links then open nothing here, and sessions that ${sso.name} did not open end at once. People without a verified address there lose access. Access tokens keep working.`
                : `To require it, sign in with ${sso.name} yourself first.`
            }
            checked={update.isPending ? !requireSso : requireSso}
            disabled={!sso.opensThis || update.isPending}
            onChange={(event) => update.mutate({ requireSso: event.currentTarget.checked })}
          />
        </Stack>
      </Card>
    </Section>
  );
}
