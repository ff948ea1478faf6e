import { camelCase, type CamelCase } from "shared/db/table";

/** A value as the API has it: a time as ISO 8601. */
type Shown<Value> = Value extends Date ? string : Value;

/** Columns of a row by their names in the API. */
export const present = <Row extends object, Name extends keyof Row & string>(row: Row, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [camelCase(name), row[name] instanceof Date ? row[name].toISOString() : row[name]])) as {
    [Column in Name as CamelCase<Column>]: Shown<Row[Column]>;
  };
