import { Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { describeProblem } from "shared/core/requested";
import { t } from "../../language.ts";
import { pages } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../base/buttons.tsx";
import { DialogButtons } from "../base/dialogs.tsx";
import { StatusBadge } from "../base/facts.tsx";
import { doing } from "../base/fields.ts";
import { toldExplanation } from "../base/labels.ts";
import { FailureNotice } from "../base/page.tsx";
import { PhoneInput } from "../form/inputs.tsx";
import { EventNameInput, SiteSelect } from "../form/pickers.tsx";
import { isMoving, movingPollMs } from "../list/live-list.tsx";
import { toldSummary } from "./event-summary.ts";

/** The tested object: a saved binding, the bindings of an event of a site, or a template alone. */
export type Tested = { bindingId: string; siteId: string } | { siteId: string } | { templateId: string };

/** Asks for the phone, sends, and follows the message. */
export function TestMessage({ tested, onClose }: { tested: Tested; onClose: () => void }) {
  const sites = trpc.sites.list.useQuery({ limit: 200 });
  const [picked, setPicked] = useState<string>();
  const [event, setEvent] = useState("");
  const [typed, setTyped] = useState<string>();
  const send = trpc.events.sendTest.useMutation();
  const siteId = "siteId" in tested ? tested.siteId : (picked ?? sites.data?.items[0]?.id ?? "");
  const site = sites.data?.items.find(({ id }) => id === siteId);
  const phone = typed ?? site?.testPhone ?? "";
  const isEvent = !("bindingId" in tested) && !("templateId" in tested);
  const submit = () => {
    const requestId = crypto.randomUUID();
    const whole = { requestId, ...(phone !== "" && phone !== site?.testPhone && { phone }) };
    if ("bindingId" in tested) send.mutate({ ...whole, bindingId: tested.bindingId });
    else if ("templateId" in tested) send.mutate({ ...whole, siteId, templateId: tested.templateId });
    else send.mutate({ ...whole, siteId, event });
  };
  return (
    <Stack component="form" onSubmit={doing(submit)}>
      <Text>
        {t("{tested} It is marked as a test: no endpoint is told of it, and no statistic counts it.", { tested: explanationOf(tested) })}
      </Text>
      {"templateId" in tested && (sites.data?.items.length ?? 0) > 1 && (
        <SiteSelect value={siteId} onChange={(value) => setPicked(value ?? undefined)} allowDeselect={false} />
      )}
      {isEvent && <EventNameInput siteId={siteId} required value={event} onChange={setEvent} />}
      <PhoneInput
        label={t("Test phone")}
        description={
          site?.testPhone == null
            ? t("The site has no test phone: this test alone goes here.")
            : t("The site's own, or another for this test")
        }
        required
        value={phone}
        onChange={setTyped}
      />
      {site?.holdMessages === true && <Text>{t("Sending is paused at this site: the message waits until it sends again.")}</Text>}
      <FailureNotice title={t("The test message was not sent")} of={send} />
      {send.data !== undefined && <Outcome key={send.data.test.id} id={send.data.test.id} />}
      <DialogButtons
        action={send.data === undefined ? t("Send test message") : t("Send again")}
        dismiss={t("Close")}
        onClose={onClose}
        loading={send.isPending}
        disabled={sites.isPending || siteId === ""}
      />
    </Stack>
  );
}

function explanationOf(tested: Tested): string {
  if ("templateId" in tested) return t("Sends the template with its example values.");
  if ("bindingId" in tested)
    return t("Sends the saved binding's message, filled from the newest event of its name, or from an example order.");
  return t("Runs the newest event of this name through the site's bindings, or an example order where none has come yet.");
}

/** Follows a request until its event is there, then its messages. */
function Outcome({ id }: { id: string }) {
  const request = trpc.events.requested.useQuery(
    { id },
    { refetchInterval: ({ state }) => state.data?.request.state !== "done" && state.data?.request.state !== "refused" && 500 },
  );
  const state = request.data?.request.state ?? "waiting";
  return (
    <Stack gap={4} role="status">
      {request.error !== null && <Text>{request.error.message}</Text>}
      {state === "waiting" && <Text>{t("Waiting for a gateway…")}</Text>}
      {request.data?.request.problem != null && <Text>{describeProblem(request.data.request.problem.code, t)}</Text>}
      {state === "done" && <Messages id={id} />}
    </Stack>
  );
}

function Messages({ id }: { id: string }) {
  const query = trpc.events.get.useQuery(
    { id },
    {
      refetchInterval: ({ state }) =>
        messagesOf(state.data).some(({ status }) => isMoving({ status, createdAt: new Date().toISOString() })) && movingPollMs,
    },
  );
  const { data, error } = query;
  if (error !== null) return <Text>{error.message}</Text>;
  if (data === undefined) return null;
  return (
    <>
      {messagesOf(data).map((message) => (
        <Group key={message.id} gap="xs">
          <Text>{message.toPhone}</Text>
          <StatusBadge status={message.status} />
          {message.explanation !== null && <Text>{toldExplanation(message.explanation)}</Text>}
        </Group>
      ))}
      {messagesOf(data).length === 0 && <Text>{toldSummary(data.event.trace)}</Text>}
      <TextLink {...pages.event(id)}>{t("Open the test event")}</TextLink>
    </>
  );
}

const messagesOf = (answer: Outputs["events"]["get"] | undefined) => answer?.event.trace.bindings.flatMap(({ messages }) => messages) ?? [];
