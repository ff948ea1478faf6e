import { Alert, Stack, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { CopyField } from "../../../ui/copy-field.tsx";
import { canSign } from "./digests.ts";
import { judgeTimestamp } from "./judge-timestamp.ts";
import { bodyHint, secretHint } from "./paste-hints.ts";
import { useChecked } from "./use-checked.ts";
import { VerdictNotice } from "./verdict-notice.tsx";
import classes from "./signature-checker.module.css";

const plainField = { autoComplete: "off", autoCapitalize: "off", spellCheck: false, classNames: { input: classes["code"] ?? "" } } as const;

/** Works out a signature from what is pasted, and finds out why another one differs. */
export function SignatureChecker() {
  const [pasted, setPasted] = useState({ body: "", secret: "", header: "", timestamp: "" });
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
      <Alert color="yellow" title="This browser does not lend its cryptography here">
        It does so over https and on the machine itself only. Open the dashboard by such an address.
      </Alert>
    );
  return (
    <Stack gap="md">
      <Textarea
        label="Body"
        description={bodyHint(pasted.body)}
        placeholder='{"ok":true}'
        autosize
        minRows={4}
        maxRows={16}
        {...field("body")}
      />
      <TextInput label="Webhook secret" description={secretHint(pasted.secret)} placeholder="whs_…" {...field("secret")} />
      <TextInput
        label="Timestamp that was sent"
        description="Optional: the value of X-Service-Timestamp"
        inputMode="numeric"
        error={staleness}
        {...field("timestamp")}
      />
      <TextInput
        label="Signature that was sent"
        description="Optional: the value of X-Service-Signature, to compare"
        placeholder="sha256=…"
        {...field("header")}
      />
      {checked !== null && <CopyField label="The right X-Service-Signature" value={checked.expected} />}
      <div role="status">{checked?.verdict != null && <VerdictNotice verdict={checked.verdict} />}</div>
    </Stack>
  );
}
