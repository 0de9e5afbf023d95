/**
 * Who pays a link: the payer of the sandbox whose link it is, or a private key in a file that nobody else can read.
 * A key pays through a node that is asked first which chain it is of. What pays is loaded when something is paid.
 */
import { readFileSync, statSync } from "node:fs"
import { Effect } from "effect"
import type { Family } from "../../../core/chains/chain.ts"
import type { SandboxFacts } from "../../sandbox/facts.ts"
import { misused, refused, unavailable } from "../exit.ts"
import type { Due } from "./due.ts"

/** Sends what is due; the transaction, once a node has it. */
export type Pay = () => Promise<string>

export const sandboxPayer = Effect.fnUntraced(function* (facts: SandboxFacts, due: Due) {
  const { make } = yield* Effect.promise(() => import("../../sandbox/trial-payer.ts"))
  const payer = make(facts)
  if (!payer.chainIds.includes(due.chain.id)) {
    return yield* refused(`The sandbox's payer has no money on ${due.chain.name}.`)
  }
  const { amountMicro, chain, pid, to, uri } = due
  const pay: Pay = async () =>
    String(await payer.pay({ pid, chainId: chain.id, to, amountMicro, uri }))
  return pay
})

/** How the chains of a family are paid on by a key. */
interface KeyPayer {
  readonly isOfChain: (rpcUrl: string, due: Due) => Promise<boolean>
  /** The key that a text holds; undefined when it holds none. */
  readonly readKey: (text: string) => string | undefined
  readonly keyForm: string
  readonly pay: (rpcUrl: string, privateKey: string, due: Due) => Promise<string>
}

const keyPayers: Readonly<Record<Family, () => Promise<KeyPayer>>> = {
  evm: async () => {
    const { isNodeOf, readPrivateKey, sendUsdc } = await import("../../../adapters/evm/usdc.ts")
    return {
      isOfChain: (rpcUrl, { chain }) => isNodeOf(rpcUrl, chain),
      readKey: readPrivateKey,
      keyForm: "64 hexadecimal digits",
      pay: (rpcUrl, privateKey, { amountMicro, to, token }) =>
        sendUsdc({ rpcUrl, privateKey, token, to, amountMicro, pollMs: 1000 })
    }
  },
  solana: async () => {
    const paying = await import("../../sandbox/solana/pay-usdc.ts")
    return {
      isOfChain: (rpcUrl, { chain }) => paying.isNodeOf(rpcUrl, chain),
      readKey: paying.readPrivateKey,
      keyForm: "the 64 bytes of a keypair in base58, or as a JSON list",
      pay: (rpcUrl, privateKey, { amountMicro, reference, to, token }) =>
        paying.payUsdc({ rpcUrl, privateKey, mint: token, to, amountMicro, reference })
    }
  }
}

const textIn = Effect.fnUntraced(function* (path: string) {
  const { mode, text } = yield* Effect.try({
    try: () => ({ mode: statSync(path).mode, text: readFileSync(path, "utf8").trim() }),
    catch: () => misused(`The key file ${path} cannot be read.`)
  })
  if ((mode & 0o077) === 0) return text
  return yield* misused(`Others can read ${path}; run: chmod 600 ${path}`)
})

export const keyPayer = Effect.fnUntraced(function* (path: string, rpcUrl: string, due: Due) {
  const { isOfChain, keyForm, pay, readKey } = yield* Effect.promise(keyPayers[due.chain.family])
  const privateKey = readKey(yield* textIn(path))
  if (privateKey === undefined) {
    return yield* misused(`${path} holds no private key for ${due.chain.name}: ${keyForm}.`)
  }
  const isRight = yield* Effect.tryPromise({
    try: () => isOfChain(rpcUrl, due),
    catch: () => unavailable("The node behind --rpc-url does not answer.")
  })
  // A node of another chain would take a payment that nobody asked for.
  if (!isRight) return yield* misused(`The node behind --rpc-url is not one of ${due.chain.name}.`)
  const paying: Pay = () => pay(rpcUrl, privateKey, due)
  return paying
})
