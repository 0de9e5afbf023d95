/** What a payer's wallet is handed where it takes whole transactions: one made for it, for what is due at this moment. */
import { Effect } from "effect"
import * as Address from "../chains/address.ts"
import * as Usdc from "../money/usdc.ts"
import { InvalidRequest, NotFound, UpstreamUnavailable } from "../operation/refusal.ts"
import { Chains } from "../ports/chains.ts"
import { PayerTransactions } from "../ports/payer-transactions.ts"
import { publicRow, publicView } from "./public.ts"
import { paymentOf } from "./view.ts"

/** For a wallet of the payer's own; refuses what signs nothing, and says what it lacks where it cannot pay. */
export const payerTransaction = Effect.fnUntraced(function* (pid: string, payerAddress: string) {
  const request = yield* publicRow(pid)
  if (request === undefined) {
    return yield* new NotFound({ message: "There is no payment request at this link." })
  }
  const chains = yield* Chains
  const chain = chains.connected.find((each) => each.chain.id === request.chainId)
  const { dueMicro, walletChain } = yield* publicView(request)
  if (chain === undefined || dueMicro === 0n || walletChain === null) {
    return yield* new NotFound({ message: "Nothing can be paid so at this link." })
  }
  const payer = Address.parse(request.chainId, payerAddress)
  if (payer === undefined) {
    return yield* new InvalidRequest({
      param: "payerAddress",
      message: `This is not an address of the request's chain. Send ${Address.familyOf(request.chainId).addressForm}.`
    })
  }
  const { make } = yield* PayerTransactions
  const [stands, made] = yield* Effect.all(
    [chains.payee(request.chainId, payer), make(paymentOf(chain, request, dueMicro), payer)],
    { concurrency: 2 }
  ).pipe(
    Effect.catchTag(
      "ChainUnavailable",
      () =>
        new UpstreamUnavailable({
          message: `${request.chainId} does not respond; try again in a moment.`
        })
    )
  )
  if (stands._tag === "unpayable") {
    return yield* new InvalidRequest({
      param: "payerAddress",
      message: `The address is ${stands.reason}. Send the address of the wallet that pays.`
    })
  }
  return made._tag === "too_little" ? { ...made, held: Usdc.format(made.heldMicro) } : made
})
