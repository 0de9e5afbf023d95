/** What an account that sends has in a simulated world: a wallet that pays, and somebody for each send. */
import { Effect } from "effect"
import type { Atomically } from "../../../core/ports/atomically.ts"
import type { Recipient } from "../../../core/recipients/recipient.ts"
import { Recipients } from "../../../core/recipients/recipient-store.ts"
import { WalletKeys } from "../../../core/submissions/wallet-keys.ts"
import type { Wallet } from "../../../core/wallets/wallet.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import * as Value from "../../support/chain-values.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import { anAddressOn } from "../address.ts"
import type { MerchantAccount } from "../merchant-account.ts"

export const sendsEach = 8

const id = (kind: number, number: number) =>
  `00000000-0000-4000-8000-${(kind * 1000 + number).toString(16).padStart(12, "0")}`

interface Furnished {
  readonly wallet: Wallet
  readonly recipients: ReadonlyArray<Recipient>
}

/** A wallet that pays, and somebody for each send. */
export const furnished = Effect.fnUntraced(function* (
  { accountId }: MerchantAccount,
  chainId: string
): Effect.fn.Return<Furnished, never, Atomically | Recipients | WalletKeys | Wallets> {
  const { addressOf, open } = yield* WalletKeys
  const { key } = yield* open(chainId, "the wallet that sends")
  const address = yield* addressOf(chainId, key)
  const wallet = Rows.aWallet(accountId, { id: id(1, 0), chainId, address, key })
  yield* (yield* Wallets).add(wallet)
  const recipients = Array.from({ length: sendsEach }, (_, number) =>
    SendingRows.aRecipient(accountId, {
      id: id(2, number),
      chainId,
      address: Value.address(anAddressOn(chainId, 0x7e_00_00 + number)),
      status: "approved"
    })
  )
  for (const recipient of recipients) yield* (yield* Recipients).add(recipient)
  return { wallet, recipients }
})
