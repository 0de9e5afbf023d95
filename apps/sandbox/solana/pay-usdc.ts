/** Pays USDC on Solana from a private key, as any wallet does: with a reference, if the one who is paid names one. */
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase58Decoder,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
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
}

const decimals = 6

/** The signature, once the node has taken it. */
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
  await rpc
    .sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: "base64" })
    .send()
  return getSignatureFromTransaction(transaction)
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
