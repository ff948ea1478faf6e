import autocannon from "autocannon";
import { signBody } from "shared/signature/sign";

export interface LoadResult {
  /** Requests a second that were answered with 200. */
  throughput: number;
  p50: number;
  p99: number;
  /** Answers that were no 2xx, and connections that failed. */
  failed: number;
  requests: number;
}

export interface Sender {
  key: string;
  secret: string;
}

const orders = 500;

/** 500 signed events of about 1.2 KB, each of an order of its own. */
function signedRequests({ key, secret }: Sender): autocannon.Request[] {
  return Array.from({ length: orders }, (_, i) => {
    const items = Array.from({ length: 8 }, (__, n) => ({
      name: `Article number ${n} of the shop's spring collection`,
      qty: n + 1,
      price: "19.90",
    }));
    const body = JSON.stringify({
      event: "order.created",
      site: { name: "Bench shop", url: "https://shop.example" },
      customer: { first_name: "Ada", last_name: "Lovelace", email: "ada@shop.example", phone_e164: `+1555${String(1_000_000 + i)}` },
      order: {
        id: String(10_000 + i),
        number: `#${10_000 + i}`,
        status: "processing",
        total: "199.00",
        currency: "USD",
        items_count: 8,
        items,
      },
    });
    const headers = {
      "content-type": "application/json",
      "x-service-site-key": key,
      "x-service-signature": signBody(secret, Buffer.from(body)),
      "x-service-timestamp": String(Math.floor(Date.now() / 1000)),
    };
    return { method: "POST", path: "/api/public/ingest/generic/order.created", headers, body };
  });
}

/** Posts for `seconds` over `connections`; each starts at another order, so that they do not march in step. */
export async function load(url: string, sender: Sender, connections: number, seconds: number): Promise<LoadResult> {
  const requests = signedRequests(sender);
  let started = 0;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    setupClient: (client) => {
      const from = Math.floor((orders / connections) * (started += 1)) % orders;
      client.setRequests([...requests.slice(from), ...requests.slice(0, from)]);
    },
  });
  const answered = result["2xx"];
  return {
    throughput: answered / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors + result.timeouts,
    requests: answered + result.non2xx,
  };
}
