/** A key never makes one wider than itself, however long the chain of makings is. */
import { assert, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { openTreasury, type TestTreasury } from "../../../apps/testing/treasury.ts"

type Calls = TestTreasury["agent"]["call"]
type Wanted = Parameters<Calls["create_api_key"]>[0]
type Made = Awaited<ReturnType<Calls["create_api_key"]>>

const scopes = ["keys:manage", "proposals:write", "account:read"] as const
const ranges = ["10.0.0.0/8", "10.1.0.0/16", "10.1.2.3", "2001:db8::/32", "::ffff:10.1.2.3"]

/** Addresses of which each range above holds others. */
const probes = ["10.9.9.9", "10.1.9.9", "10.1.2.3", "2001:db8::1", "192.0.2.1"]
const holds: Readonly<Record<string, ReadonlyArray<string>>> = {
  "10.0.0.0/8": ["10.9.9.9", "10.1.9.9", "10.1.2.3"],
  "10.1.0.0/16": ["10.1.9.9", "10.1.2.3"],
  "10.1.2.3/32": ["10.1.2.3"],
  "2001:db8::/32": ["2001:db8::1"]
}

/** All that a key lets through, spelled out. */
const reach = (key: Made, wallets: ReadonlyArray<string>, recipients: ReadonlyArray<string>) => ({
  scopes: new Set<string>(key.scopes),
  probes: new Set(
    key.ipRanges === null ? probes : key.ipRanges.flatMap((each) => holds[each] ?? [])
  ),
  wallets: new Set(key.walletIds ?? wallets),
  recipients: new Set(key.recipientIds ?? recipients),
  capMicro: key.dailyCapUsd === null ? Number.POSITIVE_INFINITY : Number(key.dailyCapUsd),
  expiresAt: key.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(key.expiresAt)
})

const assertWithin = (inner: ReturnType<typeof reach>, outer: ReturnType<typeof reach>) => {
  for (const set of ["scopes", "probes", "wallets", "recipients"] as const) {
    assert.isTrue(
      [...inner[set]].every((each) => outer[set].has(each)),
      set
    )
  }
  assert.isAtMost(inner.capMicro, outer.capMicro)
  assert.isAtMost(inner.expiresAt, outer.expiresAt)
}

const some = <A>(values: ReadonlyArray<A>) =>
  FastCheck.option(FastCheck.subarray([...values], { minLength: 1 }), { nil: undefined })

const wanted = (wallets: ReadonlyArray<string>, recipients: ReadonlyArray<string>) =>
  FastCheck.record({
    // So that most of a chain can go on.
    scopes: FastCheck.subarray(["proposals:write", "account:read"] as const).map(
      (more): Wanted["scopes"] => ["keys:manage", ...more]
    ),
    ipRanges: some(ranges),
    walletIds: some(wallets),
    recipientIds: some(recipients),
    dailyCapUsd: FastCheck.option(FastCheck.constantFrom("1", "2.5", "2.500001", "100"), {
      nil: undefined
    }),
    expiresAt: FastCheck.option(
      FastCheck.constantFrom("2031-01-01T00:00:00Z", "2032-01-01T00:00:00Z"),
      { nil: undefined }
    )
  }).map(
    (fields) =>
      Object.fromEntries(
        Object.entries(fields).filter(([, value]) => value !== undefined)
      ) as unknown as Wanted
  )

it("whatever is asked for along a chain of makings, each key reaches no further than its maker", async () => {
  const treasury = await openTreasury()
  const { agent } = treasury
  const wallets = [agent.wallet.id, agent.vault.id]
  const recipients = (await agent.call.list_recipients({})).recipients.map(({ id }) => id)
  let made = 0
  let refused = 0
  await FastCheck.assert(
    FastCheck.asyncProperty(
      FastCheck.array(wanted(wallets, recipients), { minLength: 2, maxLength: 6 }),
      async (chain) => {
        let maker = { call: agent.call, reach: undefined as ReturnType<typeof reach> | undefined }
        for (const input of chain) {
          await treasury.advance("2 seconds")
          const key = await maker.call.create_api_key(input).catch((refusal) => {
            assert.strictEqual(refusal._tag, "INSUFFICIENT_SCOPE", refusal.message)
            return undefined
          })
          if (key === undefined) {
            refused += 1
            continue
          }
          made += 1
          const own = reach(key, wallets, recipients)
          if (maker.reach !== undefined) assertWithin(own, maker.reach)
          maker = { call: await asKey(treasury, key), reach: own }
        }
      }
    ),
    { numRuns: 60 }
  )
  assert.isAbove(made, 60)
  assert.isAbove(refused, 20)
  await treasury.close()
})

/** Called from an address that every range of the test holds part of; where it does not, from nowhere. */
const asKey = async (treasury: TestTreasury, key: Made): Promise<Calls> =>
  treasury.as(key.apiKey ?? "", key.ipRanges?.[0]?.split("/")[0])

it("keys with a cap go on for eight generations, and those of a revoked one stay if they are kept", async () => {
  const treasury = await openTreasury()
  const { agent } = treasury
  let call = agent.call
  const ids: Array<string> = []
  for (let generation = 0; generation < 8; generation++) {
    const key = await call.create_api_key({ scopes: [...scopes], dailyCapUsd: "5" })
    ids.push(key.id)
    call = await treasury.as(key.apiKey ?? "")
  }
  const deeper = await call.create_api_key({ scopes: [...scopes] }).catch(({ _tag }) => _tag)
  assert.strictEqual(deeper, "INSUFFICIENT_SCOPE")
  await agent.call.revoke_api_key({ keyId: ids[0] ?? "", keepDescendants: true })
  const listed = (await call.list_api_keys({ limit: 100 })).api_keys
  for (const [at, id] of ids.entries()) {
    const key = listed.find((each) => each.id === id)
    assert.deepInclude(key, { dailyCapUsd: "5.00", walletIds: null })
    if (at > 0) assert.strictEqual(key?.madeBy, ids[at - 1])
  }
  await treasury.close()
})
