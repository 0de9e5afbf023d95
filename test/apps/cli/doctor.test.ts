/** What `bursar doctor` says of installations that work, that lack something and that are broken. */
import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as KeyMaterial from "../../../adapters/postgres/key-material.ts"
import { lineName } from "../../../adapters/postgres/line-now.ts"
import * as Operator from "../../../apps/cli/operator/listen.ts"
import * as Wire from "../../../apps/cli/operator/wire.ts"
import { office } from "../../../apps/cli/operator/wiring.ts"
import type { Finding } from "../../../apps/doctor/finding.ts"
import * as Nodes from "../../../apps/doctor/nodes.ts"
import * as Relayers from "../../../apps/doctor/relayers.ts"
import * as Trades from "../../../apps/doctor/trades.ts"
import { holdings, nodesOf } from "../../../apps/doctor/wiring.ts"
import * as Configuration from "../../../apps/server/configuration.ts"
import { solanaRelayer } from "../../../apps/server/wiring.ts"
import { Address } from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import type { Line } from "../../../core/timeline/timeline.ts"
import * as Anvil from "../../support/anvil.ts"
import { AnvilChain } from "../../support/anvil.ts"
import { ran } from "../../support/command-line.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as MailServer from "../../support/mail-server.ts"
import * as ShiftedClock from "../../support/shifted-clock.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import * as WaitQueue from "../../support/wait-queue.ts"

const directory = temporaryFolder("bursar-doctor-")

const doctor = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const { exitCode, stdout } = yield* ran(["doctor", "--json"], environment)
  const findings: ReadonlyArray<Finding> = JSON.parse(stdout).findings
  return { exitCode, of: (part: string) => findings.find((each) => each.part === part) }
})

/** A service that has the data directory open, and answers each command as another version would. */
const answering = (
  home: string,
  answer: (asked: typeof Wire.Asked.Type) => Wire.Ended & { readonly text: string }
) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        socket.once("data", (line) => {
          const { exitCode, text } = answer(JSON.parse(line.toString("utf8")))
          const told = [{ to: "stdout", text }, { exitCode }]
          socket.end(told.map((each) => `${JSON.stringify(each)}\n`).join(""))
        })
      })
      server.listen(Wire.socketIn(home), () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )

