/** Replaces all tags of a wallet at once; nothing about money, so nothing to confirm (spec, Proposals 5). */
import { Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import { AccountId, find } from "./find.ts"
import { revise } from "./rename.ts"
import * as Wallet from "./wallet.ts"

export const setWalletMetadata = Operation.make("set_wallet_metadata", {
  summary: "Replaces all tags of a wallet; an empty map removes them.",
  next: "list_wallets with metadataKey finds wallets by their tags.",
  scope: "proposals:write",
  nature: "write",
  authority: byScope,
  input: { accountId: AccountId, metadata: Text.Tags },
  output: { wallet: Schema.Struct(Wallet.fields) },
  refusals: [NotFound],
  example: {
    input: { accountId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e", metadata: { team: "ops" } }
  },
  handle: Effect.fnUntraced(function* (input) {
    const { accountId, keyId } = yield* Caller
    const wallet = { ...(yield* find(accountId, input.accountId)), metadata: input.metadata }
    yield* revise(wallet, "wallet.tagged", keyId)
    return { wallet: Wallet.view(wallet) }
  })
})
