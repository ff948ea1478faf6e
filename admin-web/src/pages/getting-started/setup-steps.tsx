import { Alert, Button, Stack, Text, Group, Loader } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { exampleTemplate } from "shared/core/example";
import type { Role } from "shared/core/role";
import { t, translated } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { cache, trpc, trpcClient } from "../../trpc.ts";
import { ButtonLink, SecondaryButton, TextLink } from "../../ui/base/buttons.tsx";
import { running } from "../../ui/base/fields.ts";
import { Dimmed, FailureNotice } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { type HeldSite, MadeSecrets } from "../../ui/site/made-site.tsx";
import { fillMessage } from "../../ui/template/fill-message.ts";
import { MessageBubble, PhonePreview } from "../../ui/template/message.tsx";
import { TemplateStatusBadge } from "../../ui/template/template-labels.tsx";
import { CreateSiteForm } from "../sites/create-site.tsx";
import type { Facts } from "./progress.ts";

export function PlatformSummary({ settings: { platform } }: Facts) {
  if (!platform.configured) return t("Messages go out over WhatsApp, or to the sandbox for a trial.");
  return platform.sandbox
    ? t("Connected to the sandbox: no message reaches a real phone.")
    : t("WhatsApp Business account {wabaId}.", { wabaId: platform.wabaId });
}

export function PlatformStep({ settings: { platform } }: Facts) {
  const { configured, sandbox, problem } = platform;
  return (
    <Stack align="flex-start">
      {problem !== null && (
        <Alert color="red" title={t("WhatsApp refuses this account")}>
          {translated(problem.reason)}
        </Alert>
      )}
      <Text>{describePlatform(platform)}</Text>
      {!configured && (
        <ForRole needed="owner">
          {sandbox ? <ConnectSandbox /> : <ButtonLink to={paths.platform}>{t("Connect WhatsApp")}</ButtonLink>}
        </ForRole>
      )}
      {configured && <TextLink to={paths.platform}>{sandbox ? t("Connect a real account") : t("Check the connection")}</TextLink>}
    </Stack>
  );
}

function describePlatform({ configured, sandbox }: Facts["settings"]["platform"]): string {
  const what = t("a simulated WhatsApp that runs beside this server");
  if (!sandbox) return configured ? t("Messages go to real phones, from your WhatsApp Business account.") : needsCredentials;
  return configured
    ? t(
        "You are connected to the sandbox, {what}. It approves templates within seconds and shows every message on its own phone page. Nobody gets a real message.",
        { what },
      )
    : t("The sandbox is {what}. Try everything: nobody gets a real message.", { what });
}

const needsCredentials = t("Enter the credentials of your WhatsApp Business account once.");

function ConnectSandbox() {
  const connect = trpc.settings.connectSandbox.useMutation({ onSuccess: () => cache.settings.invalidate() });
  return (
    <>
      <FailureNotice title={t("Could not connect the sandbox")} of={connect} />
      <Button {...running(connect)}>{t("Connect sandbox")}</Button>
    </>
  );
}

export function SiteSummary({ site }: Facts) {
  if (site === undefined) return t("A site sends events: a shop, a clinic, an app.");
  return site.enabled ? `${site.name}, ${site.url}` : t("No site is enabled.");
}

export function SiteStep({ site, unsaved }: Facts & { unsaved: HeldSite | undefined }) {
  if (unsaved !== undefined) return <MadeSecrets made={unsaved} />;
  if (site === undefined)
    return (
      <ForRole>
        <CreateSiteForm />
      </ForRole>
    );
  return (
    <Stack gap="xs" align="flex-start">
      <Text>
        {site.enabled
          ? t("The API key and the webhook secret were shown once. Lost them? Rotate them on the site's page.")
          : t("No site is enabled, so every event is refused. Enable one on its page, or add another.")}
      </Text>
      <TextLink {...pages.site(site.id, site.enabled ? "keys" : "settings")}>{t("Open {name}", { name: site.name })}</TextLink>
      {!site.enabled && <TextLink to={paths.sites}>{t("See all sites")}</TextLink>}
    </Stack>
  );
}

