import { fork } from "node:child_process"
import { once } from "node:events"
import * as Answer from "./answer.ts"
import { open } from "./load.ts"
const start = async (env: any) => {
const child = fork(new URL("zz-server.ts", import.meta.url).pathname, ["memory"], { stdio: ["ignore", "inherit", "inherit", "ipc"], execArgv: [], env: { ...process.env, ...env } })
const [facts] = (await once(child, "message")) as any
const ask = async (q: any) => { const a = once(child, "message"); child.send(q); return (await a)[0] }
return { facts, ask, cpuSeconds: async () => Number(await ask("cpu")), stop: async () => {} } as any }
const A = await start({}), B = await start(JSON.parse(process.env.B ?? "{}"))
const load = await open()
await load.warm(Answer.asking(A.facts)); await load.warm(Answer.asking(B.facts))
const rs: number[][] = [[], []]
for (let i = 0; i < Number(process.env.R ?? 8); i++) for (const k of i % 2 ? [1, 0] : [0, 1]) { const s = await load.slice([A, B][k], Answer.asking([A, B][k].facts)); if (i > 0) rs[k].push(s.cpuMicros) }
const m = (x: number[]) => x.toSorted((a, b) => a - b)[x.length >> 1]!.toFixed(1) + " " + Math.min(...x).toFixed(1)
console.log("A", m(rs[0]!), "B", m(rs[1]!), "ratio", (rs[0]!.map((a, i) => a / rs[1]![i]!).toSorted((a, b) => a - b)[rs[0]!.length >> 1]!).toFixed(3))
process.exit(0)
