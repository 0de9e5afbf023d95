/** Makes a wallet: a key of its own, its address, the store and the audit log, in one transaction. */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { Ids } from "../ports/ids.ts"
import { Signer } from "../ports/signer.ts"
import type { Wallet } from "./wallet.ts"
import { Wallets } from "./wallet-store.ts"

export type Wanted = Pick<
  Wallet,
  "accountId" | "name" | "chainId" | "isDefault" | "metadata" | "kind" | "customer"
>

/** The new wallet; undefined when the customer got a vault on that chain meanwhile. */
export const createWallet = Effect.fnUntraced(function* (wanted: Wanted, actor: string) {
  const wallets = yield* Wallets
  const signer = yield* Signer
  const key = signer.keyAt(yield* wallets.takeNumber)
  const [address] = yield* signer.addressesOf(wanted.chainId, [key])
  const wallet: Wallet = {
    ...wanted,
    id: yield* (yield* Ids).uuid,
    nickname: null,
    address: address as string,
    key,
    createdAt: yield* DateTime.now
  }
  if (!(yield* wallets.add(wallet))) return undefined
  yield* record({
    accountId: wallet.accountId,
    actor,
    action: "wallet.created",
    subjectType: "wallet",
    subjectId: wallet.id,
    facts: { kind: wallet.kind, chainId: wallet.chainId, address: wallet.address }
  })
  return wallet
})
