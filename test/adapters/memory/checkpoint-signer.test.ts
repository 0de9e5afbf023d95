/** The memory adapter of the checkpoint signer keeps the contract. */
import * as CheckpointSigner from "../../../adapters/memory/checkpoint-signer.ts"
import { suite } from "../../contracts/checkpoint-signer.contract.ts"

suite("memory", CheckpointSigner.layer)
