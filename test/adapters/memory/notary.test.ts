/** The memory adapter of the notary keeps the contract. */
import * as Notary from "../../../adapters/memory/notary.ts"
import { suite } from "../../contracts/notary.contract.ts"

suite("memory", Notary.layer)