/** Tells people without the role who can do this. */
export function ForRole({ needed = "operator", children }: { needed?: Role; children: ReactNode }) {
  if (useMay(needed)) return children;
  return <Dimmed>{needed === "owner" ? t("Only an owner can do this.") : t("Only an operator or an owner can do this.")}</Dimmed>;
}

export const TemplateSummary = ({ approved }: Facts) =>
  approved === undefined
    ? t("WhatsApp approves the text of a message before it can be sent.")
    : t("{name} is approved.", { name: approved.name });

export function TemplateStep({ settings: { platform }, example, approved }: Facts) {
  if (approved !== undefined) return <TextLink {...pages.template(approved.id)}>{t("Open {name}", { name: approved.name })}</TextLink>;
  if (!platform.configured) return <Text>{t("Connect WhatsApp first: it approves templates.")}</Text>;
  if (example !== undefined && example.status !== "draft") return <ExampleInReview example={example} />;
  return platform.sandbox ? <ExampleTemplate example={example} /> : <OwnTemplate />;
}

const ExampleTemplate = ({ example }: Pick<Facts, "example">) => (
  <Stack align="flex-start">
    <Text>
      {t(
        "A template is the text of a message, with numbered variables. The example confirms an order. The sandbox approves it within a second or two.",
      )}
    </Text>
    <PhonePreview title={t("The example, filled in")}>
      <MessageBubble
        {...fillMessage({ ...exampleTemplate, parameterFormat: "POSITIONAL" }, exampleTemplate.examples, () =>
          t("the example has no value"),
        )}
      />
    </PhonePreview>
    <ForRole>
      <SubmitExample example={example} />
      <TextLink to={paths.newTemplate}>{t("Create your own instead")}</TextLink>
    </ForRole>
  </Stack>
);

const OwnTemplate = () => (
  <Stack align="flex-start">
    <Text>
      {t(
        "Create a template and submit it; the review by WhatsApp takes minutes, sometimes a day. If your WhatsApp account already has approved templates, sync them.",
      )}
    </Text>
    <ForRole>
      <ButtonLink to={paths.newTemplate}>{t("Create template")}</ButtonLink>
      <SyncTemplates>{t("Sync templates")}</SyncTemplates>
    </ForRole>
  </Stack>
);

function ExampleInReview({ example: { id, name, status, reason } }: { example: NonNullable<Facts["example"]> }) {
  const isPending = status === "pending";
  return (
    <Stack gap="sm" align="flex-start">
      <Group gap="sm">
        <Text fw={600}>{name}</Text>
        <TemplateStatusBadge status={status} />
        {isPending && <Loader size="xs" aria-hidden />}
      </Group>
      {isPending ? (
        <>
          <Text>{t("WhatsApp is reviewing it. This page updates by itself.")}</Text>
          <ForRole>
            <SyncTemplates>{t("Check now")}</SyncTemplates>
          </ForRole>
        </>
      ) : (
        <>
          <Alert color="red" title={t("The example is {status}", { status: translated(status) })}>
            {reason ?? t("WhatsApp gave no reason.")}
          </Alert>
          <TextLink {...pages.template(id)}>{t("Open template to correct it")}</TextLink>
        </>
      )}
    </Stack>
  );
}

/** Reads the platform's templates now, in case its callback does not arrive. */
function SyncTemplates({ children }: { children: ReactNode }) {
  const sync = trpc.templates.sync.useMutation({ onSuccess: () => cache.templates.invalidate() });
  return (
    <>
      <FailureNotice title={t("Could not sync templates")} of={sync} />
      <SecondaryButton {...running(sync)}>{children}</SecondaryButton>
    </>
  );
}

/** Creates the example and submits it; continues with an example that an earlier click created. */
function SubmitExample({ example }: Pick<Facts, "example">) {
  const submit = useMutation({
    mutationFn: async () => {
      const { id } = example ?? (await trpcClient.templates.create.mutate(exampleTemplate)).template;
      await trpcClient.templates.submit.mutate({ id });
    },
    onSettled: () => cache.templates.invalidate(),
  });
  return (
    <>
      <FailureNotice title={t("Could not submit the template")} of={submit} />
      <Button {...running(submit)}>{example === undefined ? t("Create and submit example") : t("Submit example")}</Button>
    </>
  );
}
