/** Why a chain of the sandbox's own did not start. */
import { Data } from "effect"

export class ChainNotStarted extends Data.TaggedError("ChainNotStarted")<{
  readonly reason: "port_taken" | "not_installed" | "failed" | "state_unreadable"
  readonly detail: string
}> {
  override get message() {
    return `The local chain did not start: ${this.detail}.`
  }
}
