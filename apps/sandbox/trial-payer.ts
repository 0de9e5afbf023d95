/** The sandbox's payer behind the button of its payment pages: it sends its USDC, which is worth nothing, on either chain. */
import { sendUsdc } from "../../adapters/evm/usdc.ts"
import type { SandboxFacts } from "./facts.ts"
import { payUsdc } from "./solana/pay-usdc.ts"

type Parts = Pick<SandboxFacts, "chain" | "payer" | "solana">

interface Due {
  readonly pid: string
  readonly chainId: string
  readonly to: string
  readonly amountMicro: bigint
  /** What a wallet would read to pay it. */
  readonly uri: string
}

const referenceIn = (uri: string): string | undefined =>
  URL.parse(uri)?.searchParams.get("reference") ?? undefined

const send = async ({ chain, payer, solana }: Parts, { amountMicro, chainId, to, uri }: Due) => {
  if (chainId === chain.chainId) {
    const { rpcUrl, usdc: token } = chain
    return sendUsdc({ rpcUrl, token, privateKey: payer.privateKey, to, amountMicro })
  }
  if (!solana || chainId !== solana.chainId) throw new Error(`it has nothing on ${chainId}`)
  return payUsdc({
    rpcUrl: solana.rpcUrl,
    privateKey: solana.payer.privateKey,
    mint: solana.usdc,
    to,
    amountMicro,
    reference: referenceIn(uri),
    pollMs: 200
  })
}

/**
 * One payment at a time: two that start at once would take the same place in the payer's order. Whoever presses the
 * button twice has paid once, until something else is due; what failed may be tried again.
 */
export const payingOnce = (pay: (due: Due) => Promise<unknown>) => {
  const paid = new Map<string, Promise<unknown>>()
  let last: Promise<unknown> = Promise.resolve()
  return (due: Due): Promise<unknown> => {
    const name = `${due.pid} ${due.amountMicro}`
    const earlier = paid.get(name)
    if (earlier !== undefined) return earlier
    const sent = last.then(() => pay(due))
    paid.set(name, sent)
    last = sent.catch(() => paid.delete(name))
    return sent
  }
}

export const make = (parts: Parts) => ({
  chainIds: [parts.chain.chainId, ...(parts.solana ? [parts.solana.chainId] : [])],
  pay: payingOnce((due) => send(parts, due))
})
