/** Each guard with the others switched off, and no guard at all. */
import { setTimeout } from "node:timers/promises"
import type * as Guards from "../../adapters/http/guards/guards.ts"
import type { Figure, Part, Run } from "../money/part.ts"
import * as SlowClients from "../support/slow-clients.ts"
import * as Crowd from "./crowd.ts"
import * as Fresh from "./fresh.ts"
import { type Kind, kindsOf } from "./kinds.ts"
import type * as Scene from "./scene.ts"
import { guardsOf, held, judged, maxFreshMs, off, within } from "./trial.ts"

/** More than a system's buffers take. */
const manyAhead = 150

/** Answers of one connection: those that may wait, a refusal, and some for reading the figures. */
const maxInOrder = 8

const only = (guards: Guards.Options): Guards.Options => ({ ...off, ...guards })

const named = (scene: Scene.Scene, name: string, ahead?: number): ReadonlyArray<Kind> =>
  kindsOf(scene, ahead).filter((kind) => kind.name === name)

const figure = (what: string, seen: string, holds: boolean): Figure => ({
  invariant: "edge",
  what,
  seen,
  holds
})

/** How many answers it has begun, by its own figures. */
const answers = async ({ port }: Scene.Scene): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const counted = text.matchAll(/^bursar_http_responses_total\{[^}]*\} (\d+)/gmu)
  return [...counted].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** That number, once a second has gone by without any more. */
const settledAnswers = async (scene: Scene.Scene): Promise<number> => {
  let before = -1
  let now = await answers(scene)
  // The reading itself is answered too.
  while (now > before + 1) {
    before = now
    await setTimeout(1_000)
    now = await answers(scene)
  }
  return now
}

const none = (run: Run) =>
  within(run, off, async (scene) => {
    const count = run.times(300, 60)
    const beforeMib = scene.rssMib()
    const crowd = await Crowd.gather(scene, named(scene, "/openapi.json", manyAhead), count)
    const begun = await settledAnswers(scene)
    const { goneAfterMs, maxHeld } = await Crowd.watch(scene, beforeMib, run.quick ? 8_000 : 40_000)
    crowd.leave()
    return figure(
      `${count} of /openapi.json without any guard`,
      `${begun} answers begun; ${maxHeld} held, ${goneAfterMs === undefined ? "still held in the end" : "gone by themselves"}`,
      goneAfterMs === undefined && begun > count * maxInOrder
    )
  })

const slowReaders = (run: Run) =>
  within(run, only(guardsOf(run)), (scene) =>
    held(
      scene,
      "/openapi.json, with nothing but the guard against slow readers",
      named(scene, "/openapi.json", manyAhead),
      run.times(300, 60),
      // That others are served meanwhile is what the other guards are for.
      { isFreshJudged: false }
    )
  )

const inOrder = (run: Run) =>
  within(run, only({ inOrder: {} }), async (scene) => {
    const count = run.times(300, 60)
    const before = await answers(scene)
    const crowd = await Crowd.gather(scene, named(scene, "/openapi.json", manyAhead), count)
    const begun = (await settledAnswers(scene)) - before
    crowd.leave()
    return figure(
      `${count} of /openapi.json, with nothing but requests in order`,
      `${begun} answers begun of ${count * manyAhead} asked for`,
      begun >= count && begun <= count * maxInOrder
    )
  })

/** What a fresh client sees beside a crowd that nobody cuts, for as long as it may notice. */
const besideCrowd = (run: Run, guards: Guards.Options, count: number) =>
  within(run, guards, async (scene) => {
    const beforeMib = scene.rssMib()
    const client = await Fresh.begin(scene)
    const crowd = await Crowd.gather(scene, kindsOf(scene), count)
    const completeMs = Date.now()
    await Crowd.watch(scene, beforeMib, run.quick ? 3_000 : 20_000)
    const calls = await client.end()
    crowd.leave()
    return { account: judged(calls, "account", completeMs), pay: judged(calls, "pay", completeMs) }
  })

/**
 * Whoever opens doors works for nobody: answers are still made for a crowd that reads none, which other guards
 * prevent. So it is asked what the door spares a fresh client, by the same crowd where there is no door.
 */
const door = async (run: Run): Promise<Figure> => {
  const count = run.times(3_500, 210)
  const without = await besideCrowd(run, off, count)
  const { account, pay } = await besideCrowd(run, only({ door: {} }), count)
  const spares = (one: typeof pay, other: typeof pay) =>
    one.refused === 0 && one.longestMs <= Math.max(maxFreshMs, other.longestMs / 2)
  return figure(
    `${count} of all kinds, with nothing but the door, and the same without any guard`,
    `a fresh client's reads ${account.seen}, without ${without.account.seen}; a payer's pages ${pay.seen}, without ${without.pay.seen}`,
    spares(account, without.account) && spares(pay, without.pay)
  )
}

const places = (run: Run) =>
  within(run, only({ connections: {} }), async (scene) => {
    const from = "127.0.1.1"
    const clients = Array.from({ length: 300 }, () =>
      SlowClients.open({ port: scene.port, from }, "")
    )
    await SlowClients.eventually(() => scene.held() === 256, 10_000)
    const stillHeld = scene.held()
    for (const { close } of clients) close()
    return figure(
      "300 connections of one address, with nothing but the guard of places",
      `${stillHeld} held`,
      stillHeld === 256
    )
  })

export const alone: Part = {
  name: "alone",
  promise: "each guard holds without the others, and without any nothing does",
  run: async (run) => {
    const figures: Array<Figure> = []
    // How long a fresh client waits is no figure on a machine that runs a suite.
    for (const tried of [none, slowReaders, inOrder, places, ...(run.quick ? [] : [door])]) {
      figures.push(await tried(run))
    }
    return figures
  }
}