describe("the doctor", () => {
  it.live("finds nothing wrong where nothing is, and makes nothing", () =>
    Effect.gen(function* () {
      const home = yield* directory
      const { port } = yield* MailServer.open()
      const environment = {
        BURSAR_DATA_DIR: join(home, "data"),
        BURSAR_SMTP_URL: `smtp://127.0.0.1:${port}`,
        BURSAR_SMTP_TLS: "off",
        PUBLIC_URL: "https://pay.example",
        BURSAR_PROXIES: "1"
      }
      const before = yield* doctor(environment)
      assert.strictEqual(before.exitCode, 0)
      assert.strictEqual(before.of("database")?.status, "warning")
      assert.strictEqual(before.of("mail")?.status, "ok")
      assert.strictEqual(before.of("site")?.status, "ok")
      yield* ran(["migrate"], environment)
      const after = yield* doctor(environment)
      assert.strictEqual(after.of("database")?.status, "ok")
      assert.strictEqual(after.of("trades")?.status, "ok")
      assert.strictEqual((yield* doctor(environment)).of("data directory")?.status, "ok")
    }).pipe(Effect.scoped)
  )

  it("tells of each trade that is stuck what it waits for", () => {
    assert.deepStrictEqual(Trades.examine(undefined), [])
    assert.deepInclude(Trades.examine([])[0] ?? {}, { part: "trades", status: "ok" })
    const reason = "The attestation service attests another burn than the chain has."
    const wait = { proposalId: "prop_1", kind: "mint", chainId: "local-2", reason } as const
    const [found] = Trades.examine([wait])
    assert.strictEqual(found?.status, "warning")
    assert.match(
      found?.message ?? "",
      /prop_1 is stuck at its step mint on local-2: The attestation/u
    )
  })

  it.live("asks the service that has the database open", () =>
    Effect.gen(function* () {
      const environment = { BURSAR_DATA_DIR: join(yield* directory, "data") }
      const records = office(Configuration.read(environment))
      yield* Layer.build(Layer.provideMerge(Operator.layer(environment.BURSAR_DATA_DIR), records))
      assert.deepInclude((yield* doctor(environment)).of("database"), {
        status: "ok",
        message: "The running service has it open, and answers."
      })
    }).pipe(Effect.scoped)
  )

  it.live("says what a running service of another version did not tell it", () =>
    Effect.gen(function* () {
      const home = join(yield* directory, "data")
      const environment = { BURSAR_DATA_DIR: home }
      yield* Layer.build(office(Configuration.read(environment)))
      yield* answering(home, ({ words }) =>
        words[0] === "relayers"
          ? { text: JSON.stringify({ relayer: "0x01" }), exitCode: 0 }
          : { text: "There is no such command.", exitCode: 1 }
      )
      const { of } = yield* doctor(environment)
      assert.strictEqual(of("database")?.status, "ok")
      for (const part of ["trades", "unread chains", "relayers"]) {
        assert.strictEqual(of(part)?.status, "warning", part)
        assert.include(of(part)?.message, "did not say", part)
      }
    }).pipe(Effect.scoped)
  )

  it.live("tells of stuck trades, whoever has the database open", () =>
    Effect.gen(function* () {
      const environment = { BURSAR_DATA_DIR: join(yield* directory, "data") }
      const records = office(Configuration.read(environment))
      const reason = "The attestation service has not attested it yet."
      const stick = Effect.gen(function* () {
        yield* WaitQueue.queued([0])
        const [claimed] = yield* WaitQueue.claimAt(0)
        if (claimed === undefined) return assert.fail("one should be claimed")
        const { lease, wait } = claimed
        yield* WaitQueue.conclude(lease, { ...wait, isStuck: true, reason })
        return wait
      })
      const { proposalId } = yield* Effect.provide(stick, records)
      const alone = yield* doctor(environment)
      yield* Layer.build(Layer.provideMerge(Operator.layer(environment.BURSAR_DATA_DIR), records))
      const beside = yield* doctor(environment)
      for (const { of } of [alone, beside]) {
        assert.strictEqual(of("trades")?.status, "warning")
        assert.include(of("trades")?.message, `${proposalId} is stuck at its step fill on base`)
        assert.include(of("trades")?.message, reason)
      }
      const listed = JSON.parse((yield* ran(["stuck-trades", "--json"], environment)).stdout)
      assert.deepStrictEqual(listed, {
        stuck: [{ proposalId, kind: "fill", chainId: "base", reason }]
      })
    }).pipe(Effect.scoped)
  )

  it.live("tells of a chain that was not read, whoever has the database open", () =>
    Effect.gen(function* () {
      const environment = {
        BURSAR_DATA_DIR: join(yield* directory, "data"),
        BURSAR_CHAINS: "base",
        BURSAR_RPC_BASE: "http://127.0.0.1:1"
      }
      const records = office(Configuration.read(environment))
      const since = "2030-01-01T00:00:00.000Z"
      const line: Line = {
        ...{ number: 2, server: "one", begunAt: since, keyStore: null, through: {}, held: null },
        connectedAt: { base: since, polygon: since }
      }
      yield* Effect.provide(KeyMaterial.keep(lineName, JSON.stringify(line)), records)
      const alone = yield* doctor(environment)
      yield* Layer.build(Layer.provideMerge(Operator.layer(environment.BURSAR_DATA_DIR), records))
      const beside = yield* doctor(environment)
      for (const { of } of [alone, beside]) {
        assert.strictEqual(of("unread chain base")?.status, "warning")
        assert.include(of("unread chain base")?.message, `connected since ${since}`)
        assert.isUndefined(of("unread chain polygon"), "it is connected no more")
      }
      const listed = JSON.parse((yield* ran(["unread-chains", "--json"], environment)).stdout)
      assert.deepInclude(listed.unread, { chainId: "base", since })
    }).pipe(Effect.scoped)
  )

  it.live(
    "says which relayer to fund, whoever has the database open",
    () =>
      Effect.gen(function* () {
        const environment = {
          BURSAR_DATA_DIR: join(yield* directory, "data"),
          BURSAR_CHAINS: "base,solana",
          BURSAR_RPC_BASE: "http://127.0.0.1:1",
          BURSAR_RPC_SOLANA: "http://127.0.0.1:1"
        }
        const records = office(Configuration.read(environment))
        const solana = yield* Effect.provide(solanaRelayer, records)
        const alone = yield* doctor(environment)
        yield* Layer.build(Layer.provideMerge(Operator.layer(environment.BURSAR_DATA_DIR), records))
        const beside = yield* doctor(environment)
        const { addresses } = JSON.parse((yield* ran(["relayers", "--json"], environment)).stdout)
        assert.match(addresses.evm, /^0x[0-9a-fA-F]{40}$/u)
        assert.strictEqual(addresses.solana, solana)
        for (const { of } of [alone, beside]) {
          assert.strictEqual(of("relayer base")?.status, "warning")
          assert.include(of("relayer base")?.message, addresses.evm)
          assert.include(of("relayer solana")?.message, addresses.solana)
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live("says of each part that fails what to do, and exits with 1", () =>
    Effect.gen(function* () {
      const home = yield* directory
      const unreadable = yield* doctor({ BURSAR_DATA_DIR: home, BURSAR_CHAINS: "moon" })
      assert.strictEqual(unreadable.exitCode, 1)
      assert.include(unreadable.of("settings")?.message, "unknown chain moon")

      const data = join(home, "data")
      mkdirSync(join(data, "postgres"), { recursive: true })
      chmodSync(data, 0o700)
      const { exitCode, of } = yield* doctor({
        DATABASE_URL: "postgres://127.0.0.1:1/none",
        BURSAR_DATA_DIR: data,
        BURSAR_CHAINS: "base",
        BURSAR_RPC_BASE: "http://127.0.0.1:1",
        BURSAR_SECOND_RPC_BASE: "http://127.0.0.1:1",
        BURSAR_SMTP_URL: "smtp://127.0.0.1:1",
        REDIS_URL: "redis://127.0.0.1:1",
        PUBLIC_URL: "http://pay.example"
      })
      assert.strictEqual(exitCode, 1)
      for (const [part, text] of [
        ["database", "The database cannot be used"],
        ["chain base", "unreachable"],
        ["chain base, node 2", "unreachable"],
        ["mail", "Check BURSAR_SMTP_URL"],
        ["site", "no passkey without https"]
      ] as const) {
        assert.strictEqual(of(part)?.status, "problem", part)
        assert.include(of(part)?.message, text)
      }
      assert.deepInclude(of("redis"), { status: "warning" })
    }).pipe(Effect.scoped)
  )

  it.live("leaves an empty database empty, and makes no keys for it", () =>
    Effect.gen(function* () {
      const home = join(yield* directory, "data")
      const address = yield* FreshDatabase.url("empty")
      const { exitCode, of } = yield* doctor({ BURSAR_DATA_DIR: home, DATABASE_URL: address })
      assert.strictEqual(exitCode, 0)
      assert.strictEqual(of("database")?.status, "warning")
      assert.include(of("database")?.message, "is empty")
      const tables = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`select table_name from information_schema.tables where table_schema = 'public'`
      )
      const engine = FreshDatabase.engineAt(address, 1)
      assert.deepStrictEqual(yield* Effect.provide(tables, engine), [])
      assert.isFalse(existsSync(home))
    }).pipe(Effect.scoped)
  )

  it.live("says which key is missing, and puts none in its place", () =>
    Effect.gen(function* () {
      const home = join(yield* directory, "data")
      const environment = { BURSAR_DATA_DIR: home }
      yield* ran(["accounts", "open", "--name", "Shop", "--kind", "developer"], environment)
      assert.strictEqual((yield* doctor(environment)).of("database")?.status, "ok")
      const key = join(home, "key-encryption-key")
      rmSync(key)
      const { exitCode, of } = yield* doctor(environment)
      assert.strictEqual(exitCode, 1)
      assert.strictEqual(of("database")?.status, "problem")
      assert.include(of("database")?.message, `${key} is missing`)
      assert.isFalse(existsSync(key))
    }).pipe(Effect.scoped)
  )

  it.live("says of a database that refuses us what to correct", () =>
    Effect.gen(function* () {
      const home = join(yield* directory, "data")
      const address = yield* FreshDatabase.url("empty")
      const told = (DATABASE_URL: string) =>
        Effect.map(
          doctor({ BURSAR_DATA_DIR: home, DATABASE_URL }),
          ({ of }) => of("database")?.message
        )
      const [elsewhere, unnamed] = [new URL(address), new URL(address)]
      elsewhere.port = "1"
      unnamed.pathname = "/treasury"
      assert.match((yield* told(elsewhere.href)) ?? "", /ECONNREFUSED.*start PostgreSQL/u)
      assert.match(
        (yield* told(unnamed.href)) ?? "",
        /"treasury" does not exist\. Create it with createdb/u
      )
    }).pipe(Effect.scoped)
  )

  it.live("repeats no secret of a setting", () =>
    Effect.gen(function* () {
      const { stdout, stderr } = yield* ran(["doctor"], {
        BURSAR_DATA_DIR: join(yield* directory, "data"),
        DATABASE_URL: "postgres://ada:s3cret@127.0.0.1:1/none",
        BURSAR_CHAINS: "base",
        BURSAR_RPC_BASE: "http://127.0.0.1:1/s3cret",
        BURSAR_SMTP_URL: "smtp://ada:s3cret@127.0.0.1:1",
        REDIS_URL: "redis://:s3cret@127.0.0.1:1"
      })
      assert.include(stdout, "problem  chain base")
      assert.notInclude(stdout + stderr, "s3cret")
    }).pipe(Effect.scoped)
  )
})

describe("a relayer, looked at", () => {
  it.live("is empty, then low, then well, and told how much it needs and where", () =>
    Effect.gen(function* () {
      const { call, rpcUrl, usdc } = yield* AnvilChain
      const chain = { ...(Chain.find("local") as Chain.Chain), explorer: "https://x.example/{}" }
      const address = Address.make("0x00000000000000000000000000000000000000Aa")
      const connection = { chain, usdc, rpcUrl, confirmations: 3, pollMs: 100 }
      const units = 1_000_000_000_000_000n
      const caps = {
        local: { personal: 5n * units, startup: 50n * units, installation: 50n * units }
      }
      const found = Effect.map(
        Relayers.examine([chain], { evm: address, solana: address }, caps).pipe(
          Effect.provide(holdings({ chains: [connection] }))
        ),
        ([finding]) => finding
      )
      const holding = (held: bigint) =>
        Effect.andThen(call("anvil_setBalance", address, `0x${held.toString(16)}`), found)
      const empty = yield* holding(0n)
      assert.strictEqual(empty?.status, "warning")
      assert.include(empty?.message, `no wallet can send. Send at least 0.005 ETH to ${address}`)
      const low = yield* holding(units)
      assert.strictEqual(low?.status, "warning")
      assert.include(low?.message, "holds only 0.001 ETH. Send at least 0.005 ETH")
      assert.deepStrictEqual(yield* holding(5n * units), {
        part: "relayer local",
        status: "ok",
        message: `${address} holds 0.005 ETH.`
      })
      const [alone] = yield* Relayers.examine(
        [{ ...chain, explorer: null }],
        { evm: address, solana: address },
        caps
      ).pipe(Effect.provide(holdings({ chains: [connection] })))
      assert.include(alone?.message, "Send at least 1 ETH", "a sandbox, whose caps are no measure")
    }).pipe(Effect.provide(Anvil.layer))
  )
})

describe("a node, looked at", () => {
  it.live("is well while its blocks are young, of its chain, and not of the future", () =>
    Effect.gen(function* () {
      const { call, rpcUrl, timePasses, usdc } = yield* AnvilChain
      const connection = { usdc, rpcUrl, confirmations: 3, pollMs: 100, secondRpcUrl: rpcUrl }
      const [first, second] = nodesOf({
        chains: [{ ...connection, chain: Chain.find("local") as Chain.Chain }]
      })
      assert.isDefined(first)
      assert.isDefined(second)
      if (first === undefined || second === undefined) return
      yield* call("evm_mine")
      const well = yield* Nodes.examine(first)
      assert.deepStrictEqual([well.part, well.status], ["chain local", "ok"])
      assert.strictEqual((yield* Nodes.examine(second)).part, "chain local, node 2")

      const old = yield* Nodes.examine(first).pipe(
        ShiftedClock.provide((realMs) => realMs + 600_000)
      )
      assert.strictEqual(old.status, "warning")
      assert.match(old.message, /10m.* old/u)

      yield* timePasses(600)
      const ahead = yield* Nodes.examine(first)
      assert.strictEqual(ahead.status, "problem")
      assert.include(ahead.message, "the clock of this machine is behind")

      const [other] = nodesOf({
        chains: [{ ...connection, chain: Chain.find("base") as Chain.Chain }]
      })
      assert.include(
        other && (yield* Nodes.examine(other)).message,
        "Set the URL of a node of this chain"
      )
    }).pipe(Effect.provide(Anvil.layer))
  )
})
