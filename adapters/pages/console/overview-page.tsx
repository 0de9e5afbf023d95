/** The page of the overview: cards, bars and a chart drawn by the server, each with its figures as text. */
import { Console, type Who } from "./parts/frame.tsx"
import { Actions } from "./parts/listing.tsx"
import { Table, type TableProps } from "./parts/table.tsx"
import type { Part } from "./parts/thing-page.tsx"
import { When } from "./parts/time.tsx"
import type { Chart } from "./spend-chart.ts"

export interface CapBar {
  readonly name: string
  readonly text: string
  readonly percent: number
}

interface OverviewProps {
  readonly who: Who
  readonly worth: {
    readonly netWorth: string
    /** What it is made of, each part once. */
    readonly parts: ReadonlyArray<string>
    readonly change: string | null
    readonly asOf: string
    readonly isWhole: boolean
    readonly away: ReadonlyArray<string>
  }
  readonly perTransfer: string
  readonly caps: ReadonlyArray<CapBar>
  readonly resetsAt: string
  readonly chart: Chart
  readonly waiting: Part
  readonly failed: Part
  readonly deposits: Part
}

const Worth = ({ worth }: Pick<OverviewProps, "worth">) => (
  <section class="card">
    <h2>Net worth</h2>
    <p class="figure">{worth.netWorth}</p>
    <p class="soft">{worth.parts.join(", ")}</p>
    <p class="soft">
      {worth.change === null ? "Change in 24 hours not known" : `${worth.change} % in 24 hours`}, as
      of <When at={worth.asOf} />
    </p>
    {!worth.isWhole && (
      <p class="soft">
        {worth.away.length === 0
          ? "Still being computed; reload in a moment."
          : `Without ${worth.away.join(", ")}, which did not respond.`}
      </p>
    )}
  </section>
)

const Caps = ({ caps, perTransfer, resetsAt }: OverviewProps) => (
  <section class="card">
    <h2>Caps</h2>
    <p class="soft">{perTransfer} per transfer</p>
    {caps.map(({ name, percent, text }) => (
      <div key={name}>
        <p>
          {name}: {text}
        </p>
        <svg class="bars" viewBox="0 0 300 8" preserveAspectRatio="none" aria-hidden="true">
          <rect class="all" width={300} height={8} rx={4} />
          <rect class={percent >= 80 ? "near" : "used"} width={percent * 3} height={8} rx={4} />
        </svg>
      </div>
    ))}
    <p class="soft">
      What is reserved for sends under way counts as used. The day ends <When at={resetsAt} />.
    </p>
  </section>
)

const Spend = ({ chart }: Pick<OverviewProps, "chart">) => (
  <section class="card">
    <h2>Spend</h2>
    <p class="soft">Used per day (UTC) against the cap of ${chart.cap}</p>
    <svg class="chart" viewBox={`0 0 ${chart.width} ${chart.height + 16}`} aria-hidden="true">
      <line class="cap" x1={0} x2={chart.width} y1={chart.capY} y2={chart.capY} />
      {chart.bars.map(({ day, height, isNear, x, y }, at) => (
        <g key={day}>
          <rect
            class={isNear ? "near" : "used"}
            x={x}
            y={y}
            width={chart.barWidth}
            height={height}
            rx={2}
          />
          {at % 5 === 0 && (
            <text x={x} y={chart.height + 12}>
              {day.slice(5)}
            </text>
          )}
        </g>
      ))}
    </svg>
    <details>
      <summary>Show as table</summary>
      <Table
        label="Used per day"
        names={["Day (UTC)", "Used"]}
        none="Nothing was spent."
        rows={[...chart.bars].reverse().map(({ day, used }) => ({
          id: day,
          cells: [{ text: day }, { text: `$${used}`, isAmount: true }]
        }))}
      />
    </details>
  </section>
)

const Section = ({ more, part }: { readonly part: Part; readonly more: string }) => (
  <section>
    <h2>{part.title}</h2>
    {"names" in part && <Table {...(part as TableProps)} />}
    <p>
      <a href={more}>
        All<span class="unseen"> {part.title}</span>
      </a>
    </p>
  </section>
)

/** What most people come for. */
const daily = [
  { href: "/console/new/create_payment_request", text: "New payment request" },
  { href: "/console/new/propose_transfer", text: "Send USDC" },
  { href: "/console/new/add_recipient", text: "Add a recipient" }
]

export const Overview = (props: OverviewProps) => (
  <Console who={props.who} section="overview">
    <h1>Overview</h1>
    <Actions actions={daily} />
    <div class="cards">
      <Worth worth={props.worth} />
      <Caps {...props} />
    </div>
    <Section part={props.waiting} more="/console/proposals?status=requires_action" />
    <Spend chart={props.chart} />
    <Section part={props.failed} more="/console/deliveries?status=failed" />
    <Section part={props.deposits} more="/console/deposits?status=open" />
  </Console>
)
