/** A Solana of a test's own, where slots pass only when the test says so, and a payer who moves USDC on it. */

import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners
} from "@solana/kit"
import { getSetComputeUnitPriceInstruction } from "@solana-program/compute-budget"
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import { Effect, type Layer } from "effect"
import type { ChainNotStarted } from "../../apps/sandbox/chain-not-started.ts"
import * as LocalSolana from "../../apps/sandbox/solana/local-solana.ts"

export const { LocalSolana: SolanaChain } = LocalSolana

/** Kept nowhere, and still until it is told to go on. */
export const layer: Layer.Layer<LocalSolana.LocalSolana, ChainNotStarted> = LocalSolana.layer({
  directory: null,
  slotMs: null
})

const signerOf = (privateKey: string) =>
  createKeyPairSignerFromBytes(Uint8Array.from(getBase58Encoder().encode(privateKey)))

/** Who was given USDC and SOL on the chain. */
export const payer = LocalSolana.LocalSolana.use((chain) =>
  Effect.promise(() => signerOf(chain.payer.privateKey))
)

export const rpc = LocalSolana.LocalSolana.useSync(({ rpcUrl }) => createSolanaRpc(rpcUrl))

/** The account that an owner's USDC lies in. */
export const tokenAccount = (owner: string, mint: string): Effect.Effect<Address> =>
  Effect.promise(async () => {
    const seeds = { owner: address(owner), mint: address(mint) }
    return (await findAssociatedTokenPda({ ...seeds, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]
  })

let bid = 0n

/** Signs over the newest block's hash; no two transactions are the same. */
export const signed = Effect.fnUntraced(function* (
  signer: KeyPairSigner,
  instructions: ReadonlyArray<Instruction>
) {
  const client = yield* rpc
  const { value } = yield* Effect.promise(() =>
    client.getLatestBlockhash({ commitment: "confirmed" }).send()
  )
  bid++
  const distinct = getSetComputeUnitPriceInstruction({ microLamports: bid })
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(signer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(value, paid),
    (alive) => appendTransactionMessageInstructions([distinct, ...instructions], alive)
  )
  const transaction = yield* Effect.promise(() => signTransactionMessageWithSigners(message))
  return {
    transaction,
    wire: getBase64EncodedWireTransaction(transaction),
    signature: getSignatureFromTransaction(transaction)
  }
})

export interface Paying {
  readonly to: string
  readonly amountMicro: bigint
  /** Keys that name what is paid, as Solana Pay has them. */
  readonly references?: ReadonlyArray<string>
}

/** What moves USDC from a signer to an owner, whose token account it makes where it is missing. */
export const payment = Effect.fnUntraced(function* (
  signer: KeyPairSigner,
  { amountMicro, references = [], to }: Paying
) {
  const { usdc } = yield* LocalSolana.LocalSolana
  const transfer = getTransferCheckedInstruction({
    source: yield* tokenAccount(signer.address, usdc),
    mint: address(usdc),
    destination: yield* tokenAccount(to, usdc),
    authority: signer,
    amount: amountMicro,
    decimals: 6
  })
  const named = references.map((reference) => ({
    address: address(reference),
    role: AccountRole.READONLY
  }))
  const opening = yield* Effect.promise(() =>
    getCreateAssociatedTokenIdempotentInstructionAsync({
      payer: signer,
      owner: address(to),
      mint: address(usdc)
    })
  )
  return [opening, { ...transfer, accounts: [...transfer.accounts, ...named] }]
})

/** Hands a signed transaction to the node, which does not try it first; the signature. */
export const handOver = Effect.fnUntraced(function* ({
  signature,
  wire
}: Effect.Success<ReturnType<typeof signed>>) {
  const client = yield* rpc
  yield* Effect.promise(() =>
    client.sendTransaction(wire, { encoding: "base64", skipPreflight: true }).send()
  )
  return signature
})

/** Pays from the payer's USDC; the signature. */
export const pay = Effect.fnUntraced(function* (paying: Paying) {
  const signer = yield* payer
  return yield* handOver(yield* signed(signer, yield* payment(signer, paying)))
})

/** What an owner holds in USDC, as of a commitment. */
export const held = Effect.fnUntraced(function* (
  owner: string,
  commitment: "processed" | "confirmed" | "finalized" = "processed"
) {
  const { usdc } = yield* LocalSolana.LocalSolana
  const client = yield* rpc
  const account = yield* tokenAccount(owner, usdc)
  const { value } = yield* Effect.promise(() =>
    client.getAccountInfo(account, { commitment, encoding: "jsonParsed" }).send()
  )
  if (value === null || !("parsed" in value.data)) return 0n
  const { info } = value.data.parsed as {
    readonly info: { readonly tokenAmount: { readonly amount: string } }
  }
  return BigInt(info.tokenAmount.amount)
})
