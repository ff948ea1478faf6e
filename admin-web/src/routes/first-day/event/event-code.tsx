import { Stack, Text } from "@mantine/core";
import { useState } from "react";
import { exampleEvent, examplePayload } from "shared/core/example";
import { isE164 } from "shared/core/phone";
import { paths } from "../../../paths.ts";
import { useMay } from "../../../session/me.ts";
import { CodeSample } from "../../../ui/code-sample/code-sample.tsx";
import { eventSamples, ingestUrl } from "../../../ui/code-sample/event-samples/event-samples.ts";
import { PhoneInput } from "../../../ui/form/phone-input.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import type { MadeSite } from "../../sites/create/create-site-form.tsx";
import type { Facts } from "../progress.ts";

interface EventCodeProps extends Pick<Facts, "settings" | "binding"> {
  site: NonNullable<Facts["site"]>;
  made: MadeSite | undefined;
}

/** Programs that post the bound event for the site, with its real key and secret where they are still at hand. */
export function EventCode({ settings, binding, site, made }: EventCodeProps) {
  const { sandbox } = settings.platform;
  const [phone, setPhone] = useState(sandbox ? examplePayload.customer.phone_e164 : (site.testPhone ?? ""));
  const secrets = made?.site.id === site.id ? made : undefined;
  const name = binding?.event ?? exampleEvent;
  const samples = eventSamples({
    url: ingestUrl(settings.gatewayUrl, site.sourceType, name),
    siteKey: secrets?.apiKey ?? "YOUR_SITE_KEY",
    webhookSecret: secrets?.webhookSecret ?? "YOUR_WEBHOOK_SECRET",
    payload: { ...examplePayload, event: name, customer: { ...examplePayload.customer, phone_e164: isE164(phone) ? phone : "YOUR_PHONE" } },
  });
  return (
    <Stack gap="md" miw={0}>
      {!sandbox && (
        <PhoneInput
          label="Who gets the message"
          description="Your own phone, say: the message is real"
          defaultValue={phone}
          onChange={setPhone}
          maw="20rem"
        />
      )}
      <Text size="sm">
        {secrets === undefined ? (
          <WithoutSecrets site={site} />
        ) : (
          `This holds the key and the secret of ${site.name}: paste it into a terminal or a file, and run it.`
        )}
      </Text>
      <CodeSample label={`Post ${name}`} samples={samples} />
      <Text size="sm" c="dimmed">
        The secret signs the body, byte for byte. What else can be sent, and when to retry, stands in the{" "}
        <TextLink to={paths.developers}>documentation</TextLink>.
      </Text>
    </Stack>
  );
}

function WithoutSecrets({ site }: Pick<EventCodeProps, "site">) {
  const mayRotate = useMay("operator");
  return (
    <>
      Put the key and the secret of {site.name} in place of YOUR_SITE_KEY and YOUR_WEBHOOK_SECRET. They were shown once, when the site was
      made.{" "}
      {mayRotate && (
        <>
          Lost?{" "}
          <TextLink to={paths.site} params={{ siteId: site.id }}>
            Give {site.name} new ones
          </TextLink>
        </>
      )}
    </>
  );
}
