/** The chart of what each day spent, as shapes; the table beside it has the same figures for reading. */
import { separated } from "./parts/separated.ts"

interface Spending {
  readonly dailySendCapUsd: string
  readonly days: ReadonlyArray<{ readonly day: string; readonly usedUsd: string }>
}

export interface Bar {
  readonly day: string
  readonly used: string
  readonly x: number
  readonly y: number
  readonly height: number
  /** Close to the cap or at it. */
  readonly isNear: boolean
}

export interface Chart {
  readonly width: number
  readonly height: number
  readonly barWidth: number
  readonly capY: number
  readonly cap: string
  readonly bars: ReadonlyArray<Bar>
  /** The first day, the middle one and the last, as they stand under the bars. */
  readonly days: ReadonlyArray<string>
  /** Nothing was spent on any day. */
  readonly isEmpty: boolean
}

const width = 900
const height = 180
/** So much of a bar is seen, however little was spent. */
const minHeight = 2
const nearShare = 0.8

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** `2026-11-07` as "Nov 7". */
const dayInWords = (day: string): string =>
  `${months[Number(day.slice(5, 7)) - 1]} ${Number(day.slice(8))}`

/** Heights are drawn from floats; the figures beside them are the ones that were read. */
export const chartOf = ({ dailySendCapUsd, days }: Spending): Chart => {
  const cap = Number(dailySendCapUsd)
  const highest = Math.max(cap, ...days.map(({ usedUsd }) => Number(usedUsd))) * 1.1
  const heightOf = (amount: number) =>
    amount === 0 ? 0 : Math.max(minHeight, (amount / highest) * height)
  const step = width / days.length
  return {
    width,
    height,
    barWidth: step * 0.7,
    capY: height - heightOf(cap),
    cap: separated(dailySendCapUsd),
    days: [days.at(0), days.at(days.length >> 1), days.at(-1)].flatMap((one) =>
      one === undefined ? [] : [dayInWords(one.day)]
    ),
    isEmpty: days.every(({ usedUsd }) => Number(usedUsd) === 0),
    bars: days.map(({ day, usedUsd }, at) => {
      const used = Number(usedUsd)
      return {
        day,
        used: separated(usedUsd),
        x: at * step + step * 0.15,
        y: height - heightOf(used),
        height: heightOf(used),
        isNear: used >= cap * nearShare
      }
    })
  }
}
