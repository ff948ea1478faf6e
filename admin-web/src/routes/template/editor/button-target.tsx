import { Button, TextInput } from "@mantine/core";
import { useRef } from "react";
import { limits } from "shared/core/template/definition";
import type { ButtonRowProps } from "./button-row-props.ts";
import { FieldNote } from "./field-note.tsx";
import { insertText } from "./text-tools.ts";

/** Where a button leads: an address, which may end in a variable, or a phone number. A quick reply answers the message. */
export function ButtonTarget(props: ButtonRowProps) {
  switch (props.button.type) {
    case "URL":
      return <UrlTarget {...props} />;
    case "PHONE_NUMBER":
      return <PhoneTarget {...props} />;
    case "QUICK_REPLY":
      return null;
  }
}

function UrlTarget({ button, place, draft, onChange }: ButtonRowProps) {
  const input = useRef<HTMLInputElement>(null);
  const field = `buttons.${place.index}.url`;
  const hasVariable = place.urlSlot >= 0;
  const append = () => {
    const end = button.url.length;
    input.current?.setSelectionRange(end, end);
    if (input.current !== null) insertText(input.current, "{{1}}");
  };
  return (
    <div>
      <TextInput
        ref={input}
        label="Address"
        {...draft.at(field)}
        required
        autoComplete="off"
        placeholder="https://"
        description={<FieldNote text={button.url} limit={limits.url} />}
        value={button.url}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
      />
      {!hasVariable && (
        <Button variant="default" size="compact-sm" mt={6} onClick={append}>
          Add a variable at the end
        </Button>
      )}
    </div>
  );
}

function PhoneTarget({ button, place, draft, onChange }: ButtonRowProps) {
  const field = `buttons.${place.index}.phone`;
  return (
    <TextInput
      type="tel"
      label="Phone number"
      {...draft.at(field)}
      required
      autoComplete="off"
      placeholder="+4930123456"
      description={<FieldNote text={button.phone} limit={limits.buttonPhone} />}
      value={button.phone}
      onChange={(event) => onChange({ phone: event.currentTarget.value })}
    />
  );
}
