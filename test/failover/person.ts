/** A person at the console of one process, who can be met again at another that has the same records. */
import { Effect } from "effect"
import type { Replica } from "../money/scene.ts"
import { type Said, Visitor } from "../support/console-visitor.ts"

// biome-ignore lint/suspicious/noExplicitAny: the answer's form is what a round asserts on.
type Answer = any

const dataOf = ({ body, status }: Said): Answer => {
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data
}

export interface Person {
  /** Posts at a path of the console. */
  readonly post: (path: string, input?: object) => Promise<Answer>
  /** Posts at a path that takes their passkey over the same input. */
  readonly signs: (path: string, input?: object, answered?: string) => Promise<Answer>
  /** With what another process refuses what they post there; undefined when it does it. */
  readonly refusalAt: (replica: Replica, path: string) => Promise<string | undefined>
}

const personOf = (visitor: Visitor): Person => {
  const post: Person["post"] = async (path, input = {}) =>
    dataOf(await Effect.runPromise(visitor.post(path, input)))
  return {
    post,
    signs: async (path, input = {}, answered = "verify") => {
      const { options, passkeyChallengeId } = await post(`${path}/options`, input)
      const answer = visitor.authenticator.sign(options)
      return post(`${path}/${answered}`, { ...input, passkeyChallengeId, answer })
    },
    refusalAt: async ({ origin }, path) => {
      const there = new Visitor(origin, origin)
      for (const [name, value] of visitor.cookies) there.cookies.set(name, value)
      const { body } = await Effect.runPromise(there.post(path))
      return body.error?.code
    }
  }
}

/** Somebody who has made a passkey by a one-time link. */
export const enrolled = async ({ origin }: Replica, link: string): Promise<Person> => {
  const visitor = new Visitor(origin, origin)
  dataOf(await Effect.runPromise(visitor.enrol(link)))
  return personOf(visitor)
}
