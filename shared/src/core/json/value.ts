/** What a JSON text holds. An integer that a double cannot hold exactly is a bigint, so that it prints digit for digit as it was written. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}
