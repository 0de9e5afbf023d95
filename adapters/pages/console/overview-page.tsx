/** The page of the overview: cards, bars and a chart drawn by the server, each with its figures as text. */
import { Console, type Who } from "./parts/frame.tsx"
import { Actions, type Link } from "./parts/listing.tsx"
import { Table, type TableProps } from "./parts/table.tsx"
import type { Part } from "./parts/thing-page.tsx"
import { When } from "./parts/time.tsx"
import type { Chart } from "./spend-chart.ts"

export interface CapBar {
  readonly name: string
  readonly text: string
  readonly percent: number
}

interface NetWorth {
  readonly netWorth: string
  /** What it is made of, each part once. */
  readonly parts: ReadonlyArray<string>
  readonly change: string | null
  readonly asOf: string
  readonly isWhole: boolean
  readonly away: ReadonlyArray<string>
}

interface OverviewProps {
  readonly who: Who
  /** Undefined while no chain answers. */
  readonly worth: NetWorth | undefined
  readonly perTransfer: string
  readonly caps: ReadonlyArray<CapBar>
  readonly resetsAt: string
  readonly chart: Chart
  readonly waiting: Part
  readonly failed: Part
  readonly deposits: Part
}

const NoWorth = () => (
  <section class="card">
    <h2>Net worth</h2>
    <p class="soft">Not known now, as no chain responds; reload in a moment.</p>
  </section>
)

const Worth = ({ worth }: { readonly worth: NetWorth }) => (
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

const Bars = ({ chart }: Pick<OverviewProps, "chart">) => (
  <figure>
    <svg
      class="chart"
      viewBox={`0 0 ${chart.width} ${chart.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <line class="cap" x1={0} x2={chart.width} y1={chart.capY} y2={chart.capY} />
      {chart.bars.map(({ day, height, isNear, x, y }) => (
        <rect
          key={day}
          class={isNear ? "near" : "used"}
          x={x}
          y={y}
          width={chart.barWidth}
          height={height}
          rx={2}
        />
      ))}
    </svg>
    <p class="days soft" aria-hidden="true">
      {chart.days.map((day) => (
        <span key={day}>{day}</span>
      ))}
    </p>
  </figure>
)

const Spend = ({ chart }: Pick<OverviewProps, "chart">) => (
  <section class="card">
    <h2>Spend</h2>
    {chart.isEmpty ? (
      <p class="soft">
        Nothing was spent in the last {chart.bars.length} days. At most ${chart.cap} can be spent a
        day.
      </p>
    ) : (
      <>
        <p class="soft">Used per day (UTC) against the cap of ${chart.cap}</p>
        <Bars chart={chart} />
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
      </>
    )}
  </section>
)

const Section = ({ more, part }: { readonly part: Part; readonly more: Link }) => (
  <section>
    <h2>{part.title}</h2>
    {"names" in part && <Table {...(part as TableProps)} />}
    <p>
      <a href={more.href}>{more.text}</a>
    </p>
  </section>
)

/** Where each of the lists goes on. */
const lists = {
  waiting: {
    href: "/console/proposals?status=requires_action",
    text: "All that wait for approval"
  },
  failed: { href: "/console/deliveries?status=failed", text: "All failed deliveries" },
  deposits: { href: "/console/deposits?status=open", text: "All open deposits" }
}

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
      {props.worth === undefined ? <NoWorth /> : <Worth worth={props.worth} />}
      <Caps {...props} />
    </div>
    <Section part={props.waiting} more={lists.waiting} />
    <Spend chart={props.chart} />
    <Section part={props.failed} more={lists.failed} />
    <Section part={props.deposits} more={lists.deposits} />
  </Console>
)
