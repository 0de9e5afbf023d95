/** The verification in memory keeps the contract. */
import * as Passkeys from "../../../adapters/memory/passkeys.ts"
import { suite } from "../../contracts/passkeys.contract.ts"

suite("memory", Passkeys.layer)
