/**
 * Serves what describes the service: `/` for whoever comes first, `/docs` for people, `/openapi.json` for machines.
 * Each page is written once, when it is first asked for; none runs a script.
 */
import { Effect } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Deployment } from "../../../core/operation/deployment.ts"
import * as SharedAnswer from "../guards/shared-answer.ts"
import * as Method from "../method.ts"
import type { Path } from "../routes.ts"
import { areas } from "./areas.ts"
import { contents, guidePage, searchPage } from "./docs.ts"
import { contentType, headers } from "./frame.ts"
import { frontPage } from "./front-page.ts"
import { isGuide } from "./guides/guides.ts"
import { document } from "./openapi.ts"
import * as Page from "./page.ts"
import { maxQuery } from "./search.ts"

const cacheControl = "public, max-age=300"
const pageHeaders = { "cache-control": cacheControl, ...headers }

type Shared = ReturnType<typeof SharedAnswer.make>

/** What search engines may read; whoever has a link to pay or to the console has it for themselves. */
const robots = ["User-agent: *", "Disallow: /api/", "Disallow: /console", "Disallow: /pay/", ""]

/** Pages by what they are called, each written when it is first asked for. */
const written = (write: (name: string) => string | undefined) => {
  const pages = new Map<string, Shared>()
  return (name: string): Shared | undefined => {
    const known = pages.get(name)
    if (known !== undefined) return known
    const text = write(name)
    if (text === undefined) return undefined
    const answer = SharedAnswer.make(text, { contentType, headers: pageHeaders })
    pages.set(name, answer)
    return answer
  }
}

const answerOf = (answer: Shared | undefined, request: HttpServerRequest.HttpServerRequest) =>
  answer === undefined ? Effect.fail(Method.nothingHere()) : Effect.succeed(answer(request))

const searched = Effect.fnUntraced(function* ({ url }: HttpServerRequest.HttpServerRequest) {
  const query = new URL(url, "http://localhost").searchParams.get("q") ?? ""
  return yield* Effect.succeed(
    HttpServerResponse.text(searchPage(query.slice(0, maxQuery)), {
      contentType,
      headers: pageHeaders
    })
  )
})

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const site = yield* Deployment
    const { siteUrl } = site
    // Describing all operations takes longer than the rest of the start, and few ask for it.
    const openapi = SharedAnswer.later(() => JSON.stringify(document(siteUrl)), {
      contentType: "application/json",
      headers: { "cache-control": cacheControl, "access-control-allow-origin": "*" }
    })
    const forRobots = SharedAnswer.make(robots.join("\n"), {
      contentType: "text/plain; charset=utf-8",
      headers: { "cache-control": cacheControl }
    })
    const fixed: Readonly<Record<string, () => string>> = {
      "/": () => frontPage(site),
      "/docs": contents,
      "/docs/errors": Page.errors,
      "/docs/reference": () => Page.reference(siteUrl)
    }
    const fixedPage = written((path) => fixed[path]?.())
    const guide = written((name) => (isGuide(name) ? guidePage(name) : undefined))
    const area = written((name) => {
      const members = areas.get(name)
      return members === undefined ? undefined : Page.area(name, members, siteUrl)
    })
    const named = (path: Path, find: (name: string) => Shared | undefined) =>
      Method.exactly(path, [
        [
          "GET",
          (request) =>
            Effect.flatMap(HttpRouter.params, ({ name = "" }) => answerOf(find(name), request))
        ]
      ])
    yield* router.addAll([
      ...Method.exactly("/openapi.json", [["GET", (request) => Effect.succeed(openapi(request))]]),
      ...Method.exactly("/robots.txt", [["GET", (request) => Effect.succeed(forRobots(request))]]),
      ...Object.keys(fixed).flatMap((path) =>
        Method.exactly(path as Path, [["GET", (request) => answerOf(fixedPage(path), request)]])
      ),
      ...Method.exactly("/docs/search", [["GET", searched]]),
      ...named("/docs/api/:name", area),
      ...named("/docs/:name", guide)
    ])
  })
)
