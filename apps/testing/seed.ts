/** What every test treasury starts with: two accounts, each with a key, a wallet, a vault and a payee. */
import { Effect } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import * as Address from "../../core/chains/address.ts"
import type { KeyKind } from "../../core/operation/caller.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { seedAccounts } from "../../core/treasury/seed.ts"

/** The agent's funding wallet: worthless, and the same in every treasury. */
const fundingKey = `0x${"b5".repeat(32)}` as const
export const fundingWallet = privateKeyToAccount(fundingKey)

/** Whom both accounts may pay from the start. */
export const payeeAddress = `0x${"70".repeat(20)}`

const seeded = Effect.fnUntraced(function* (kind: KeyKind, name: string) {
  const { account, apiKey, wallet, vault } = yield* seedAccounts({
    kind,
    name,
    tier: kind === "agent" ? "personal" : "startup",
    chainId: "local",
    customer: { externalId: "first_customer", namespace: "default" },
    ...(kind === "agent"
      ? {
          fundingWallet: {
            chainId: "local",
            address: Address.shown("local", fundingWallet.address)
          }
        }
      : {}),
    payee: { label: "Payee", address: Address.shown("local", payeeAddress) }
  })
  const shown = ({ id, address }: typeof wallet) => ({ id, address })
  return {
    accountId: account.id,
    apiKey,
    wallet: shown(wallet),
    vault: shown(vault),
    caller: yield* authenticate(apiKey)
  }
})

export type Seeded = Effect.Success<ReturnType<typeof seeded>>

/** Both accounts, in one transaction. */
export const bothFurnished = Effect.flatMap(Atomically, (atomically) =>
  atomically.run(
    Effect.all([seeded("developer", "Northwind Supply"), seeded("agent", "Purchasing agent")])
  )
)
