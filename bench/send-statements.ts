/**
 * What one send says to the database, statement by statement, from its proposal to its end: run by hand when
 * something of a send changes. What is one statement on the wire is one line. With `text` as argument it prints each
 * statement whole; with `many` it says how often each is said for one of sixteen sends that go on at once.
 */
import { Effect, Layer } from "effect"
import * as Anvil from "../apps/sandbox/anvil.ts"
import * as CircleUsdc from "../apps/sandbox/circle-usdc.ts"
import { authenticate } from "../core/accounts/authenticate.ts"
import { Address } from "../core/chains/address.ts"
import * as Chain from "../core/chains/chain.ts"
import { EvmRelay } from "../core/evm/relay.ts"
import * as Advance from "../core/submissions/advance.ts"
import { seedAccounts } from "../core/treasury/seed.ts"
import { callsOf } from "../core/treasury/treasury.ts"
import * as Database from "./database.ts"
import * as Ports from "./ports.ts"
import * as Send from "./send.ts"
import * as Statements from "./statements.ts"

const amountMicro = 10_000n
const plentyWei = `0x${(10n ** 24n).toString(16)}`

const openGround = Effect.gen(function* () {
  const anvil = yield* Anvil.start()
  const usdc = yield* CircleUsdc.deploy(anvil)
  return { anvil, usdc }
})

type Ground = Effect.Success<typeof openGround>

const sender = Effect.fnUntraced(function* ({ anvil, usdc }: Ground) {
  const { apiKey, wallet } = yield* seedAccounts({
    kind: "agent",
    name: "Purchasing agent",
    tier: "startup",
    chainId: "local",
    customer: { externalId: "customer", namespace: "default" },
    payee: { label: "Payee", address: Address.make(`0x${"70".repeat(20)}`) }
  })
  yield* anvil.call("evm_setAutomine", false)
  yield* CircleUsdc.mint(anvil, usdc, wallet.address, amountMicro * 100n)
  yield* anvil.call("evm_setAutomine", true)
  const relayer = yield* (yield* EvmRelay).relayerAddress("local")
  yield* anvil.call("anvil_setBalance", relayer, plentyWei)
  const calls = callsOf(yield* authenticate(apiKey))
  const { recipients } = yield* calls.list_recipients({})
  const input = {
    recipientId: recipients[0]?.id ?? "",
    fromWalletId: wallet.id,
    amountUsdc: "0.01"
  }
  return { calls, input }
})

type Sender = Effect.Success<ReturnType<typeof sender>>

/** One send, phase by phase, with what each says. */
const phases = Effect.fnUntraced(function* ({ calls, input }: Sender, n: number) {
  let proposalId = ""
  const proposed = yield* Statements.said(
    Effect.map(calls.propose_transfer(input, { idempotencyKey: `propose-${n}` }), (view) => {
      proposalId = view.proposalId
    })
  )
  const confirmed = yield* Statements.said(
    calls.confirm_proposal({ proposalId }, { idempotencyKey: `confirm-${n}` })
  )
  const { claim } = yield* Advance.make
  const turn = Effect.flatMap(claim(10), (due) => Effect.forEach(due, Advance.advance))
  const turns: Array<ReadonlyArray<string>> = []
  for (let at = 0; at < 10; at++) {
    const said = yield* Statements.said(turn)
    turns.push(said)
    const { status } = yield* calls.get_proposal({ proposalId })
    if (status !== "executing") break
    yield* Effect.sleep("300 millis")
  }
  return { proposed, confirmed, carried: turns.flat() }
})

const isWhole = process.argv.includes("text")

/** What opens and ends a transaction is not counted. */
const opening = /^\s*(?:begin|commit|savepoint|release)\b/iu

/** The verbs and tables of a statement, which may be several questions and writes at once. */
const gistOf = (statement: string): string =>
  [
    ...statement.matchAll(
      /\b(?:(?:select|delete)\b(?:(?!\bselect\b).)*?\bfrom|insert\s+into|update(?=\s+"?\w+"?\s+set)|select (?=pg_))\s*"?\w+/gisu
    )
  ]
    .map(([words]) => `${/^\w+/u.exec(words)?.[0] ?? ""} ${/\w+$/u.exec(words)?.[0] ?? ""}`)
    .filter((each) => !/ (?:unnest|write_\d+|q|written)$/u.test(each))
    .join(" + ")

const print = (name: string, said: ReadonlyArray<string>) => {
  const shown = isWhole ? (each: string) => each.replaceAll(/\s+/gu, " ").trim() : gistOf
  const within = said.filter((each) => !opening.test(each))
  console.log(`\n${name}: ${within.length}`)
  for (const each of within) console.log(`  ${shown(each)}`)
  return within.length
}

const listed = Effect.fnUntraced(function* (url: string) {
  const ground = yield* openGround
  const chain = Chain.find("local")
  if (chain === undefined) return yield* Effect.die(new Error("The local chain is not known."))
  const { rpcUrl } = ground.anvil
  const connection = { chain, usdc: ground.usdc, rpcUrl, confirmations: 1, pollMs: 50 }
  const ports = Ports.onPostgres(url, { chains: [connection] })
  return yield* Effect.gen(function* () {
    const own = yield* sender(ground)
    // The first ones say apart what is one statement once it is known what each part gives.
    for (const n of [0, 1]) yield* phases(own, n)
    const said = yield* phases(own, 2)
    const counts = Object.entries(said).map(([name, statements]) => print(name, statements))
    console.log(`\nin all: ${counts.reduce((sum, each) => sum + each, 0)}`)
  }).pipe(Effect.provide(Layer.fresh(ports)))
})

/** Who goes on with others shares what is asked in one turn; the background's own statements are among these. */
const counted = Effect.fnUntraced(function* (url: string) {
  const { ours } = yield* Send.opened(url)
  const round = Effect.promise(Send.carried(ours.once, Send.sends, Send.atOnce))
  yield* Effect.repeat(round, { times: 1 })
  const said = (yield* Statements.said(round)).filter((each) => !opening.test(each))
  const perSend = (statements: ReadonlyArray<string>) => (statements.length / Send.sends).toFixed(2)
  const groups = [...Map.groupBy(said, gistOf)].toSorted(([, a], [, b]) => b.length - a.length)
  for (const [gist, statements] of groups) console.log(`${perSend(statements)}  ${gist}`)
  console.log(`\nin all, for each of ${Send.atOnce} at once: ${perSend(said)}`)
})

const database = await Database.open()
try {
  const work = process.argv.includes("many") ? counted(database.url) : listed(database.url)
  await Effect.runPromise(Effect.scoped(work) as Effect.Effect<void>)
} finally {
  await database.stop()
}
