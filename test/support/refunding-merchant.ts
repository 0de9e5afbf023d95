/** An agent's account with a rich vault, money that came to it, and somebody it may pay, on whichever stores. */
import { Effect } from "effect"
import { ChainScript } from "../../adapters/memory/chains.ts"
import type { Transfer } from "../../core/payments/transfer.ts"
import { Transfers } from "../../core/payments/transfer-store.ts"
import * as Accounts from "./accounts.ts"
import * as Rows from "./rows.ts"
import * as Stored from "./stored-rows.ts"

export const aMerchant = Effect.gen(function* () {
  const { accountId, call } = yield* Accounts.opened({ kind: "agent" })
  const vault = yield* Accounts.vault(accountId, "ada")
  yield* (yield* ChainScript).fund(vault.address, 10_000_000_000n)
  const recipient = yield* Stored.recipient(accountId, { chainId: "local", status: "approved" })
  /** 10 USDC that came to the vault, final, and a deposit unless said otherwise. */
  const came = Effect.fnUntraced(function* (over: Partial<Transfer> = {}) {
    const row = Rows.aTransfer(vault, { state: "final", finalAt: Rows.at(2), ...over })
    yield* (yield* Transfers).record(row)
    return row
  })
  return { accountId, call, came, recipient, recipientId: recipient.id, vault }
})
