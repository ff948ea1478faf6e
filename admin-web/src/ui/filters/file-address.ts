/** `path` with what is given of the filters as its query. */
export function fileAddress(path: string, filter: object): string {
  const given = Object.entries(filter).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
