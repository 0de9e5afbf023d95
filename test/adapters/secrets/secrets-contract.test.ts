/** The adapter over Node's cryptography keeps the contract of secrets. */
import { Redacted } from "effect"
import * as Envelope from "../../../adapters/secrets/envelope.ts"
import * as Secrets from "../../../adapters/secrets/secrets.ts"
import { suite } from "../../contracts/secrets.contract.ts"

suite(
  "node",
  Secrets.layer({
    pepper: Redacted.make(Envelope.makeDataKey()),
    dataKey: Redacted.make(Envelope.makeDataKey())
  })
)
