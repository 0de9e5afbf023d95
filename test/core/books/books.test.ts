/** Books of a period, closed in memory and held against the chain by hledger and beancount themselves. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import type { FormatName } from "../../../core/books/formats.ts"
import { daysOf } from "../../../core/books/statement.ts"
import * as Books from "../../support/bookkeeping.ts"
import * as Bridging from "../../support/bridging-treasury.ts"

const stranger = `0x${"57".repeat(20)}`

/** An hour that passes on both chains, all of it final, and what time it is. */
const timeOf = ({ treasury }: Bridging.Bridging) => ({
  passes: async () => {
    await treasury.mine(6, "local")
    await treasury.mine(6, "local-2")
    await treasury.advance("1 hour")
    await treasury.mine(6, "local")
    await treasury.mine(6, "local-2")
  },
  now: async () => DateTime.makeUnsafe(await treasury.now())
})

/** What goes on in a month of the agent's account; between the times, everything that can. */
const month = async (bridging: Bridging.Bridging) => {
  const { call, from: wallet, to, treasury } = bridging
  const { vault } = treasury.agent
  const { now, passes } = timeOf(bridging)
  await passes()
  const opening = await now()
  await passes()
  const { pid } = await call.create_payment_request({
    walletMappingId: vault.id,
    amountUsd: 49,
    description: 'Hosting; "May" | 2030,\nsecond line',
    externalReference: "-2+3, =A1"
  })
  await treasury.pay(pid)
  await treasury.send(vault.address, "0.000001", { from: stranger })
  await treasury.send(wallet.address, "7.50", { from: stranger })
  await treasury.send(stranger, "3.25", { from: wallet.address })
  await treasury.send(wallet.address, "11.00", { from: vault.address })
  await passes()
  const { recipients } = await call.list_recipients({})
  const sent = await call.propose_transfer({
    fromWalletId: wallet.id,
    recipientId: recipients[0]?.id ?? "",
    amountUsdc: "20.00"
  })
  await call.confirm_proposal({ proposalId: sent.proposalId })
  await passes()
  const first = await Bridging.startBridge(bridging)
  await Bridging.until(bridging, first, ({ status }) => status === "completed")
  await Bridging.bridgeScript(bridging, ({ provider }) => provider("is behind"))
  const second = await Bridging.startBridge(bridging)
  await Bridging.until(bridging, second, ({ subStatus }) => subStatus === "attesting")
  await passes()
  const middle = await now()
  await passes()
  await Bridging.bridgeScript(bridging, ({ provider }) => provider("answers"))
  await Bridging.until(bridging, second, ({ status }) => status === "completed")
  await passes()
  const closing = await now()
  await passes()
  return { opening, middle, closing, pid, sent: sent.proposalId, first, second, vault, wallet, to }
}

type Month = Awaited<ReturnType<typeof month>>

const world = async (body: (bridging: Bridging.Bridging, month: Month) => Promise<void>) => {
  const bridging = await Bridging.openBridging()
  try {
    await body(bridging, await month(bridging))
  } finally {
    await bridging.treasury.close()
  }
}

const write = (
  { treasury }: Bridging.Bridging,
  period: { readonly from: DateTime.Utc; readonly to: DateTime.Utc },
  format: FormatName
) => treasury.operate(Books.booksOf(treasury.agent.accountId, period, format))

const heldNow = ({ treasury }: Bridging.Bridging, address: string, chainId: string) =>
  treasury.operate(Effect.flatMap(ChainScript, (script) => script.balanceOf(address, chainId)))

const usdc = (micro: bigint): string => {
  const text = (Number(micro) / 1e6).toFixed(6)
  return `${text} USDC`
}

/** What the last rows of a CSV hold, by the names of its columns. */
const rowsOf = (text: string): ReadonlyArray<Record<string, string>> => {
  const [head = [], ...rows] = text
    .trimEnd()
    .split("\r\n")
    .map((row) =>
      [...row.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/gu)]
        .map(([, cell = ""]) => cell.replace(/^"|"$/gu, "").replaceAll('""', '"'))
        .slice(0, 21)
    )
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ""])))
}

const sumOf = (rows: ReadonlyArray<Record<string, string>>): bigint =>
  rows.reduce((sum, row) => sum + BigInt(row.amountSmallestUnit ?? "0"), 0n)

describe("the days of outlay in books", () => {
  const at = (text: string) => DateTime.makeUnsafe(text)

  it("stand in one book each, wherever periods that follow one another are cut", () => {
    const cuts = [
      "2030-01-01T00:00:00Z",
      "2030-01-02T00:00:00Z",
      "2030-01-03T12:00:00Z",
      "2030-01-03T18:00:00Z",
      "2030-01-05T00:00:00.001Z",
      "2030-01-07T00:00:00Z"
    ].map(at)
    const days = cuts.slice(1).flatMap((to, n) => {
      const { first, last } = daysOf({ from: cuts[n] ?? to, to })
      return ["01", "02", "03", "04", "05", "06", "07"]
        .map((day) => `2030-01-${day}`)
        .filter((day) => day >= first && day <= last)
    })
    assert.deepStrictEqual(
      days,
      ["01", "02", "03", "04", "05", "06"].map((day) => `2030-01-${day}`)
    )
  })
})

