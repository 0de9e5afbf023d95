/** The capability guide: prose by topic, figures of the running installation, and a tool catalogue derived from the operations themselves. */
import { Effect, Schema } from "effect"
import { Deployment } from "../operation/deployment.ts"
import * as Operation from "../operation/operation.ts"
import { PolicySettings } from "../policy/policy-settings.ts"
import { type Facts, limitsOf, pricingOf } from "./figures.ts"
import { missingFrom, type Section, topics } from "./topics.ts"

const Topic = Schema.Literals(["overview", "tools", "workflows", "limits", "pricing", "all"])

const Tool = Schema.Struct({
  name: Schema.String,
  summary: Schema.String,
  next: Schema.String,
  scope: Schema.String,
  sideEffect: Schema.Literals(["read", "write", "money"])
})

const sectionsOf = (
  topic: typeof Topic.Type,
  facts: Facts,
  catalogue: ReadonlyArray<Operation.Any>
): ReadonlyArray<Section> => {
  const all = {
    ...topics,
    overview: [...topics.overview, ...missingFrom(new Set(catalogue.map(({ name }) => name)))],
    tools: [],
    limits: limitsOf(facts, catalogue),
    pricing: pricingOf(facts)
  }
  return topic === "all" ? Object.values(all).flat() : all[topic]
}

/** The guide over a catalogue; the guide is part of the catalogue it tells of. */
export const guideOver = (catalogue: ReadonlyArray<Operation.Any>) => {
  const getGuide = Operation.make("get_guide", {
    summary:
      "Explains what this treasury can do: overview, tools, workflows, limits, pricing or all.",
    next: "Start with the workflow that fits your task.",
    scope: "account:read",
    input: {
      topic: Schema.optionalKey(
        Topic.annotate({ description: "What to read about.", default: "overview" })
      )
    },
    output: {
      topic: Topic,
      sections: Schema.Array(Schema.Struct({ title: Schema.String, body: Schema.String })),
      tools: Schema.Array(Tool)
    },
    example: { input: { topic: "workflows" } },
    handle: ({ topic = "overview" }) =>
      Effect.gen(function* () {
        const facts = { ...(yield* Deployment), ...(yield* PolicySettings) }
        return {
          topic,
          sections: sectionsOf(topic, facts, catalogue),
          tools: topic === "tools" || topic === "all" ? tools() : []
        }
      })
  })
  const tools = (): ReadonlyArray<typeof Tool.Type> =>
    [...catalogue, getGuide].map(({ name, summary, next, scope, sideEffect }) => ({
      name,
      summary,
      next,
      scope,
      sideEffect
    }))
  return getGuide
}
