/** The store of accounts on SQL. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Account } from "../../core/accounts/account.ts"
import { Accounts } from "../../core/accounts/account-store.ts"
import type { FundingWallet } from "../../core/chains/address.ts"
import * as Address from "../../core/chains/address.ts"
import { gathered } from "./gathered.ts"
import * as OneOf from "./one-of.ts"
import * as Rows from "./rows.ts"
import { bool, table, text, timestamp, together, uuid } from "./table.ts"

const account = table<Account>(
  "account",
  {
    id: uuid,
    name: text,
    kind: text,
    tier: text,
    livemode: bool,
    fundingWallet: together<FundingWallet>("funding", { chainId: text, address: text }),
    contactEmail: text,
    subscriptionExpiresAt: timestamp,
    pausedAt: timestamp,
    pausedBy: text,
    createdAt: timestamp
  },
  ["id"]
)

export const layer = Layer.effect(
  Accounts,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const accounts = Rows.rows(sql, account)
    return {
      find: gathered<Account>(
        sql,
        ({ id }) => id,
        (ids) => accounts.all(sql`id ${OneOf.uuids(sql, ids)}`)
      ),
      open: (opened) => accounts.insert(opened),
      lock: (id) => accounts.first({ id }, Rows.forUpdate),
      subscribe: (id, tier, subscriptionExpiresAt) =>
        accounts.update({ id }, { tier, subscriptionExpiresAt }),
      giveFundingWallet: (id, fundingWallet) =>
        accounts.updateIf({ id, kind: "agent", fundingWallet: null }, { fundingWallet }),
      list: (request) => accounts.page({}, request),
      retier: (id, tier) => accounts.update({ id }, { tier }),
      pause: (id, pausedAt, pausedBy = null) => accounts.update({ id }, { pausedAt, pausedBy }),
      fundedBy: ({ address, chainId }, request) =>
        accounts.page(
          sql`address_key(funding_chain_id, funding_address) = ${Address.keyOf(chainId, address)}
            and funding_address is not null`,
          request
        )
    }
  })
)
