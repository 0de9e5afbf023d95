/**
 * Wallets of the Wallet Standard without a library. The transaction is the server's, handed on as it is, and the wallet
 * signs and sends it; the request is named in it, so nothing has to be claimed afterwards.
 */
import type { Live, Wallet } from "./live.ts"
import type { Answer } from "./payer-transactions.ts"
import { filled, sumIn, type Words } from "./words/words.ts"

interface Account {
  readonly address: string
  readonly chains: ReadonlyArray<string>
}

interface Standard {
  readonly name: string
  readonly icon: string
  readonly accounts: ReadonlyArray<Account>
  readonly features: {
    readonly "standard:connect"?: {
      readonly connect: () => Promise<{ readonly accounts: ReadonlyArray<Account> }>
    }
    readonly "solana:signAndSendTransaction"?: {
      readonly signAndSendTransaction: (sending: {
        readonly account: Account
        readonly chain: string
        readonly transaction: Uint8Array
      }) => Promise<unknown>
    }
  }
}

const wallets = new Map<string, Standard>()

const walletOf = ([id, { icon, name }]: [string, Standard]): Wallet => ({
  id,
  name,
  icon: icon.startsWith("data:image/") ? icon : null
})

/** Tells which wallets can sign and send, again with each that comes or goes. */
export const standardWallets = (tell: (wallets: ReadonlyArray<Wallet>) => void): void => {
  const say = () => tell([...wallets].map(walletOf))
  const register = (...all: ReadonlyArray<Standard>) => {
    const able = all.filter(({ features }) => "solana:signAndSendTransaction" in features)
    for (const wallet of able) wallets.set(`standard ${wallet.name}`, wallet)
    say()
    return () => {
      for (const { name } of able) wallets.delete(`standard ${name}`)
      say()
    }
  }
  addEventListener("wallet-standard:register-wallet", (event) =>
    (event as CustomEvent<(api: { readonly register: typeof register }) => void>).detail({
      register
    })
  )
  dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: { register } }))
}

/** Bytes of base64. */
const bytesOf = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))

const declined = 4001

interface Due {
  readonly pid: string
  readonly chain: string
  readonly chainName: string
  readonly amount: string
  readonly symbol: string
}

/** What a payer reads when no transaction was made; nothing was sent in any case. */
export const refusalIn = (status: number, words: Words): string => {
  switch (status) {
    case 400:
      return words.otherAccount
    case 404:
      return words.notPayable
    case 429:
      return words.tooOften
    default:
      return words.notReady
  }
}

/** The transaction, or what to tell the payer in its place. */
const madeFor = async (payerAddress: string, due: Due, words: Words) => {
  const response = await fetch(`/pay/${due.pid}/transactions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ payerAddress })
  })
  if (!response.ok) return { note: refusalIn(response.status, words) }
  const answer = (await response.json()) as Answer
  if (answer._tag === "made") return bytesOf(answer.transaction)
  const values = { network: due.chainName, due: `${sumIn(due.amount, words)} ${due.symbol}` }
  return answer._tag === "no_coin"
    ? { note: filled(words.noCoin, values) }
    : {
        note: filled(words.tooLittle, {
          ...values,
          held: `${sumIn(answer.held, words)} ${due.symbol}`
        })
      }
}

export const payByStandard = async (
  walletId: string,
  due: Due,
  words: Words
): Promise<Partial<Live>> => {
  const wallet = wallets.get(walletId)
  const sender = wallet?.features["solana:signAndSendTransaction"]
  if (wallet === undefined || sender === undefined) return { note: words.walletGone }
  try {
    const { chain } = due
    const connected = await wallet.features["standard:connect"]?.connect()
    const account = (connected?.accounts ?? wallet.accounts).find(({ chains }) =>
      chains.includes(chain)
    )
    if (account === undefined) return { note: words.unknownNetwork }
    const transaction = await madeFor(account.address, due, words)
    if ("note" in transaction) return transaction
    await sender.signAndSendTransaction({ account, chain, transaction })
    return { stage: "sent", note: words.onItsWay }
  } catch (error) {
    const isDeclined = (error as { readonly code?: number }).code === declined
    return { note: isDeclined ? words.declined : words.walletFailed }
  }
}
