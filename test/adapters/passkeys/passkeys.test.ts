/** The library's verification keeps the contract. */
import * as Passkeys from "../../../adapters/passkeys/passkeys.ts"
import { suite } from "../../contracts/passkeys.contract.ts"

suite("simplewebauthn", Passkeys.layer)
