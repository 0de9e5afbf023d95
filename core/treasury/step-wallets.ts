/** Hands the keys of wallets down to the machine of steps. */
import { Effect, Layer } from "effect"
import { StepWallets } from "../proposals/step-wallets.ts"
import { Wallets } from "../wallets/wallet-store.ts"

const wallets = {
  keyOf: Effect.fnUntraced(function* (accountId: string, walletId: string) {
    return (yield* (yield* Wallets).find(accountId, walletId))?.key
  })
}

type All = typeof wallets

declare module "../proposals/step-wallets.ts" {
  interface Registry extends All {}
}

export const layer = Layer.succeed(StepWallets, wallets)
