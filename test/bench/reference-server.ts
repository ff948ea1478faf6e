/**
 * The reference for the gateway: the least program that does the job at all. node:http, the signature check, one insert, one send through an undici Pool,
 * one log insert; no idempotency, no bindings, no order, no configuration check. With GROUPED=1 both inserts are shared by concurrent requests.
 */
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import postgres from "postgres";
import { Pool } from "undici";

interface Order {
  customer: { first_name: string; phone_e164: string };
  order: { id: string };
}

const { DATABASE_URL = "", PLATFORM_API_URL = "", SECRET = "", GROUPED = "" } = process.env;
const sql = postgres(DATABASE_URL, { max: 10 });
const platform = new Pool(PLATFORM_API_URL, { connections: 512 });

type Row = Record<string, string>;
type Insert = (rows: Row[]) => Promise<unknown>;

const insertEvents: Insert = (rows) => sql`
  insert into reference_event (id, payload) select id, payload from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, payload text)`;
const insertLogs: Insert = (rows) => sql`
  insert into reference_log (id, event_id, phone, message_id)
  select id, event_id, phone, message_id
  from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, event_id uuid, phone text, message_id text)`;

const single = (insert: Insert) => async (row: Row) => void (await insert([row]));

/** Groups inserts: one is under way at a time, and the next takes all that arrive meanwhile. */
function grouped(insert: Insert) {
  let waiting: { row: Row; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let busy = false;
  const flush = async (): Promise<void> => {
    busy = true;
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = waiting.splice(0, 250);
      await insert(batch.map(({ row }) => row)).then(
        () => batch.forEach(({ resolve }) => resolve()),
        (error: unknown) => batch.forEach(({ reject }) => reject(error)),
      );
    }
    busy = false;
  };
  return (row: Row) =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ row, resolve, reject });
      if (!busy) void flush();
    });
}

const writer = GROUPED === "1" ? grouped : single;
const storeEvent = writer(insertEvents);
const storeLog = writer(insertLogs);

function verify(body: Buffer, header: unknown): boolean {
  const expected = Buffer.from(`sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`);
  const given = Buffer.from(String(header));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function send({ customer, order }: Order, reference: string): Promise<string> {
  const { body } = await platform.request({
    method: "POST",
    path: "/v25.0/2001/messages",
    headers: { authorization: "Bearer TOKEN", "content-type": "application/json" },
    body: JSON.stringify({
      messaging_product: "whatsapp",
      to: customer.phone_e164,
      type: "template",
      biz_opaque_callback_data: reference,
      template: {
        name: "order_created",
        language: { code: "en_US" },
        components: [
          {
            type: "body",
            parameters: [
              { type: "text", text: customer.first_name },
              { type: "text", text: order.id },
            ],
          },
        ],
      },
    }),
  });
  const answer = (await body.json()) as { messages: { id: string }[] };
  return answer.messages[0]?.id ?? "";
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function answer(request: IncomingMessage): Promise<[number, object]> {
  const body = await read(request);
  if (!verify(body, request.headers["x-service-signature"])) return [401, { error: "Invalid signature" }];
  const event = JSON.parse(body.toString()) as Order;
  const id = randomUUID();
  await storeEvent({ id, payload: body.toString() });
  const messageId = await send(event, id);
  await storeLog({ id: randomUUID(), event_id: id, phone: event.customer.phone_e164, message_id: messageId });
  return [200, { ok: true, event_id: id, chat: "sent" }];
}

const server = createServer((request, response) => {
  answer(request).then(
    ([status, body]) => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body)),
    () => response.writeHead(500).end(),
  );
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`));
process.on("disconnect", () => process.exit());
