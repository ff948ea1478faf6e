import { startPostgres } from "shared/postgres/start";

// A program for tests that kill it: it starts PostgreSQL over a folder, prints the URL and stays.
const { url } = await startPostgres({ dataDir: process.argv[2] ?? "", durable: false });
process.stdout.write(`${url}\n`);
