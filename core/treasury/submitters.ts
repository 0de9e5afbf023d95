/** The registry of submitters: by which family of chains something can be submitted at all. */
import { Layer } from "effect"
import { evmSubmitter } from "../evm/submitter.ts"
import { solanaSubmitter } from "../solana/submitter.ts"
import { Submitters } from "../submissions/submitter.ts"

const submitters = { evm: evmSubmitter, solana: solanaSubmitter }

type All = typeof submitters

declare module "../submissions/submitter.ts" {
  interface Registry extends All {}
}

/** Hands the registry to the rooms below. */
export const layer = Layer.succeed(Submitters, submitters)
