/** The memory adapter of secrets keeps the contract. */
import * as Secrets from "../../../adapters/memory/secrets.ts"
import { suite } from "../../contracts/secrets.contract.ts"

suite("memory", Secrets.layer)
