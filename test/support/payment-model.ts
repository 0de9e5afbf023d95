/**
 * What money counts for, told a second time and in another way: from facts alone, in plain loops, with
 * settlements, chains and vaults beside one another. It shares no line with the core.
 */

export interface Asked {
  readonly vault: number
  readonly amountMicro: bigint
  closed: "cancelled" | "expired" | undefined
  isPaid: boolean
  receivedMicro: bigint
}

/** A payer's signature for a request. */
export interface Signed {
  readonly asked: number
  readonly nonce: string
  readonly payer: string
  readonly amountMicro: bigint
  fate: "coming" | "paid" | "failed"
  /** The money that it became, once the records know so. */
  money: number | undefined
}

export interface Money {
  readonly txHash: string
  readonly vault: number
  readonly payer: string
  readonly amountMicro: bigint
  readonly nonce: string | undefined
  blockNumber: number
  state: "seen" | "final" | "dropped"
  /** The request it counts for. */
  credit: number | undefined
}

const dustMicro = 10_000n

export class PaymentModel {
  readonly asked: Array<Asked> = []
  readonly signed: Array<Signed> = []
  readonly money: Array<Money> = []

  /** Signed money that is not in the records as money yet. */
  #comingMicro(asked: number): bigint {
    let coming = 0n
    for (const each of this.signed) {
      if (each.asked !== asked || each.fate === "failed") continue
      const money = each.money === undefined ? undefined : this.money[each.money]
      if (each.fate === "paid" && money !== undefined) continue
      const isThere = money !== undefined && money.state !== "dropped" && money.credit === asked
      if (!isThere) coming += each.amountMicro
    }
    return coming
  }

  #sums(asked: number): { readonly final: bigint; readonly onItsWay: bigint } {
    let [final, onItsWay] = [0n, this.#comingMicro(asked)]
    for (const each of this.money) {
      if (each.credit !== asked) continue
      if (each.state === "final") final += each.amountMicro
      if (each.state === "seen") onItsWay += each.amountMicro
    }
    return { final, onItsWay }
  }

  /** What is neither come nor on its way; nothing once it is closed or paid. */
  owedMicro(asked: number): bigint {
    const one = this.asked[asked]
    if (one === undefined || one.closed !== undefined || one.isPaid) return 0n
    const { final, onItsWay } = this.#sums(asked)
    const left = one.amountMicro - final - onItsWay
    return left > 0n ? left : 0n
  }

  status(asked: number): string {
    const one = this.asked[asked] as Asked
    if (one.closed !== undefined) return one.closed
    if (one.isPaid) return "paid"
    const { final, onItsWay } = this.#sums(asked)
    return onItsWay > 0n ? "processing" : final > 0n ? "partially_paid" : "open"
  }

  /** Paid once is paid for ever; only more money is written down on top of that. */
  settle(): void {
    for (const [place, one] of this.asked.entries()) {
      if (one.closed !== undefined) continue
      const { final } = this.#sums(place)
      if (final >= one.amountMicro) one.isPaid = true
      if (!one.isPaid || final >= one.amountMicro) one.receivedMicro = final
    }
  }

  /** Says what the money counts for, as it comes in a block. */
  place(money: number): void {
    const one = this.money[money] as Money
    one.credit = undefined
    const bySignature = this.signed.find(
      ({ nonce, payer }) => nonce === one.nonce && payer === one.payer
    )
    if (bySignature !== undefined) {
      const meant = this.asked[bySignature.asked] as Asked
      if (meant.vault === one.vault && meant.closed === undefined) {
        one.credit = bySignature.asked
        bySignature.money = money
        return
      }
    }
    const open: Array<number> = []
    for (const [place, each] of this.asked.entries()) {
      if (each.vault === one.vault && each.closed === undefined && !each.isPaid) open.push(place)
    }
    const lacking = open.filter((place) => this.owedMicro(place) === one.amountMicro)
    const [only] = open
    if (open.length === 1 && only !== undefined) {
      const owed = this.owedMicro(only)
      const completes = owed > 0n && one.amountMicro >= owed
      if (one.amountMicro >= dustMicro || completes) one.credit = only
    } else if (lacking.length === 1) {
      one.credit = lacking[0]
    }
  }

  /** A settlement has ended as paid by a transaction; it takes for its own what nothing else has. */
  endPaid(signed: number): void {
    const one = this.signed[signed] as Signed
    one.fate = "paid"
    if (one.money !== undefined) return
    const meant = this.asked[one.asked] as Asked
    const money = this.money.findIndex(
      (each) => each.nonce === one.nonce && each.state !== "dropped" && each.vault === meant.vault
    )
    const found = this.money[money]
    if (found === undefined) return
    one.money = money
    if (found.credit === undefined) found.credit = one.asked
  }
}
