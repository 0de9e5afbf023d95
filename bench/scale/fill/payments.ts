/** What customers pay, and what merchants are told of it. A few rows of each kind stand in every state there is. */
import type { Copies } from "./copies.ts"
import type { Templates } from "./templates.ts"

const at = "scale_at(n, rows)"
/** Endpoints of one account: each is told of what it subscribes to, so that nobody has very many. */
const few = 40
const vault = "scale_id('vault', n, rows)"
const pid = "'pr_' || md5('request' || n)"
const request = "scale_id('request', n, rows)"
const event = "'evt_' || md5('event' || n)"

/** The newest are open, a fifth expired, the rest was paid. */
const isOpen = "n > rows * 0.95"
/** At any size enough for a page. */
const isCancelled = "(n % 1000 = 1 or n <= 300)"
const isPaid = `not (${isOpen}) and n % 5 > 0 and not ${isCancelled}`
const status = `case when n <= 20 then 'processing' when n <= 40 then 'partially_paid' when ${isOpen} then 'open'
  when n % 5 = 0 then 'expired' when ${isCancelled} then 'cancelled' else 'paid' end`
/** At any size enough for page 1,000. */
const isDeposit = "(n % 20 = 0 or n <= 6000)"
const whenPaid = (value: string) => `case when ${isPaid} then ${value} end`

/** Types of which there are few stand first. */
const eventType = `case when n <= 20 then 'payment_request.payment_failed' when n % 5 = 0 then 'payment_request.expired'
  when n % 2 = 0 then 'payment_request.paid' else 'payment_request.created' end`

/** One in a thousand has not arrived. */
const deliveryStatus = `case n % 1000 when 0 then 'retrying' when 1 then 'failed' when 2 then 'gone'
  when 3 then 'skipped' when 4 then 'pending' else 'delivered' end`

export const payments = (own: Templates): ReadonlyArray<Copies> => [
  {
    table: "payment_request",
    of: `id = '${own.requestId}'`,
    but: {
      id: request,
      pid,
      vault_id: vault,
      pay_to_address: "scale_bytes('vault', n, 40)",
      amount_micro: "1000000 + n",
      received_micro: `coalesce(${whenPaid("1000000 + n")}, 0)`,
      status,
      settlement_issue: "case when n % 5 = 1 then 'late' else 'none' end",
      external_reference: "'order-' || n || '-x'",
      expires_at: `case when ${isOpen} then now() + interval '7 days' + n * interval '1 millisecond'
        else ${at} + interval '7 days' end`,
      created_at: at,
      updated_at: at,
      paid_at: whenPaid(at),
      tx_hash: whenPaid("scale_bytes('paid', n, 64)"),
      method: whenPaid("'direct'"),
      was_attempted: `(${isPaid}) or n <= 40`,
      payer_address: whenPaid("scale_bytes('payer', n % 5000, 40)")
    }
  },
  {
    table: "transfer",
    of: `id = '${own.depositId}'`,
    but: {
      id: "scale_id('transfer', n, rows)",
      vault_id: vault,
      tx_hash: "scale_bytes('paid', n, 64)",
      block_number: "0",
      block_hash: "scale_bytes('block', n, 64)",
      payer_address: "scale_bytes('payer', n % 5000, 40)",
      amount_micro: "1000000 + n",
      seen_at: at,
      final_at: at,
      request_id: `case when not ${isDeposit} and ${isPaid} then ${request} end`,
      settlement_issue: `case when ${isDeposit} then 'late' else 'none' end`,
      resolution: "case when n % 40 = 0 then 'ignored' end"
    }
  },
  {
    table: "provisioning_job",
    of: `id = '${own.jobId}'`,
    but: {
      id: "scale_id('job', n, rows)",
      status: "'completed'",
      created_at: "now() - interval '1 day'"
    }
  },
  {
    table: "provisioning_item",
    of: `job_id = '${own.jobId}'`,
    but: {
      position: "n",
      external_id: "'customer-' || n",
      status: "'succeeded'",
      wallet_id: vault,
      address: "scale_bytes('vault', n, 40)"
    }
  }
]

export const webhooks = (own: Templates): ReadonlyArray<Copies> => [
  {
    table: "webhook_endpoint",
    of: `id = '${own.endpointId}'`,
    count: few,
    but: {
      id: "scale_id('endpoint', n, rows)",
      events: "array['payment_request.payment_failed']",
      disabled_at: at,
      created_at: at
    }
  },
  {
    table: "webhook_queue",
    of: `endpoint_id = '${own.endpointId}'`,
    count: few,
    but: { endpoint_id: "scale_id('endpoint', n, rows)" }
  },
  {
    table: "webhook_version",
    of: "true",
    // As the events' own store has it: an event of a request is numbered after the one that is there.
    but: {
      of_request: `encode(substr(sha256(convert_to('${own.caller.accountId} ' || ${pid}, 'UTF8')), 1, 16), 'hex')::uuid`,
      last: "1"
    }
  },
  {
    table: "webhook_event",
    of: `id = '${own.eventId}'`,
    but: { id: event, type: eventType, pid, vault_id: vault, version: "1", created_at: at }
  },
  {
    table: "delivery",
    of: `id = '${own.deliveryId}'`,
    but: {
      id: "scale_id('delivery', n, rows)",
      event_id: event,
      event_type: eventType,
      status: deliveryStatus,
      attempt_count: "1",
      next_attempt_at: "case when n % 1000 in (0, 4) then now() + interval '1 year' end",
      delivered_at: `case when n % 1000 > 4 then ${at} end`,
      sequence: "1000 + n",
      created_at: at
    }
  }
]
