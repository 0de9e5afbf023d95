/**
 * Injected wallets (EIP-6963, EIP-1193) without a library. The call is the server's, handed on as it is;
 * the page never puts an address and an amount together.
 */
import type { WalletCall } from "../../../core/chains/family.ts"
import type { Live, Wallet } from "./live.ts"
import type { Words } from "./words/words.ts"

interface Provider {
  readonly request: (asked: {
    readonly method: string
    readonly params?: unknown
  }) => Promise<unknown>
}

interface Announced {
  readonly info: { readonly uuid: string; readonly name: string; readonly icon: string }
  readonly provider: Provider
}

const wallets = new Map<string, Announced>()

const walletOf = ({ info }: Announced): Wallet => ({
  id: info.uuid,
  name: info.name,
  icon: info.icon.startsWith("data:image/") ? info.icon : null
})

/** Tells which wallets there are, again with each that says so. */
export const walletsFound = (tell: (wallets: ReadonlyArray<Wallet>) => void): void => {
  addEventListener("eip6963:announceProvider", (event) => {
    const announced = (event as CustomEvent<Announced>).detail
    wallets.set(announced.info.uuid, announced)
    tell([...wallets.values()].map(walletOf))
  })
  dispatchEvent(new Event("eip6963:requestProvider"))
}

/** By the code of a provider's error. */
const failures: Readonly<Record<number, keyof Words>> = {
  4001: "declined",
  4902: "unknownNetwork"
}

const failed = (error: unknown, words: Words): Partial<Live> => ({
  note: words[failures[(error as { readonly code?: number }).code ?? 0] ?? "walletFailed"]
})

interface Sent {
  readonly provider: Provider
  readonly pid: string
  readonly payerAddress: string
  readonly txHash: string
  /** What the payer is to sign, once the server has said so. */
  message: string | null
}

/** What was sent from this page, for as long as it is open. */
let payment: Sent | undefined

/** Tells the server of the transaction; gives back what is to be signed, if anything is. */
const claim = async ({ pid, txHash }: Sent, signed?: object): Promise<string | null> => {
  const answer = await fetch(`/pay/${pid}/claims`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ txHash, ...signed })
  })
  if (!answer.ok) throw new Error(`The server answered the claim with status ${answer.status}.`)
  return ((await answer.json()) as { readonly sign: string | null }).sign
}

const onItsWay = (words: Words): Partial<Live> => ({ stage: "sent", note: words.onItsWay })

/** From here on money may have moved: nothing that fails offers to pay again. */
const afterPayment = async (payment: Sent, words: Words): Promise<Partial<Live>> => {
  try {
    payment.message = await claim(payment)
    return payment.message === null ? onItsWay(words) : { stage: "sign", note: words.signAmount }
  } catch {
    return onItsWay(words)
  }
}

export const payWith = async (
  walletId: string,
  pid: string,
  words: Words
): Promise<Partial<Live>> => {
  const provider = wallets.get(walletId)?.provider
  if (provider === undefined) return { note: words.walletGone }
  try {
    const answer = await fetch(`/pay/${pid}/call`)
    if (!answer.ok) return { note: words.notPayable }
    const { chainId, ...call } = (await answer.json()) as WalletCall
    const [from] = (await provider.request({ method: "eth_requestAccounts" })) as [string]
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] })
    const params = [{ from, ...call }]
    const txHash = String(await provider.request({ method: "eth_sendTransaction", params }))
    payment = { provider, pid, payerAddress: from, txHash, message: null }
  } catch (error) {
    return failed(error, words)
  }
  return afterPayment(payment, words)
}

const hexadecimal = (text: string) =>
  `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`

/** Signs which request was paid, when the amount does not say it. */
export const signClaim = async (words: Words): Promise<Partial<Live>> => {
  if (payment === undefined || payment.message === null) return onItsWay(words)
  const { message, payerAddress, provider } = payment
  try {
    const params = [hexadecimal(message), payerAddress]
    const signature = String(await provider.request({ method: "personal_sign", params }))
    await claim(payment, { payerAddress, signature })
    return onItsWay(words)
  } catch {
    return { note: words.notSigned }
  }
}
