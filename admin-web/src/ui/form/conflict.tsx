import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { type MouseEvent, useEffect, useRef } from "react";
import { t } from "../../language.ts";
import { Dimmed } from "../base/page.tsx";
import { type Column, DataTable } from "../table/data-table.tsx";

/** A field of a form, or several that belong together, in words. `at`: the paths of their values, such as `retention/payloadDays`. */
export type ToldField = { name: string; text: string; at: readonly string[] };

/** A field of which somebody else and the person have different values. */
export interface ConflictRow {
  name: string;
  theirs: string;
  /** Null if the person has not changed the field. */
  mine: string | null;
}

/** The fields as they were read, as the person has them, and as they stand now. */
export type Sides<Values> = Record<"base" | "mine" | "theirs", Values>;

/** The fields that differ, none unless somebody else has changed one of them, and theirs with the person's own changes over it. */
export function compareSides<Values extends object>(tell: (values: Values) => readonly ToldField[], { base, mine, theirs }: Sides<Values>) {
  const [told, all] = [new Map(tell(theirs).map((field) => [field.name, field])), tell(mine)];
  const differs = (one: Values, other: Values, { at }: ToldField) => at.some((path) => textAt(one, path) !== textAt(other, path));
  const touched = all.filter((field) => differs(mine, base, field));
  const fields = [...told.values(), ...all.filter(({ name }) => !told.has(name))];
  const own = new Map(touched.map(({ name, text }) => [name, text]));
  const differing = fields.filter((field) => differs(theirs, mine, field));
  const changed = differing.filter((field) => differs(theirs, base, field));
  const rows = differing
    .filter((field) => changed.length > 0 && (changed.includes(field) || own.has(field.name)))
    .map(({ name }) => ({ name, theirs: told.get(name)?.text ?? "", mine: own.get(name) ?? null }));
  return { rows, merged: touched.flatMap(({ at }) => at).reduce((merged, path) => put(merged, path.split("/"), mine), theirs) };
}

const textAt = (values: object, path: string): string =>
  JSON.stringify(path.split("/").reduce<unknown>((value, key) => (value as Partial<Record<string, unknown>> | undefined)?.[key], values)) ??
  "";

/** The values with one of `from`. */
function put<Values>(values: Values, [key = "", ...rest]: string[], from: unknown): Values {
  const [into, given] = [values as Record<string, unknown>, (from as Record<string, unknown>)[key]];
  const copy = Array.isArray(into) ? [...(into as unknown[])] : { ...into };
  return Object.assign(copy, { [key]: rest.length === 0 ? given : put(into[key], rest, given) }) as Values;
}

export interface Conflict {
  rows: ConflictRow[];
  /** Who has changed it meanwhile; null where nobody knows. */
  by: string | null;
  keepMine: () => void;
  takeTheirs: () => void;
}

const columns: Column<ConflictRow>[] = [
  { name: t("Field"), kind: "title", cell: ({ name }) => name },
  { name: t("Theirs"), cell: ({ theirs }) => theirs || t("Nothing") },
  { name: t("Yours"), cell: ({ mine }) => (mine === null ? <Dimmed inherit>{t("Not changed by you")}</Dimmed> : mine || t("Nothing")) },
];

/** Says what somebody else has saved since the form was filled, and asks which counts. It takes the focus, and gives it to the form's button. */
export function ConflictNotice({ rows, by, keepMine, takeTheirs }: Conflict) {
  const title = by === null ? t("Someone else has changed this meanwhile") : t("{name} has changed this meanwhile", { name: by });
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), [rows]);
  const decide = (act: () => void) => (event: MouseEvent<HTMLButtonElement>) => {
    event.currentTarget.form?.querySelector<HTMLElement>('[type="submit"]')?.focus();
    act();
  };
  return (
    <Alert ref={place} tabIndex={-1} color="yellow" title={title} role="alert">
      <Stack gap="sm">
        <Text>
          {t(
            "Nothing is saved yet. “Keep mine” saves your changes over theirs; what only they have changed stays. “Take theirs” drops your changes.",
          )}
        </Text>
        <DataTable label={t("Changed fields")} columns={columns} rows={rows} rowKey={({ name }) => name} />
        <Group gap="sm">
          <Button size="xs" onClick={decide(keepMine)}>
            {t("Keep mine")}
          </Button>
          <Button size="xs" variant="default" onClick={decide(takeTheirs)}>
            {t("Take theirs")}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
