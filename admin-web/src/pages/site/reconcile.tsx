import { Alert, Button, Group, PasswordInput, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { updateSiteInput } from "shared/core/input/sites";
import { formatCountOf } from "../../format.ts";
import { trpc } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { type Site, useKeepSite } from "./use-site.ts";

/** The key by which orders are fetched that WooCommerce did not post. */
export function ReconcileForm({ site: { id, reconcile } }: { site: Site }) {
  const update = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  const form = useInputForm({
    initialValues: { consumerKey: "", consumerSecret: "" },
    toInput: (key) => ({ id, reconcile: key }),
    check: (input) => by(updateSiteInput)(input).map((issue) => ({ ...issue, path: issue.path.filter((part) => part !== "reconcile") })),
    submit: update.mutateAsync,
    afterSave: () => ({ consumerKey: "", consumerSecret: "" }),
  });
  return (
    <InputForm form={form} label="Orders that did not arrive" failure="The key was not saved">
      <div>
        <Text fw={600}>Orders that did not arrive</Text>
        <Text size="sm">
          WooCommerce never repeats a webhook that failed. With a key of its REST API the orders of the last 48 hours are looked through
          every 10 minutes, and those that did not arrive are taken, the first time too. Make a key with the permission Read under
          WooCommerce, Settings, Advanced, REST API.
        </Text>
      </div>
      {reconcile !== null && <LastRun siteId={id} {...reconcile} />}
      <TextInput
        label="Consumer key"
        description={reconcile === null ? "Begins with ck_" : `Stored: …${reconcile.keyHint}`}
        autoComplete="off"
        spellCheck={false}
        {...form.at("consumerKey")}
      />
      <PasswordInput
        label="Consumer secret"
        description="Begins with cs_. It is not shown again"
        autoComplete="off"
        {...form.at("consumerSecret")}
      />
      <FormButtons form={form} submit={reconcile === null ? "Save key" : "Replace key"} saved="Saved" />
    </InputForm>
  );
}

function LastRun({ siteId, since, lastRunAt, taken, problem }: NonNullable<Site["reconcile"]> & { siteId: string }) {
  const [opened, dialog] = useDisclosure(false);
  const remove = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  return (
    <>
      {problem !== null && (
        <Alert color="red" title="Orders could not be fetched">
          {problem.reason} Since <Moment at={problem.since} />.
        </Alert>
      )}
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          On since <Moment at={since} />. Last run:{" "}
          {lastRunAt === null ? (
            "none yet"
          ) : (
            <>
              <Moment at={lastRunAt} />, {formatCountOf(taken, "order")} taken
            </>
          )}
          .
        </Text>
        <Button variant="subtle" size="compact-sm" onClick={dialog.open}>
          Remove the key
        </Button>
      </Group>
      <ConfirmDialog
        title="Remove the key?"
        action="Remove the key"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => remove.mutateAsync({ id: siteId, reconcile: null })}
      >
        Orders that do not arrive by themselves are no longer fetched. Delete the key in WooCommerce too.
      </ConfirmDialog>
    </>
  );
}
