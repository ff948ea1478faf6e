import { Alert, Stack, Textarea, TextInput } from "@mantine/core";
import { useState, useEffect } from "react";
import { t } from "../../language.ts";
import { CopyField, monospace } from "../../ui/base/buttons.tsx";
import { Dimmed } from "../../ui/base/page.tsx";
import { Sentences } from "../../ui/base/sentences.tsx";
import {
  bodyHint,
  canSign,
  expectedSignature,
  isStandard,
  judgeSignature,
  judgeTimestamp,
  missingHeaders,
  type Pasted,
  secretHint,
  type Verdict,
} from "./judge-signature.ts";

const plainField = { autoCapitalize: "off", spellCheck: false, styles: monospace } as const;

/** Computes the signature of the pasted body, and finds out why another one differs. */
export function SignatureChecker() {
  const [pasted, setPasted] = useState({ body: "", secret: "", header: "", id: "", timestamp: "" });
  const [staleness, setStaleness] = useState<string>();
  const checked = useChecked(pasted);
  const paste = (name: keyof typeof pasted, text: string) => {
    setPasted({ ...pasted, [name]: text });
    if (name === "timestamp") setStaleness(text.trim() === "" ? undefined : judgeTimestamp(text.trim(), Date.now()));
  };
  const field = (name: keyof typeof pasted) => ({
    ...plainField,
    value: pasted[name],
    onChange: (event: { currentTarget: { value: string } }) => paste(name, event.currentTarget.value),
  });
  if (!canSign())
    return (
      <Alert color="yellow" title={t("The browser does not allow cryptography at this address")}>
        {t("Open the dashboard over https or on localhost.")}
      </Alert>
    );
  return (
    <Stack>
      <Textarea
        label={t("Body")}
        description={bodyHint(pasted.body)}
        placeholder='{"ok":true}'
        minRows={4}
        maxRows={16}
        {...field("body")}
      />
      <TextInput label={t("Webhook secret")} description={secretHint(pasted.secret)} placeholder="whs_…" {...field("secret")} />
      <TextInput
        label={t("Id sent")}
        description={t("The value of webhook-id; empty where you send the old X-Service-Signature")}
        {...field("id")}
      />
      <TextInput
        label={t("Timestamp sent")}
        description={t("The value of webhook-timestamp, or of X-Service-Timestamp, which is optional")}
        inputMode="numeric"
        error={staleness}
        {...field("timestamp")}
      />
      <TextInput
        label={t("Signature sent")}
        description={t("Optional: the value of webhook-signature or X-Service-Signature, to compare")}
        placeholder="v1,…"
        {...field("header")}
      />
      {checked !== null && <Expected pasted={pasted} value={checked.expected} />}
      <div role="status">{checked?.verdict != null && <VerdictNotice verdict={checked.verdict} staleness={staleness} />}</div>
    </Stack>
  );
}

function Expected({ pasted, value }: { pasted: Pasted; value: string | null }) {
  if (value === null)
    return (
      <Dimmed>
        {t("webhook-signature also signs {names}. Paste it to see what is expected.", { names: missingHeaders(pasted).join(", ") })}
      </Dimmed>
    );
  const name = isStandard(pasted) ? "webhook-signature" : "X-Service-Signature";
  return <CopyField label={t("Expected {name}", { name })} value={value} />;
}

function VerdictNotice({ verdict, staleness }: { verdict: Verdict; staleness: string | undefined }) {
  if (verdict.is === "valid")
    return (
      <Alert color={staleness === undefined ? "teal" : "yellow"} title={t("The signature is valid")}>
        {staleness ?? t("The gateway accepts it.")}
      </Alert>
    );
  return (
    <Alert color="red" title={t("The gateway refuses it with 401")}>
      <Sentences of={verdict.faults} />
    </Alert>
  );
}

/** The result; null without a secret, and while it is computed. */
function useChecked({ body, secret, header, id, timestamp }: Pasted) {
  const [checked, setChecked] = useState<Awaited<ReturnType<typeof check>>>(null);
  useEffect(() => {
    let isCurrent = true;
    const work = async () => {
      const done = await check({ body, secret, header, id, timestamp });
      if (isCurrent) setChecked(done);
    };
    void work();
    return () => {
      isCurrent = false;
    };
  }, [body, secret, header, id, timestamp]);
  return checked;
}

/** `expected`: the header; null where something that it signs is missing. `verdict`: null if no header is pasted. */
async function check(pasted: Pasted) {
  const { secret, header } = pasted;
  if (secret === "" || !canSign()) return null;
  const expected = await expectedSignature(pasted);
  return { expected, verdict: header.trim() === "" ? null : await judgeSignature(pasted, expected) };
}
