/**
 * Where a server hands over each request before anything is begun for it, so that whoever must wait costs no
 * more than having been read.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Context } from "effect"

/** Begins a request by calling `begin`, at once or when it may; never, if its client has left. */
export type Doorkeeper = (
  request: IncomingMessage,
  answer: ServerResponse,
  begin: () => void
) => void

export class Intake extends Context.Service<
  Intake,
  {
    /** From now on every request goes by this one. */
    readonly appoint: (doorkeeper: Doorkeeper) => void
  }
>()("bursar/http/Intake") {}

/** Stands before every listener a server has, or will have, for requests; `enter` hears of each before the doorkeeper. */
export const bound = (
  server: Server,
  enter: (request: IncomingMessage, answer: ServerResponse) => void
): Intake["Service"] => {
  const emit = server.emit.bind(server) as (event: string, ...facts: Array<unknown>) => boolean
  let keeper: Doorkeeper = (_request, _answer, begin) => begin()
  const arriving = (event: string, ...facts: Array<unknown>) => {
    if (event !== "request" && event !== "checkContinue") return emit(event, ...facts)
    const [request, answer] = facts as [IncomingMessage, ServerResponse]
    enter(request, answer)
    keeper(request, answer, () => void emit(event, request, answer))
    return true
  }
  server.emit = arriving as Server["emit"]
  return {
    appoint: (doorkeeper) => {
      keeper = doorkeeper
    }
  }
}
