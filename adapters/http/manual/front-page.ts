/** The page at `/`: leads each kind of visitor to the first thing to do here. */
import { page } from "./frame.ts"
import { html, type Markup } from "./markup.ts"

interface Site {
  readonly siteUrl: string
  /** False where the money is not real. */
  readonly livemode: boolean
}

const card = (title: string, content: Markup): Markup =>
  html`<section><h2 class="name">${title}</h2>${content}</section>`

const merchant = (livemode: boolean) =>
  card(
    "You want to be paid",
    html`<p>Open a payment request and send its link to your customer: in the <a href="/console">console</a>, or by a call of the <a href="/docs/api/payment-requests">API</a>. A signed <a href="/docs/webhooks">webhook</a> tells you when it is paid.</p>
<p><a href="/docs/merchants">From the first order to a refund</a>${livemode ? html` &middot; <a href="/docs/first-payment">Your first real payment</a>` : html``}</p>`
  )

const payer = (siteUrl: string) =>
  card(
    "You were sent a link to pay",
    html`<p>Open the link as you were given it. One from here begins with <code>${siteUrl}/pay/pr_</code>. Send only USDC, only on the network that the page names: anything else is lost.</p>
<p><a href="/docs/payments">What happens to a payment</a></p>`
  )

const approver = card(
  "You approve payments",
  html`<p>Sign in to the <a href="/console">console</a> with your passkey. It shows what waits for you, who proposed it, and what it changes. The operator gives you a link to make a passkey.</p>
<p><a href="/docs/guarantees">What is guaranteed</a></p>`
)

const operator = card(
  "You run this service",
  html`<p><code>bursar doctor</code> looks whether every part works and says what to do. <a href="/health/ready">Readiness</a> is for your supervisor.</p>
<p><a href="/docs/operations">Operations</a> &middot; <a href="/docs/configuration">Settings</a> &middot; <a href="/docs/keys">Keys</a> &middot; <a href="/docs/command-line">Command line</a></p>`
)

const builder = (siteUrl: string) =>
  card(
    "You build an agent or a program",
    html`<p>Every operation is a tool at <code>${siteUrl}/api/mcp</code>, and a call of REST at <code>${siteUrl}/api/v1</code>, with the same API key. Begin with <a href="/docs/api/guide#get_guide">get_guide</a>.</p>
<p><a href="/docs/agents">Agents</a> &middot; <a href="/docs">API</a> &middot; <a href="/openapi.json">OpenAPI</a></p>`
  )

export const frontPage = ({ livemode, siteUrl }: Site): string =>
  page({
    title: "Bursar, a USDC treasury",
    description: "A USDC treasury: it gets you paid by link, and sends money only as you allowed.",
    content: html`<h1>Bursar</h1>
<p>A USDC treasury: it gets you paid by link, and sends money only as you allowed.${livemode ? "" : html` <strong>This is a sandbox: nothing here is real money.</strong>`}</p>
${[merchant(livemode), payer(siteUrl), approver, operator, builder(siteUrl)]}`
  })
