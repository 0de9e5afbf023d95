/**
 * Makes a wallet: a key whose id is derived from what its caller keeps, its address, the store and the audit log,
 * in one transaction, on a chain that this treasury is connected to.
 */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { familyOf } from "../chains/address.ts"
import * as Chain from "../chains/chain.ts"
import { UnsupportedChain } from "../operation/refusal.ts"
import { Chains } from "../ports/chains.ts"
import { Ids } from "../ports/ids.ts"
import { ofStandardWallet, ofVault, walletId as walletIdOf } from "../submissions/identity.ts"
import { WalletKeys } from "../submissions/wallet-keys.ts"
import { Identity } from "../timeline/identity.ts"
import { unconnected } from "../tokens/connected.ts"
import type { Wallet } from "./wallet.ts"
import { Wallets } from "./wallet-store.ts"

export type WalletInput = Pick<
  Wallet,
  "accountId" | "name" | "chainId" | "isDefault" | "metadata" | "kind" | "customer"
> & {
  /** The caller's, by which the same wallet is found again; the wallet's own id when left out. */
  readonly idempotencyKey?: string | undefined
}

/** The new wallet, or the vault that the customer has on that chain. */
export const createWallet = Effect.fnUntraced(function* (
  { idempotencyKey, ...wanted }: WalletInput,
  actor: string
) {
  const { accountId, chainId, customer } = wanted
  const wallets = yield* Wallets
  const keys = yield* WalletKeys
  const id = yield* (yield* Ids).uuid
  const { family } = familyOf(chainId)
  const facts =
    customer === null
      ? ofStandardWallet(accountId, family, idempotencyKey ?? id)
      : ofVault(accountId, family, customer)
  const walletId = walletIdOf(yield* Identity, facts)
  const { isRecoverable, key } = yield* keys.open(chainId, walletId)
  const wallet: Wallet = {
    ...wanted,
    id,
    nickname: null,
    address: yield* keys.addressOf(chainId, key),
    key,
    isRecoverable,
    createdAt: yield* DateTime.now
  }
  if (!(yield* wallets.add(wallet))) {
    const vault =
      customer === null ? undefined : yield* wallets.vaultOf(accountId, customer, chainId)
    if (vault !== undefined) return vault
    return yield* Effect.die(
      new Error(`${wallet.address} on ${chainId} is a wallet already; nothing was opened.`)
    )
  }
  yield* record({
    accountId,
    actor,
    action: "wallet.created",
    subjectType: "wallet",
    subjectId: wallet.id,
    facts: { kind: wallet.kind, chainId, address: wallet.address }
  })
  return wallet
})

/** A connected chain by id or CAIP-2, or the refusal that lists those there are. */
export const connectedChain = Effect.fnUntraced(function* (idOrCaip2: string) {
  const { connected } = yield* Chains
  const chain = Chain.find(idOrCaip2)
  const found = connected.find((each) => each.chain.id === chain?.id)
  if (found === undefined) {
    const supported = connected.map((each) => each.chain.id)
    return yield* new UnsupportedChain({
      param: "chainId",
      message:
        supported.length === 0
          ? "This treasury is not connected to any chain yet; ask its operator to connect one."
          : `${unconnected([chain?.id ?? "that chain"])}; use one of: ${supported.join(", ")}.`,
      details: { supported }
    })
  }
  return found
})
