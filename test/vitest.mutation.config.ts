import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification, type Vite, type Vitest } from "vitest/node";

const root = fileURLToPath(new URL("..", import.meta.url));

const database = { globalSetup: ["test/support/database-setup.ts"], testTimeout: 12_000, hookTimeout: 20_000 };

const spine = ["shared/src/db/batch/*.test.ts", "gateway/src/{ingest,sites}/*.test.ts", "test/e2e/opt-outs.test.ts"];

/** The tests that must notice a mutant: for the core its own unit tests, for the spine also those that take an event through a database, all in one process. */
const target =
  process.env["MUTATION_TARGET"] === "spine" ? { ...database, include: spine } : { include: ["shared/src/{core,secrets}/**/*.test.ts"] };

/** All runs of every property for each of thousands of mutants would take a day. */
const fewerRuns: Vite.Plugin = {
  name: "fewer-runs",
  enforce: "pre",
  transform: (code, id) => (id.endsWith(".test.ts") ? code.replace(/numRuns: (?:\d+|scaled\(\d+, \d+\))/g, "numRuns: 25") : null),
};

/** Reports test files that cannot be loaded: such a file has no test to fail, and the mutant that broke it would pass for one that nobody noticed. */
class LoadErrors implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestModuleEnd(module: TestModule): void {
    for (const error of module.errors()) this.vitest?.state.catchError(error, "Load Error");
  }
}

/** Sorts the tests with the least needs first: most mutants are noticed before a database is asked. */
class CheapestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const cost = ({ moduleId }: TestSpecification): number => (moduleId.includes("/e2e/") ? 2 : moduleId.includes(".db.") ? 1 : 0);
    return files.toSorted((a, b) => cost(a) - cost(b));
  }
}

export default defineConfig({
  // The links of node_modules would lead out of the copy that is mutated, so paths are set here.
  resolve: { alias: [{ find: /^(gateway|admin-server|shared)\/(.+)$/, replacement: `${root}$1/src/$2.ts` }] },
  plugins: [fewerRuns],
  // One process for all files of a run is several times as fast; each mutant still gets a new one.
  test: {
    root,
    isolate: false,
    testTimeout: 60_000,
    sequence: { sequencer: CheapestFirst },
    reporters: [new LoadErrors()],
    ...target,
  },
});
