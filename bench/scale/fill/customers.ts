/** Whom an account deals with: customers' vaults, its own wallets, recipients, keys, people and other accounts. */
import type { Copies } from "./copies.ts"
import type { Templates } from "./templates.ts"

/** So many rows of what an account has few of: enough for page 1,000 of five rows each. */
export const some = 5500

const at = "scale_at(n, rows)"

export const customers = (own: Templates): ReadonlyArray<Copies | ReadonlyArray<Copies>> => [
  // Of one list, which is read through by its time.
  [
    {
      table: "wallet",
      of: `id = '${own.vaultId}'`,
      but: {
        id: "scale_id('vault', n, rows)",
        name: "'Customer ' || n",
        address: "scale_hex('vault', n, 40)",
        external_id: "'customer-' || n",
        metadata: `case when n = rows / 2 then '{"rare": "yes"}'::jsonb else '{"tier": "gold"}' end`,
        key_ref: "'vault-' || n",
        created_at: at
      }
    },
    {
      table: "wallet",
      of: `id = '${own.walletId}'`,
      but: {
        id: "scale_id('own', n, rows)",
        name: "'Branch ' || n",
        address: "scale_hex('own', n, 40)",
        is_default: "false",
        key_ref: "'own-' || n",
        created_at: at
      }
    }
  ],
  {
    table: "recipient",
    of: `id = '${own.recipientId}'`,
    but: {
      id: "scale_id('recipient', n, rows)",
      label: "'Supplier ' || n",
      address: "scale_hex('recipient', n, 40)",
      created_at: at
    }
  },
  {
    table: "api_key",
    of: `id = '${own.keyId}'`,
    but: {
      id: "scale_id('key', n, rows)",
      digest: "md5('key' || n)",
      label: "'Till ' || n",
      created_at: at,
      // Of an account that has more in force, no key makes another.
      revoked_at: `case when n > 500 then ${at} end`
    }
  },
  {
    table: "human",
    of: "true",
    count: some,
    but: {
      id: "scale_id('human', n, rows)",
      name: "'Person ' || n",
      email: "'person' || n || '@shop.example.com'",
      created_at: at
    }
  }
]

/** Accounts beside it. */
export const besides = 10_000

/**
 * Vaults on a chain that tells of transfers by address alone, so that its watcher asks for each: as many as there are of
 * everything, of all the accounts beside.
 */
export const solanaVaults = (own: Templates): Copies => ({
  table: "wallet",
  of: `id = '${own.vaultId}'`,
  but: {
    id: solanaVault("n", "rows"),
    account_id: `scale_id('account', 1 + n % ${besides}, ${besides})`,
    chain_id: "'local-solana'",
    address: "'z' || replace(substr(scale_hex('solana-vault', n, 44), 3, 42), '0', 'g')",
    external_id: "'solana-customer-' || n",
    key_ref: "'solana-vault-' || n",
    created_at: at
  }
})

/** The id of one of them, in SQL. */
export const solanaVault = (n: string, rows: string) => `scale_id('solana-vault', ${n}, ${rows})`

/** Each has a little of what the one has much of. */
export const beside = (own: Templates): ReadonlyArray<Copies> => {
  const account = "scale_id('account', n, rows)"
  return [
    {
      table: "account",
      of: `id = '${own.neighbourId}'`,
      but: { id: account, name: "'Small ' || n", created_at: at }
    },
    {
      table: "api_key",
      of: `id = '${own.keyId}'`,
      but: {
        id: "scale_id('their-key', n, rows)",
        account_id: account,
        digest: "md5('their-key' || n)",
        created_at: at
      }
    },
    {
      table: "wallet",
      of: `id = '${own.vaultId}'`,
      but: {
        id: "scale_id('their-vault', n, rows)",
        account_id: account,
        address: "scale_hex('their-vault', n, 40)",
        key_ref: "'their-vault-' || n",
        created_at: at
      }
    },
    {
      table: "payment_request",
      of: `id = '${own.requestId}'`,
      but: {
        id: "scale_id('their-request', n, rows)",
        account_id: account,
        vault_id: "scale_id('their-vault', n, rows)",
        pid: "'pr_' || md5('theirs' || n)",
        created_at: at
      }
    },
    {
      table: "webhook_endpoint",
      of: `id = '${own.endpointId}'`,
      but: { id: "scale_id('their-endpoint', n, rows)", account_id: account, created_at: at }
    },
    {
      table: "webhook_queue",
      of: `endpoint_id = '${own.endpointId}'`,
      but: { endpoint_id: "scale_id('their-endpoint', n, rows)" }
    },
    {
      table: "webhook_version",
      of: "true",
      but: {
        of_request: `encode(substr(sha256(convert_to(${account} || ' pr_' || md5('theirs' || n), 'UTF8')), 1, 16), 'hex')::uuid`,
        last: "1"
      }
    },
    {
      table: "webhook_event",
      of: `id = '${own.eventId}'`,
      but: {
        id: "'evt_' || md5('theirs' || n)",
        account_id: account,
        pid: "'pr_' || md5('theirs' || n)",
        vault_id: "scale_id('their-vault', n, rows)",
        created_at: at
      }
    },
    {
      table: "delivery",
      of: `id = '${own.deliveryId}'`,
      but: {
        id: "scale_id('their-delivery', n, rows)",
        account_id: account,
        event_id: "'evt_' || md5('theirs' || n)",
        endpoint_id: "scale_id('their-endpoint', n, rows)",
        status: "'delivered'",
        sequence: "1",
        next_attempt_at: "null",
        created_at: at
      }
    }
  ].map((copies) => ({ ...copies, count: besides }))
}
