/** Measures each contestant once a round, one after the other, so that what the machine does besides falls on all of them alike. */
export async function inTurn<Name extends string, Result>(
  names: readonly Name[],
  rounds: number,
  measureOne: (name: Name) => Promise<Result>,
): Promise<Record<Name, Result[]>> {
  const results = Object.fromEntries(names.map((name): [Name, Result[]] => [name, []])) as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) results[name].push(await measureOne(name));
  }
  return results;
}
