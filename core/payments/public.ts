/** What anybody with the link may know of a payment request: who asks, how much, where to, and how it stands. */
import { DateTime, Effect } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import { settingsOf } from "../accounts/read-settings.ts"
import * as Address from "../chains/address.ts"
import * as Chain from "../chains/chain.ts"
import type { WalletCall } from "../chains/family.ts"
import * as Usdc from "../money/usdc.ts"
import { Deployment } from "../operation/deployment.ts"
import { Chains, type Connected } from "../ports/chains.ts"
import { type CameLate, cameLate, mayChange } from "./came-late.ts"
import { owedMicro } from "./recompute.ts"
import type * as RefundShare from "./refund-ledger.ts"
import type { PaymentRequest } from "./request.ts"
import { PaymentRequests } from "./request-store.ts"
import * as View from "./view.ts"
import { paymentCall, paymentUri } from "./view.ts"

export interface PublicRequest extends Omit<View.View, keyof typeof RefundShare.fields> {
  /** By the name the owner set for payers, or the account's own. */
  readonly merchant: string
  /** `#rrggbb`; null for the default. */
  readonly brandColor: string | null
  /** The merchant's logo as a `data` URL. */
  readonly logoUrl: string | null
  /** False where its money is not real. */
  readonly livemode: boolean
  readonly chainName: string
  readonly successUrl: string | null
  readonly cancelUrl: string | null
  /** Blocks after which money is final on its chain; null where this installation is not connected. */
  readonly confirmationsNeeded: number | null
  /**
   * What is still to be sent: money that was seen and is not final yet is not asked for again, and none
   * is once the time is up, though the chain has not said so yet.
   */
  readonly dueMicro: Usdc.Usdc
  /** What a wallet reads to pay what is due; null when nothing is. */
  readonly dueUri: string | null
  /** What an injected wallet is handed to pay what is due; null where nothing can be paid so. */
  readonly call: WalletCall | null
  /** The chain as wallets name it that sign whole transactions, whatever is due now; null where none do. */
  readonly walletChain: string | null
  /** Where anybody may look the transaction up. */
  readonly transactionUrl: string | null
  /** Money that came for it after its end, too little of it before, or once it was paid. */
  readonly cameLate: ReadonlyArray<CameLate>
  /** Whether any of this may still change by itself. */
  readonly mayChange: boolean
}

const pidForm = /^pr_[0-9A-Za-z]{22}$/u

/** The row behind a link, or undefined; a malformed pid never reaches the database. */
export const publicRow = Effect.fnUntraced(function* (pid: string) {
  return pidForm.test(pid) ? yield* (yield* PaymentRequests).findPublic(pid) : undefined
})

const dueOf = Effect.fnUntraced(function* (request: PaymentRequest) {
  const isTimeUp = DateTime.isLessThan(request.expiresAt, yield* DateTime.now)
  return isTimeUp ? Usdc.zero : yield* owedMicro(request)
})

const uriOf = (
  chain: Connected | undefined,
  request: PaymentRequest,
  dueMicro: Usdc.Usdc,
  merchant: string
) => {
  if (dueMicro === 0n) return null
  return chain === undefined ? request.payToAddress : paymentUri(chain, request, dueMicro, merchant)
}

/** The request of a row, as its page shows it. */
export const publicView = Effect.fnUntraced(function* (request: PaymentRequest) {
  const account = yield* (yield* Accounts).find(request.accountId)
  const { connected } = yield* Chains
  const chain = connected.find((each) => each.chain.id === request.chainId)
  // What went back to whom is the merchant's to say.
  const { refunds: _, refundedSmallestUnit: __, ...view } = yield* View.view(request)
  const dueMicro = yield* dueOf(request)
  const { brandColor, logoUrl, merchantName } = yield* settingsOf(request.accountId)
  const merchant = merchantName ?? account?.name ?? ""
  const shown: PublicRequest = {
    ...view,
    merchant,
    brandColor,
    logoUrl,
    livemode: (yield* Deployment).livemode,
    chainName: Chain.find(request.chainId)?.name ?? request.chainId,
    successUrl: request.successUrl,
    cancelUrl: request.cancelUrl,
    confirmationsNeeded: chain?.confirmations ?? null,
    dueMicro,
    dueUri: uriOf(chain, request, dueMicro, merchant),
    call:
      chain === undefined || dueMicro === 0n
        ? null
        : (paymentCall(chain, request, dueMicro) ?? null),
    walletChain:
      chain === undefined
        ? null
        : (Address.familyOf(request.chainId).walletChain(chain.chain) ?? null),
    transactionUrl:
      request.txHash === null ? null : Chain.transactionUrl(request.chainId, request.txHash),
    cameLate: yield* cameLate(request),
    mayChange: mayChange(request, yield* DateTime.now)
  }
  return shown
})

/** The request behind a link, or undefined. */
export const publicRequest = Effect.fnUntraced(function* (pid: string) {
  const request = yield* publicRow(pid)
  return request === undefined ? undefined : yield* publicView(request)
})
