/** An agent's account with a rich vault, money that came to it, and somebody it may pay, on whichever stores. */
import { Effect } from "effect"
import { ChainScript } from "../../adapters/memory/chains.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { openAccount } from "../../core/accounts/open.ts"
import { system } from "../../core/audit/record.ts"
import { issue } from "../../core/keys/create-key.ts"
import { Scope } from "../../core/operation/caller.ts"
import type { Transfer } from "../../core/payments/transfer.ts"
import { Transfers } from "../../core/payments/transfer-store.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import { createWallet } from "../../core/wallets/create.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import * as Rows from "./rows.ts"
import * as Stored from "./stored-rows.ts"

export const aMerchant = Effect.gen(function* () {
  const { id: accountId } = yield* openAccount({ name: "Shop", kind: "agent", tier: "startup" })
  const wanted = { accountId, kind: "agent", label: null, expiresAt: null } as const
  const { text } = yield* issue({ ...wanted, scopes: Scope.literals })
  const vault = (yield* createWallet(
    {
      accountId,
      chainId: "local",
      name: "Vault",
      isDefault: false,
      metadata: {},
      kind: "collection",
      customer: { externalId: "ada", namespace: "default" }
    },
    system
  )) as Wallet
  yield* (yield* ChainScript).fund(vault.address, 10_000_000_000n)
  const recipient = yield* Stored.recipient(accountId, { chainId: "local", status: "approved" })
  /** 10 USDC that came to the vault, final, and a deposit unless said otherwise. */
  const came = Effect.fnUntraced(function* (over: Partial<Transfer> = {}) {
    const row = Rows.aTransfer(vault, { state: "final", finalAt: Rows.at(2), ...over })
    yield* (yield* Transfers).record(row)
    return row
  })
  const call = callsOf(yield* authenticate(text))
  return { accountId, call, came, recipient, recipientId: recipient.id, vault }
})
