/**
 * Injected wallets (EIP-6963, EIP-1193) without a library. The call is the server's, handed on as it is;
 * the page never puts an address and an amount together.
 */
import type { PaymentCall } from "../../../core/payments/payment-call.ts"
import type { Live, Wallet } from "./live.ts"

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

const found = new Map<string, Announced>()

const walletOf = ({ info }: Announced): Wallet => ({
  id: info.uuid,
  name: info.name,
  icon: info.icon.startsWith("data:image/") ? info.icon : null
})

/** Tells which wallets there are, again with each that says so. */
export const walletsFound = (tell: (wallets: ReadonlyArray<Wallet>) => void): void => {
  addEventListener("eip6963:announceProvider", (event) => {
    const announced = (event as CustomEvent<Announced>).detail
    found.set(announced.info.uuid, announced)
    tell([...found.values()].map(walletOf))
  })
  dispatchEvent(new Event("eip6963:requestProvider"))
}

const notes: Readonly<Record<number, string>> = {
  4001: "You declined in the wallet. Nothing was sent.",
  4902: "Your wallet does not know this network. Add it there, or pay by the QR code."
}

const failed = (error: unknown): Partial<Live> => ({
  note:
    notes[(error as { readonly code?: number }).code ?? 0] ??
    "The wallet could not send this payment. Look there before you try again."
})

export const payWith = async (walletId: string, pid: string): Promise<Partial<Live>> => {
  const provider = found.get(walletId)?.provider
  if (provider === undefined) return { note: "This wallet is gone; load the page again." }
  try {
    const answer = await fetch(`/pay/${pid}/call`)
    if (!answer.ok) return { note: "There is nothing to pay here any more." }
    const { chainId, ...call } = (await answer.json()) as PaymentCall
    const [from] = (await provider.request({ method: "eth_requestAccounts" })) as [string]
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] })
    await provider.request({ method: "eth_sendTransaction", params: [{ from, ...call }] })
    return { note: "Sent. This page changes as soon as the network has it." }
  } catch (error) {
    return failed(error)
  }
}

export const signFor = async (): Promise<Partial<Live>> => ({})
