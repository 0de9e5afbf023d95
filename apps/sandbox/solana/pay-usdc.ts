/**
 * Pays USDC on Solana from a private key, as any wallet does: with a reference, if the one who is paid names one. The
 * same bytes are sent again until a block has them or none can any more, so that it pays once or says that it did not.
 */
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  type Base64EncodedWireTransaction,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase58Decoder,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  type Signature,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners
} from "@solana/kit"
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import type { Chain } from "../../../core/chains/chain.ts"

export interface Paying {
  readonly rpcUrl: string
  /** 64 bytes in base58. */
  readonly privateKey: string
  readonly mint: string
  readonly to: string
  readonly amountMicro: bigint
  readonly reference?: string | undefined
  /** How often it is looked at and sent again; every second when left out. */
  readonly pollMs?: number
}

/** It was sent, and nothing was paid: a block has it as failed, or no block has it and none can any more. */
export class NotPaid extends Error {
  override readonly name = "NotPaid"
}

const decimals = 6

/** A node that answers nothing for so many looks in a row is given up. */
const maxUnanswered = 30

/** Waits until a block has the transaction, and sends it again meanwhile: a node may drop what it has taken. */
const followed = async (
  { pollMs = 1000, rpcUrl }: Pick<Paying, "pollMs" | "rpcUrl">,
  wire: Base64EncodedWireTransaction,
  signature: Signature,
  lastValidBlockHeight: bigint
): Promise<void> => {
  const rpc = createSolanaRpc(rpcUrl)
  const look = async () => {
    // Before the status: what is not there behind this height will never be.
    const final = await rpc.getEpochInfo({ commitment: "finalized" }).send()
    const searching = { searchTransactionHistory: true }
    const { context, value } = await rpc.getSignatureStatuses([signature], searching).send()
    const [status] = value
    const reached = status?.confirmationStatus
    // The same bytes may yet succeed on another fork.
    if (status?.err && reached === "finalized") {
      throw new NotPaid("The transaction failed on the chain.")
    }
    if (status && !status.err && reached && reached !== "processed") return true
    // One of several nodes behind an address may lag, and has not seen the block that took it.
    const isCurrent = context.slot >= final.absoluteSlot
    if (!status && isCurrent && final.blockHeight > lastValidBlockHeight) {
      throw new NotPaid("The network has dropped the transaction, and no block can take it now.")
    }
    await rpc.sendTransaction(wire, { encoding: "base64", skipPreflight: true }).send()
    return false
  }
  let unanswered = 0
  while (true) {
    try {
      if (await look()) return
      unanswered = 0
    } catch (error) {
      unanswered += 1
      if (error instanceof NotPaid || unanswered === maxUnanswered) throw error
    }
    await new Promise((resume) => setTimeout(resume, pollMs))
  }
}

/** The signature, once a block has it; rejects with `NotPaid` when none will. */
export const payUsdc = async (paying: Paying): Promise<string> => {
  const rpc = createSolanaRpc(paying.rpcUrl)
  const payer = await createKeyPairSignerFromBytes(
    Uint8Array.from(getBase58Encoder().encode(paying.privateKey))
  )
  const mint = address(paying.mint)
  const accountOf = async (owner: string) => {
    const seeds = { owner: address(owner), mint, tokenProgram: TOKEN_PROGRAM_ADDRESS }
    return (await findAssociatedTokenPda(seeds))[0]
  }
  const transfer = getTransferCheckedInstruction({
    source: await accountOf(payer.address),
    mint,
    destination: await accountOf(paying.to),
    authority: payer,
    amount: paying.amountMicro,
    decimals
  })
  const named = [paying.reference ?? []].flat().map((reference) => ({
    address: address(reference),
    role: AccountRole.READONLY
  }))
  const opening = await getCreateAssociatedTokenIdempotentInstructionAsync({
    payer,
    owner: address(paying.to),
    mint
  })
  const { value: latest } = await rpc.getLatestBlockhash({ commitment: "confirmed" }).send()
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(latest, paid),
    (alive) =>
      appendTransactionMessageInstructions(
        [opening, { ...transfer, accounts: [...transfer.accounts, ...named] }],
        alive
      )
  )
  const transaction = await signTransactionMessageWithSigners(message)
  const wire = getBase64EncodedWireTransaction(transaction)
  const signature = getSignatureFromTransaction(transaction)
  await rpc.sendTransaction(wire, { encoding: "base64" }).send()
  await followed(paying, wire, signature, latest.lastValidBlockHeight)
  return signature
}

const keypairBytes = 64

const bytesIn = (text: string): Uint8Array =>
  text.startsWith("[")
    ? Uint8Array.from(JSON.parse(text) as ReadonlyArray<number>)
    : Uint8Array.from(getBase58Encoder().encode(text))

/** The keypair in what a wallet exports, in base58; undefined when there is none. */
export const readPrivateKey = (text: string): string | undefined => {
  try {
    const bytes = bytesIn(text)
    return bytes.length === keypairBytes ? getBase58Decoder().decode(bytes) : undefined
  } catch {
    return undefined
  }
}

/** Whether a node is of a chain; a local one has no name. Rejects when it does not answer. */
export const isNodeOf = async (rpcUrl: string, { caip2 }: Chain): Promise<boolean> => {
  const [, reference = ""] = caip2.split(":")
  const genesis = await createSolanaRpc(rpcUrl).getGenesisHash().send()
  return reference === "local" || genesis.startsWith(reference)
}
