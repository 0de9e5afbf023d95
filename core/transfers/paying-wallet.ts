/** The wallet a payment leaves from: the caller's own, on a connected chain, and never the payee itself. */
import { Effect } from "effect"
import { Caller } from "../operation/caller.ts"
import { InvalidRequest, NotFound, UnsupportedChain } from "../operation/refusal.ts"
import { Chains } from "../ports/chains.ts"
import type { Recipient } from "../recipients/recipient.ts"
import * as Submitter from "../submissions/submitter.ts"
import * as Balance from "../wallets/balance.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"

export const find = Effect.fnUntraced(function* (walletId: string) {
  const { accountId } = yield* Caller
  const wallet = yield* (yield* Wallets).find(accountId, walletId)
  if (wallet === undefined) {
    return yield* new NotFound({
      param: "fromWalletId",
      message: "This account has no wallet with this id; see list_wallets.",
      next: { operation: "list_wallets", args: {} }
    })
  }
  return wallet
})

/** What it holds, in smallest units; undefined while its chain does not answer. Asks the network. */
export const ready = Effect.fnUntraced(function* (walletId: string) {
  const wallet = yield* find(walletId)
  const { connected } = yield* Chains
  if (!connected.some(({ chain }) => chain.id === wallet.chainId)) {
    return yield* new UnsupportedChain({
      param: "fromWalletId",
      message: `This treasury is no longer connected to ${wallet.chainId}; use another wallet.`,
      details: { supported: connected.map(({ chain }) => chain.id) }
    })
  }
  yield* Submitter.ready(wallet.chainId)
  return yield* Balance.held(wallet)
})

/** The terms of a payment, and whom it pays. Refuses a recipient on another chain, and the wallet itself. */
export const pays = Effect.fnUntraced(function* <Terms>(
  wallet: Wallet,
  recipient: Recipient,
  terms: Terms
) {
  if (recipient.chainId !== wallet.chainId) {
    return yield* new InvalidRequest({
      param: "fromWalletId",
      message: `The recipient is on ${recipient.chainId} and the wallet on ${wallet.chainId}; use a wallet on ${recipient.chainId}.`
    })
  }
  if (recipient.address === wallet.address) {
    return yield* new InvalidRequest({
      param: "recipientId",
      message: "The recipient is the sending wallet; choose another recipient."
    })
  }
  return {
    terms: {
      ...terms,
      fromWalletId: wallet.id,
      fromAddress: wallet.address,
      recipientId: recipient.id,
      toAddress: recipient.address,
      chainId: wallet.chainId
    },
    recipientId: recipient.id
  }
})
