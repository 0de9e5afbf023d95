/**
 * Whether a wallet signed a text. A plain account's signature is judged without asking anybody; a contract
 * is asked itself (ERC-1271), and a chain that does not answer is never taken for a bad signature.
 */
import { Context, type Effect } from "effect"
import type { FundingWallet } from "../chains/address.ts"
import type { ChainUnavailable } from "./chains.ts"

export interface SignedText {
  readonly signer: FundingWallet
  /** Signed as a personal message (ERC-191). */
  readonly message: string
  readonly signature: string
}

export class Signatures extends Context.Service<
  Signatures,
  {
    readonly isBy: (signed: SignedText) => Effect.Effect<boolean, ChainUnavailable>
  }
>()("bursar/ports/Signatures") {}
