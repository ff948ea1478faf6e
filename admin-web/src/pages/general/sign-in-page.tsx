import { Button, Code, Group, Stack, Text, Textarea } from "@mantine/core";
import { t } from "../../language.ts";
import { pages } from "../../paths.ts";
import { useMe } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { SecondaryButton, TextLink } from "../../ui/base/buttons.tsx";
import { Status } from "../../ui/base/facts.tsx";
import { Page, Section, rich } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { FormButtons, InputForm, linesAt, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { WithSettings, type Settings, SettingSwitch, useUpdateSettings } from "../../ui/form/with-settings.tsx";
import { tellState } from "../../ui/list/state-line.ts";

/** How people get in: the company's own sign-in, the second factor, and from where. */
export function SignInSettingsPage() {
  const mayDemand = useMay("demandSecondFactor");
  const mayLimit = useMay("limitAddresses");
  return (
    <Page title={t("Sign-in")} lead={useStateLine()}>
      <WithSettings>
        {({ allowedAddresses, ...settings }) => (
          <Stack gap="lg" maw="40rem">
            <SingleSignOn {...settings} mayDemand={mayDemand} />
            <Section title={t("Second factor")} lead={t("An authenticator app or a passkey in addition to the password.")} isCard>
              {mayDemand ? (
                <SecondFactorSwitch isRequired={settings.requireSecondFactor} />
              ) : (
                <Text size="md">{requirementWords(settings.requireSecondFactor)}</Text>
              )}
            </Section>
            {mayLimit && allowedAddresses !== null && (
              <Section title={t("Allowed addresses")} lead={t("Networks from which the dashboard and access tokens may be used.")} isCard>
                <AllowedAddresses lists={allowedAddresses} {...settings} />
              </Section>
            )}
          </Stack>
        )}
      </WithSettings>
    </Page>
  );
}

function useStateLine() {
  const { sso, requireSso, requireSecondFactor } = trpc.settings.get.useQuery().data ?? {};
  return tellState("signIn", { sso: sso !== undefined && ssoWords(sso, requireSso), factor: requireSecondFactor === true && 1 });
}

const ssoWords = (sso: Settings["sso"], isRequired = false): string => (sso === null ? t("Off") : isRequired ? t("Required") : t("On"));

const requirementWords = (isRequired: boolean): string =>
  isRequired ? t("Everybody in this account needs one.") : t("Everybody in this account may set one up.");

/** Switches the demand on or off, at once, also for the person who does it. */
function SecondFactorSwitch({ isRequired }: { isRequired: boolean }) {
  const { way, secondFactor } = useMe();
  const needsNone = way === "sso" || secondFactor.totp || secondFactor.passkeys > 0;
  return (
    <SettingSwitch
      label={t("Require a second factor")}
      description={t("People without one{value} can do nothing else until they have set one up. Access tokens keep working.", {
        value: needsNone ? "" : t(", you included,"),
      })}
      isOn={isRequired}
      change={(isOn) => ({ requireSecondFactor: isOn })}
    />
  );
}

/** The address at which the server begins a sign-in by the company's own way; it leads back. */
const ssoStart = "/auth/oidc";

/** Whether there is a company sign-in, how it is set up and tried, and whether it alone counts. */
function SingleSignOn({ sso, requireSso, mayDemand }: Pick<Settings, "sso" | "requireSso"> & { mayDemand: boolean }) {
  if (sso === null) return <HowToSetUp />;
  return (
    <Section title={t("Single sign-on")} isCard>
      <Group justify="space-between">
        <Status tone="delivered">{ssoWords(sso, requireSso)}</Status>
        <SecondaryButton component="a" href={ssoStart} size="xs">
          {t("Sign in with {name} to test it", { name: sso.name })}
        </SecondaryButton>
      </Group>
      <Text>
        {requireSso
          ? t("Everybody in this account signs in with {name}.", { name: sso.name })
          : t("People sign in with {name}, or with their password or passkey.", { name: sso.name })}
      </Text>
      {mayDemand && (
        <SettingSwitch
          label={t("Require {name}", { name: sso.name })}
          description={
            sso.opensThis
              ? t(
                  "Passwords, passkeys and links then stop working here, and sessions that {name} did not open end at once. People without a verified address there lose access. Access tokens keep working.",
                  { name: sso.name },
                )
              : t("To require it, sign in with {name} yourself first.", { name: sso.name })
          }
          disabled={!sso.opensThis}
          isOn={requireSso}
          change={(isOn) => ({ requireSso: isOn })}
        />
      )}
    </Section>
  );
}

const HowToSetUp = () => (
  <Section title={t("Single sign-on")} isCard>
    <Status tone="waiting">{t("Not set up")}</Status>
    <Text>
      {rich(
        t(
          "Register <0>{callback}</0> with your OpenID Connect provider, then start the server with <1/>, <2/> and <3/>. The documentation explains <4>people and sign-in</4>.",
          { callback: `${location.origin}/auth/oidc/callback` },
        ),
        <Code />,
        <Code>{"OIDC_ISSUER"}</Code>,
        <Code>{"OIDC_CLIENT_ID"}</Code>,
        <Code>{"OIDC_CLIENT_SECRET"}</Code>,
        <TextLink {...pages.topic("people")} />,
      )}
    </Text>
  </Section>
);

type Lists = NonNullable<Settings["allowedAddresses"]>;

const fieldsOf = ({ dashboard, tokens }: Lists) => ({ allowedAddresses: { dashboard: dashboard.join("\n"), tokens: tokens.join("\n") } });

/** The addresses and networks from which the account may be used, one a line. */
function AllowedAddresses({ lists, yourAddress, updatedAt }: Pick<Settings, "yourAddress" | "updatedAt"> & { lists: Lists }) {
  const form = useInputForm({
    initialValues: fieldsOf(lists),
    toInput: ({ allowedAddresses: { dashboard, tokens } }) => ({
      allowedAddresses: { dashboard: linesOf(dashboard), tokens: linesOf(tokens) },
    }),
    check: by("updateSettingsInput"),
    submit: useUpdateSettings().mutateAsync,
    versioned: {
      updatedAt,
      fill: (settings: Settings) => settings.allowedAddresses && fieldsOf(settings.allowedAddresses),
      tell: ({ allowedAddresses: { dashboard, tokens } }) => [
        { name: t("Dashboard"), text: linesOf(dashboard).join(", "), at: ["allowedAddresses/dashboard"] },
        { name: t("Access tokens"), text: linesOf(tokens).join(", "), at: ["allowedAddresses/tokens"] },
      ],
    },
  });
  const { allowedAddresses } = form.values;
  const hasMine = linesOf(allowedAddresses.dashboard).includes(yourAddress);
  const size = { minRows: 2, maxRows: 12 };
  return (
    <InputForm form={form} label={t("Allowed addresses")} failure={t("The allowed addresses were not saved")}>
      <Textarea
        label={t("Dashboard")}
        description={t("One address or network per line, such as 203.0.113.7 or 203.0.113.0/24. Empty: any address.")}
        {...size}
        {...linesAt(form, "allowedAddresses.dashboard")}
      />
      <Stack gap={4} align="flex-start">
        <Text>{rich(t("Your address is now <0>{yourAddress}</0>.", { yourAddress }), <strong />)}</Text>
        <Button
          size="xs"
          variant="light"
          disabled={hasMine}
          onClick={() => {
            const dashboard = [...linesOf(allowedAddresses.dashboard), yourAddress].join("\n");
            form.change({ allowedAddresses: { ...allowedAddresses, dashboard } });
          }}
        >
          {t("Add mine")}
        </Button>
      </Stack>
      <Textarea
        label={t("Access tokens")}
        description={t("Addresses from which programs may use them. Empty: any address.")}
        {...size}
        {...linesAt(form, "allowedAddresses.tokens")}
      />
      <FormButtons form={form} saved={t("Saved. People and programs at other addresses are refused.")} />
    </InputForm>
  );
}

const linesOf = (text: string): string[] => text.split(/[\s,;]+/).filter((line) => line !== "");
