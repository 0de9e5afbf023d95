/**
 * Who makes money on the local Solana: a faucet of SOL and the issuer of its USDC, a mint of the classic token program.
 * Both act by transactions of their own, so that a fork and a slow commitment treat those like any other.
 */

import { randomBytes } from "node:crypto"
import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createKeyPairSignerFromBytes,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getBase58Encoder,
  getTransactionEncoder,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners
} from "@solana/kit"
import { getSetComputeUnitPriceInstruction } from "@solana-program/compute-budget"
import {
  getCreateAccountInstruction,
  getTransferSolInstruction,
  SYSTEM_PROGRAM_ADDRESS
} from "@solana-program/system"
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getFreezeAccountInstruction,
  getInitializeMint2Instruction,
  getMintToInstruction,
  getThawAccountInstruction,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import { land } from "./landing.ts"
import { hashLife, type Ledger } from "./ledger.ts"
import { to58 } from "./transaction.ts"

/** Secret keys as wallets export them: 64 bytes in base58. */
export interface Secrets {
  readonly faucet: string
  readonly issuer: string
  readonly mint: string
  readonly payer: string
}

const decimals = 6
const mintBytes = 82
const faucetLamports = 10n ** 18n

const newSecret = async (): Promise<string> => {
  const seed = Uint8Array.from(randomBytes(32))
  const { address } = await createKeyPairSignerFromPrivateKeyBytes(seed)
  return to58(Uint8Array.from([...seed, ...getBase58Encoder().encode(address)]))
}

export const newSecrets = async (): Promise<Secrets> => ({
  faucet: await newSecret(),
  issuer: await newSecret(),
  mint: await newSecret(),
  payer: await newSecret()
})

export const signerOf = (secret: string): Promise<KeyPairSigner> =>
  createKeyPairSignerFromBytes(Uint8Array.from(getBase58Encoder().encode(secret)))

export interface Issuer {
  readonly mint: Address
  readonly payer: Address
  /** Hands out SOL; the signature of the transaction. */
  readonly give: (to: Address, amount: bigint) => Promise<string>
  /** Makes USDC for an owner, and the owner's token account where it is missing. */
  readonly issue: (owner: Address, amountMicro: bigint) => Promise<string>
  /** The same with tokens of another mint of this chain. */
  readonly issueOf: (mint: Address, owner: Address, units: bigint) => Promise<string>
  readonly setFrozen: (owner: Address, isFrozen: boolean) => Promise<string>
  /** Pays for instructions that whoever signs them has signed. */
  readonly act: (instructions: ReadonlyArray<Instruction>) => Promise<string>
  readonly faucet: KeyPairSigner
  /** Who may make tokens, of every mint of this chain. */
  readonly authority: KeyPairSigner
}

/** Makes two transactions that say the same two. */
let bid = 0n

const signed = async (
  ledger: Ledger,
  payer: KeyPairSigner,
  instructions: ReadonlyArray<Instruction>
) => {
  const [blockhash = "", height = 0n] = ledger.hashes.at(-1) ?? []
  const lifetime = {
    blockhash: blockhash as Blockhash,
    lastValidBlockHeight: height + hashLife
  }
  bid++
  const distinct = getSetComputeUnitPriceInstruction({ microLamports: bid })
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (alive) => appendTransactionMessageInstructions([distinct, ...instructions], alive)
  )
  const transaction = await signTransactionMessageWithSigners(message)
  return Uint8Array.from(getTransactionEncoder().encode(transaction))
}

export const issuer = async (ledger: Ledger, secrets: Secrets): Promise<Issuer> => {
  const faucet = await signerOf(secrets.faucet)
  const authority = await signerOf(secrets.issuer)
  const mint = await signerOf(secrets.mint)
  const { address: payer } = await signerOf(secrets.payer)
  const act = async (instructions: ReadonlyArray<Instruction>) => {
    const raw = await signed(ledger, faucet, instructions)
    const landed = land(ledger, raw, Date.now())
    if (landed._tag === "refused" || landed.entry.err !== null) {
      throw new Error(`The local Solana refused its own issuer: ${JSON.stringify(landed)}`)
    }
    return landed.entry.signature
  }
  const tokenAccount = async (owner: Address, of: Address = mint.address) =>
    (await findAssociatedTokenPda({ owner, mint: of, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]
  const issueOf = async (of: Address, owner: Address, amount: bigint) =>
    act([
      await getCreateAssociatedTokenIdempotentInstructionAsync({ payer: faucet, owner, mint: of }),
      getMintToInstruction({
        mint: of,
        token: await tokenAccount(owner, of),
        mintAuthority: authority,
        amount
      })
    ])
  if (!ledger.svm.getAccount(faucet.address).exists) {
    ledger.svm.setAccount({
      address: faucet.address,
      programAddress: SYSTEM_PROGRAM_ADDRESS,
      lamports: lamports(faucetLamports),
      data: new Uint8Array(),
      executable: false,
      space: 0n
    })
    const rent = ledger.svm.minimumBalanceForRentExemption(BigInt(mintBytes))
    await act([
      getCreateAccountInstruction({
        payer: faucet,
        newAccount: mint,
        lamports: rent,
        space: mintBytes,
        programAddress: TOKEN_PROGRAM_ADDRESS
      }),
      getInitializeMint2Instruction({
        mint: mint.address,
        decimals,
        mintAuthority: authority.address,
        freezeAuthority: authority.address
      })
    ])
  }
  return {
    mint: mint.address,
    payer,
    act,
    faucet,
    authority,
    give: (to, amount) =>
      act([getTransferSolInstruction({ source: faucet, destination: to, amount })]),
    issue: (owner, amountMicro) => issueOf(mint.address, owner, amountMicro),
    issueOf,
    setFrozen: async (owner, isFrozen) => {
      const instruction = isFrozen ? getFreezeAccountInstruction : getThawAccountInstruction
      const account = await tokenAccount(owner)
      return act([instruction({ account, mint: mint.address, owner: authority })])
    }
  }
}
