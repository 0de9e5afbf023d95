/** What `bursar doctor` says of chains beside a sandbox, whose chains stand in no setting. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Finding } from "../../../apps/doctor/finding.ts"
import { ran } from "../../support/command-line.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const ofChains = (home: string) =>
  Effect.map(ran(["doctor", "--json"], { BURSAR_DATA_DIR: home }), ({ stdout }) => {
    const findings: ReadonlyArray<Finding> = JSON.parse(stdout).findings
    return findings.find(({ part }) => part === "chains")
  })

it.live("says whose settings connect no chain, and which chains a sandbox brings itself", () =>
  Effect.gen(function* () {
    const home = yield* temporaryFolder("bursar-doctor-")
    const chains = ofChains(home)
    assert.include((yield* chains)?.message, "The settings of this shell connect no chain")
    assert.notInclude((yield* chains)?.message, "sandbox")
    const chain = { chainId: "local", rpcUrl: "http://127.0.0.1:8545" }
    writeFileSync(join(home, "sandbox.json"), JSON.stringify({ chain, solana: null }))
    const beside = yield* chains
    assert.strictEqual(beside?.status, "warning")
    assert.include(beside?.message, `The sandbox of ${home} needs none`)
    assert.include(beside?.message, "local at http://127.0.0.1:8545.")
  }).pipe(Effect.scoped)
)
