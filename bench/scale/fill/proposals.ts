/** What was proposed and done: sends and swaps that have ended, with their steps, their reservations and their sales. */
import type { Copies } from "./copies.ts"
import { voter } from "./records.ts"
import type { Templates } from "./templates.ts"

const at = "scale_at(n, rows)"
const day = `to_char(${at} at time zone 'UTC', 'YYYY-MM-DD')`
const send = "scale_id('send', n, rows)"
const swap = "scale_id('swap', n, rows)"

const of = (id: string) => ({
  id,
  status:
    "case when n <= 20 then 'failed' when n <= 40 then 'rejected' when n % 7 = 0 then 'cancelled' else 'completed' end",
  outcome: "case when n > 40 and n % 7 > 0 then 'executed' else 'not_executed' end",
  intent_hash: "md5('i' || n) || md5('j' || n)",
  call_idempotency_key: "null",
  call_operation: "null",
  takes_passkey: "false",
  tx_hashes: "array[scale_hex('sent', n, 64)]",
  created_at: at,
  updated_at: at,
  expires_at: `${at} + interval '15 minutes'`
})

const purposeWith = (id: string) => `jsonb_set(purpose, '{proposalId}', to_jsonb(${id}))`

/** What an ended one keeps when nothing is dropped of it. */
const journal = `jsonb_build_object('authorization', null, 'attempts', jsonb_build_array(jsonb_build_object(
  'txHash', scale_hex('sent', n, 64), 'raw', '0x' || repeat(md5(n::text), 12), 'maxFeePerGas', '1',
  'maxPriorityFeePerGas', '1', 'gas', '90000', 'at', '2026-01-01T00:00:00.000Z')))`

const ended = (id: string) => ({
  purpose: purposeWith(id),
  status: "'final'",
  tx_ids: "array[scale_hex('sent', n, 64)]",
  relayer: "'0x' || repeat('0e', 20)",
  next_look_at: "null",
  lease: "null",
  lease_ends_at: "null",
  journal,
  created_at: at,
  updated_at: at
})

export const proposals = ({ executing }: Templates): ReadonlyArray<Copies> => [
  { table: "proposal", of: `id = '${executing.propose_transfer}'`, but: of(send) },
  { table: "proposal", of: `id = '${executing.propose_swap}'`, but: of(swap) },
  {
    table: "submission",
    of: `proposal_id = '${executing.propose_transfer}'`,
    but: {
      id: "scale_id('submission', n, rows)",
      key: "'send-' || n",
      relayer_sequence: "n",
      terms: "jsonb_set(terms, '{identity}', to_jsonb('identity-' || n))",
      ...ended(send)
    }
  },
  {
    table: "spend_reservation",
    of: `proposal_id = '${executing.propose_transfer}'`,
    but: {
      proposal_id: send,
      amount_micro: "1",
      day,
      month: `left(${day}, 7)`,
      state: "'consumed'",
      reserved_at: at
    }
  },
  {
    table: "wait",
    of: `proposal_id = '${executing.propose_swap}'`,
    but: {
      id: "scale_id('wait', n, rows)",
      proposal_id: swap,
      ended: `jsonb_build_object('isDone', false, 'at', '2026-01-01T00:00:00.000Z', 'reason', 'It was not filled.', 'evidence', null)`,
      next_look_at: "null",
      lease: "null",
      lease_ends_at: "null",
      opened_at: at,
      updated_at: at
    }
  },
  {
    table: "sale",
    of: `proposal_id = '${executing.propose_swap}'`,
    but: { proposal_id: swap, worth_micro: "1", day, state: "'left'", opened_at: at }
  },
  {
    table: "quote",
    of: "true",
    but: {
      id: "scale_id('quote', n, rows)",
      created_at: "now() - interval '1 hour'",
      expires_at: "now() - interval '1 minute'"
    }
  }
]

/**
 * What stands beneath them and has no row to be copied: what each send has cost, what it took of a key's cap, the nonces that
 * the chain says are used, what co-signers said, and what was given back of payments.
 */
export const beneath = (
  { accountId, keyId }: Templates["caller"],
  rows: number
): ReadonlyArray<string> => {
  const of = `(select n, ${rows}::bigint as rows from generate_series(1::bigint, ${rows}::bigint) n) of`
  const account = `'${accountId}'::uuid`
  return [
    `insert into outlay (chain_id, day, key, account_id, units, account_cap_units, installation_cap_units, at)
      select 'local', ${day}, 'submission ' || scale_id('submission', n, rows), ${account}, 1, 1000000000, 10000000000, ${at} from ${of}`,
    `insert into outlay_sum (account_id, day, chain_id, units)
      select ${account}, ${day}, 'local', count(*) from ${of} group by 2`,
    `insert into key_reservation (proposal_id, key_id, account_id, amount_micro, day, state)
      select ${send}, '${keyId}'::uuid, ${account}, 1, ${day}, 'consumed' from ${of}`,
    `insert into used_nonce (chain_id, sender, nonce, tx_id, block_number, block_hash, data, value, is_success)
      select 'local', '0x' || repeat('0e', 20), n, scale_hex('sent', n, 64), n, scale_hex('block', n, 64), '0x', 0, true
      from ${of}`,
    `insert into cosigner_vote (approval_id, voter_account_id, key_id, is_approval, intent_hash, at)
      select scale_id('approval', n, rows), ${voter}, 'key', true, md5('i' || n) || md5('j' || n), ${at} from ${of}`,
    `insert into refund_share (proposal_id, transfer_id, account_id, amount_micro, state, claimed_at)
      select ${send}, scale_id('transfer', n, rows), ${account}, 1, 'refunded', ${at} from ${of} where n % 20 = 3`
  ]
}
