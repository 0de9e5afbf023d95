/** What a service says when it starts: an operator copies its commands into a second terminal, and they run there. */
import { assert, describe, it } from "@effect/vitest"
import { lines, opening } from "../../../apps/server/welcome.ts"

const facts = {
  siteUrl: "http://localhost:4000",
  listens: "127.0.0.1:4000",
  chainIds: ["base"],
  bursar: "npm run -s bursar --"
}
const configuration = { dataDirectory: ".bursar", databaseUrl: undefined }

describe("the welcome of a service", () => {
  it("says how to open the first account as it is typed there, and nothing of it once there is one", () => {
    const [serving, , chains, open, key, page] = lines({ ...facts, configuration }, false)
    assert.strictEqual(serving, "Serving http://localhost:4000 on 127.0.0.1:4000")
    assert.strictEqual(chains, "Chains: base")
    assert.include(open, 'Open one: npm run -s bursar -- accounts open --name "Corner Shop"')
    assert.include(key, "npm run -s bursar -- keys create <account> --scopes all")
    assert.include(page, "/docs/first-payment")
    assert.lengthOf(lines({ ...facts, configuration }, true), 3)
  })

  it("names the data directory and the database that a second terminal does not know", () => {
    const elsewhere = { ...configuration, dataDirectory: "/srv/till" }
    const [, , , inDirectory] = lines({ ...facts, configuration: elsewhere }, false)
    assert.include(inDirectory, "BURSAR_DATA_DIR='/srv/till' npm run -s bursar -- accounts open")
    const databaseUrl = "postgres://ada:s3cret@db.example/till"
    const onServer = { ...elsewhere, databaseUrl }
    const [, , , withServer] = lines({ ...facts, configuration: onServer }, false)
    assert.include(withServer, "with the same DATABASE_URL and keys set: npm run -s bursar --")
    assert.notInclude(withServer + opening(onServer), "s3cret")
  })

  it("says what it opens before it has it open", () => {
    assert.include(opening(configuration), "embedded database in .bursar")
  })
})