describe("the books of a period", () => {
  it("are taken by hledger, which computes what the chain says to the smallest unit", () =>
    world(async (bridging, { closing, opening, to, vault, wallet }) => {
      const { text } = await write(bridging, { from: opening, to: closing }, "hledger")
      const verdict = Books.checked(text)
      assert.strictEqual(verdict.stderr, "")
      assert.strictEqual(verdict.status, 0, text)
      for (const [{ address, id }, chainId] of [
        [wallet, "local"],
        [vault, "local"],
        [to, "local-2"]
      ] as const) {
        const held = await heldNow(bridging, address, chainId)
        assert.strictEqual(Books.hledgerBalance(text, id.slice(-12)), usdc(held), chainId)
      }
    }))

  it("are no longer taken by hledger when a movement is missing or another by one unit", () =>
    world(async (bridging, { closing, opening }) => {
      const { text } = await write(bridging, { from: opening, to: closing }, "hledger")
      const more = text.replaceAll("7.50 ", "7.500001 ").replaceAll("-7.50 ", "-7.500001 ")
      assert.notStrictEqual(more, text)
      assert.include(Books.checked(more).stderr, "balance assertion")
    }))

  it("have an account for what is between two chains, which is empty before and after", () =>
    world(async (bridging, { closing, middle, opening }) => {
      const first = await write(bridging, { from: opening, to: middle }, "hledger")
      assert.strictEqual(Books.checked(first.text).status, 0, first.text)
      assert.strictEqual(Books.hledgerBalance(first.text, "In-Transit"), "100.000000 USDC")
      assert.strictEqual(Books.hledgerBalance(first.text, "Expenses:Fees:Bridges"), "0.010000 USDC")
      const second = await write(bridging, { from: middle, to: closing }, "hledger")
      assert.strictEqual(Books.checked(second.text).status, 0, second.text)
      assert.deepStrictEqual(
        second.statement.inTransit.map(({ closingUnits, openingUnits }) => [
          openingUnits,
          closingUnits
        ]),
        [[100_000_000n, 0n]]
      )
      assert.strictEqual(Books.hledgerBalance(second.text, "In-Transit"), "")
      for (const [from, to, held] of [
        [opening, middle, [0n, 100_000_000n]],
        [middle, closing, [100_000_000n, 0n]],
        [opening, closing, [0n, 0n]]
      ] as const) {
        const rows = rowsOf((await write(bridging, { from, to }, "csv")).text).filter(
          ({ account }) => account?.startsWith("Assets:In-Transit")
        )
        const isClosing = ({ kind }: Record<string, string>) => kind === "closing"
        assert.deepStrictEqual<ReadonlyArray<bigint>>(
          [
            sumOf(rows.filter(({ kind }) => kind === "opening")),
            sumOf(rows.filter((row) => !isClosing(row)))
          ],
          held
        )
        assert.strictEqual(sumOf(rows.filter(isClosing)), held[1])
      }
      // What ends one period begins the next.
      for (const { closingUnits, token, wallet } of first.statement.held) {
        const next = second.statement.held.find(
          (each) => each.wallet.id === wallet.id && each.token.address === token.address
        )
        assert.strictEqual(next?.openingUnits, closingUnits)
      }
    }))

  it("name what was paid, sent and bridged, and what nobody here has done", () =>
    world(async (bridging, { closing, first, opening, pid, second, sent, vault, wallet }) => {
      const { text } = await write(bridging, { from: opening, to: closing }, "csv")
      const rows = rowsOf(text)
      const moved = rows.filter(({ kind }) => kind !== "opening" && kind !== "closing")
      assert.deepStrictEqual(
        moved
          .filter(({ kind, walletId }) => kind !== "outlay" && walletId !== "")
          .map(({ amount, kind, walletId }) => `${kind} ${amount} ${walletId?.slice(-4)}`)
          .toSorted(),
        [
          `bridge_in 99.99 ${bridging.to.id.slice(-4)}`,
          `bridge_in 99.99 ${bridging.to.id.slice(-4)}`,
          `bridge_out -100.00 ${wallet.id.slice(-4)}`,
          `bridge_out -100.00 ${wallet.id.slice(-4)}`,
          `deposit 0.000001 ${vault.id.slice(-4)}`,
          `own_transfer -11.00 ${vault.id.slice(-4)}`,
          `own_transfer 11.00 ${wallet.id.slice(-4)}`,
          `payment 49.00 ${vault.id.slice(-4)}`,
          `send -20.00 ${wallet.id.slice(-4)}`,
          `unrecorded_in 7.50 ${wallet.id.slice(-4)}`,
          `unrecorded_out -3.25 ${wallet.id.slice(-4)}`
        ].toSorted()
      )
      const of = (name: string) => moved.find(({ kind }) => kind === name)
      assert.deepInclude(of("payment"), { pid, externalReference: "'-2+3, =A1", usd: "49.00" })
      assert.strictEqual(of("send")?.proposalId, sent)
      assert.strictEqual(of("unrecorded_out")?.proposalId, "")
      const bridges = moved.filter(
        ({ kind, walletId }) => kind?.startsWith("bridge") && walletId !== ""
      )
      assert.sameMembers(
        bridges.map(({ proposalId }) => proposalId),
        [first, first, second, second]
      )
      for (const { id } of [vault, wallet, bridging.to]) {
        const own = rows.filter(({ walletId }) => walletId === id)
        const [last] = own.filter(({ kind }) => kind === "closing")
        const before = own.filter(({ kind }) => kind !== "closing")
        assert.strictEqual(sumOf(before), BigInt(last?.amountSmallestUnit ?? "-1"))
      }
    }))

  it("are taken by beancount, which refuses a unit more", () =>
    world(async (bridging, { closing, opening }) => {
      const { text } = await write(bridging, { from: opening, to: closing }, "beancount")
      const check = (books: string) => Books.run("bean-check", books, (file) => [file])
      assert.deepInclude(check(text), { status: 0, stderr: "" })
      const more = text.replaceAll("7.50 ", "7.500001 ")
      assert.include(check(more).stderr, "Balance failed")
    }))

  it("are bank statements of dollars whose lines and balances add up", () =>
    world(async (bridging, { closing, opening, wallet }) => {
      const { statement, text } = await write(bridging, { from: opening, to: closing }, "ofx")
      const own = text
        .split("<STMTTRNRS>")
        .find((each) => each.includes(`<ACCTID>${wallet.id.slice(-12)}</ACCTID>`))
      const micro = (found: RegExpMatchArray | undefined) =>
        BigInt(Math.round(Number(found?.[1]) * 1e6))
      const moved = [...(own?.matchAll(/<TRNAMT>([^<]+)/gu) ?? [])].map(micro)
      const [balance] = [...(own?.matchAll(/<BALAMT>([^<]+)/gu) ?? [])].map(micro)
      const held = statement.held.find((each) => each.wallet.id === wallet.id && each.token.isUsdc)
      assert.strictEqual(balance, held?.closingUnits)
      const sum = moved.reduce((all, each) => all + each, held?.openingUnits ?? 0n)
      assert.strictEqual(sum, balance)
      const ids = [...text.matchAll(/<FITID>([^<]+)/gu)].map(([, id]) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
      const open = [...text.matchAll(/<([A-Z0-9]+)>(?=\s*<)/gu)].map(([, name]) => name)
      for (const name of new Set(open)) {
        const count = (pattern: string) => text.split(pattern).length
        assert.strictEqual(count(`<${name}>`), count(`</${name}>`), name)
      }
    }))

  it("tell bridges apart that somebody brought in one transaction", async () => {
    const bridging = await Bridging.openBridging()
    try {
      const { now, passes } = timeOf(bridging)
      await passes()
      const from = await now()
      await Bridging.bridgeScript(bridging, ({ provider }) => provider("holds back"))
      const amounts = ["50.00", "100.00", "100.00"]
      const ids: Array<string> = []
      for (const amountUsd of amounts) {
        const id = await Bridging.startBridge(bridging, { amountUsd })
        await Bridging.until(bridging, id, ({ subStatus }) => subStatus === "attesting")
        ids.push(id)
      }
      await Bridging.bridgeScript(bridging, ({ deliverTogether }) => deliverTogether)
      await Bridging.bridgeScript(bridging, ({ provider }) => provider("answers"))
      for (const id of ids) {
        await Bridging.until(bridging, id, ({ status }) => status === "completed")
      }
      await passes()
      const { text } = await write(bridging, { from, to: await now() }, "csv")
      const came = rowsOf(text).filter(
        ({ kind, walletId }) => kind === "bridge_in" && walletId !== ""
      )
      const transactions = [...new Set(came.map(({ transaction }) => transaction))]
      assert.lengthOf(transactions, 1, text)
      assert.match(transactions[0] ?? "", /^0x[0-9a-f]{64}$/u)
      assert.sameMembers(
        came.map(({ amount, proposalId }) => `${amount} ${proposalId}`),
        [`49.995 ${ids[0]}`, `99.99 ${ids[1]}`, `99.99 ${ids[2]}`]
      )
    } finally {
      await bridging.treasury.close()
    }
  })
})
