/** The paths that the documentation gives events by convention, and that bindings use most: kept before all others. */
const PATHS = [
  "event",
  "test",
  "site.name",
  "site.url",
  "data",
  ...["first_name", "last_name", "full_name", "email", "phone_e164"].map((key) => `customer.${key}`),
  ...["id", "number", "status", "total", "currency", "items_count"].map((key) => `order.${key}`),
  ...["order_url_customer", "tracking_number", "tracking_carrier"].map((key) => `order.${key}`),
  ...["id", "total", "currency", "items_count", "recovery_url"].map((key) => `cart.${key}`),
  ...["name", "qty", "price"].flatMap((key) => [`order.items[].${key}`, `cart.items[].${key}`]),
];

const ROOTS = new Set(PATHS.map((path) => path.split(".")[0]));

/** Every conventional path and what leads to it, with the keys that follow by convention. The payload itself is "". */
const keysByPath = new Map<string, Set<string>>();
for (const path of PATHS) {
  let parent = "";
  for (const key of path.split(".")) {
    const name = key.replace("[]", "");
    keysByPath.set(parent, (keysByPath.get(parent) ?? new Set()).add(name));
    parent = parent === "" ? name : `${parent}.${name}`;
    if (!keysByPath.has(parent)) keysByPath.set(parent, new Set());
    if (key !== name) parent += "[]";
  }
}

/** The keys that an object at the path has by convention. */
export const conventionalKeys = (path: string): readonly string[] => [...(keysByPath.get(folded(path)) ?? [])];

/** 2: a conventional path or what leads to one; 1: another below a conventional beginning, such as `customer.locale`; 0: any other. */
export function conventionOf(path: string): 0 | 1 | 2 {
  const all = folded(path);
  if (keysByPath.has(all.endsWith("[]") ? all.slice(0, -2) : all)) return 2;
  return ROOTS.has(all.split(".")[0]?.replaceAll("[]", "") ?? "") ? 1 : 0;
}

/** With elements of arrays as any element. */
const folded = (path: string): string => path.replace(/\.\d+(?=\.|$)/g, "[]");
