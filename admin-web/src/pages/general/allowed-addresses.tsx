import { Button, Stack, Text, Textarea } from "@mantine/core";
import { updateSettingsInput } from "shared/core/input/sites";
import type { Settings } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";

interface AllowedAddressesProps {
  lists: NonNullable<Settings["allowedAddresses"]>;
  yourAddress: string;
}

/** From where the account may be used, one address or network a line. */
export function AllowedAddresses({ lists, yourAddress }: AllowedAddressesProps) {
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  const form = useInputForm({
    initialValues: { allowedAddresses: { dashboard: lists.dashboard.join("\n"), tokens: lists.tokens.join("\n") } },
    toInput: ({ allowedAddresses: { dashboard, tokens } }) => ({
      allowedAddresses: { dashboard: linesOf(dashboard), tokens: linesOf(tokens) },
    }),
    check: by(updateSettingsInput),
    submit: update.mutateAsync,
  });
  const { allowedAddresses } = form.values;
  const hasMine = linesOf(allowedAddresses.dashboard).includes(yourAddress);
  const field = (list: keyof typeof lists) => {
    const name = `allowedAddresses.${list}`;
    const faults = Object.entries(form.faults).flatMap(([at, fault]) => (`${at}.`.startsWith(`${name}.`) ? (fault ?? []) : []));
    return { ...form.at(name), error: faults.length > 0 && faults.join(" "), autosize: true, minRows: 2, maxRows: 12, maw: "26rem" };
  };
  return (
    <InputForm form={form} label="Allowed addresses" failure="The allowed addresses were not saved">
      <Textarea
        label="Dashboard"
        description="One address or network a line, such as 203.0.113.7 or 203.0.113.0/24. Empty: from everywhere."
        {...field("dashboard")}
      />
      <Stack gap={4} align="flex-start">
        <Text size="sm">
          Your address is now <strong>{yourAddress}</strong>.
        </Text>
        <Button
          size="xs"
          variant="default"
          disabled={hasMine}
          onClick={() => {
            const dashboard = [...linesOf(allowedAddresses.dashboard), yourAddress].join("\n");
            form.change({ allowedAddresses: { ...allowedAddresses, dashboard } });
          }}
        >
          Add mine
        </Button>
      </Stack>
      <Textarea label="Access tokens" description="From where programs may use them. Empty: from everywhere." {...field("tokens")} />
      <FormButtons form={form} submit="Save addresses" saved="Saved. People and programs elsewhere are out." />
    </InputForm>
  );
}

const linesOf = (text: string): string[] => text.split(/[\s,;]+/).filter((line) => line !== "");
