/** The parts of the console, and the pages of each, in the order people see them. */

export const sections = {
  overview: { text: "Overview", pages: [["/console", "Overview"]] },
  payments: {
    text: "Payments",
    pages: [
      ["/console/payments", "Payment requests"],
      ["/console/deposits", "Deposits"]
    ]
  },
  wallets: {
    text: "Wallets",
    pages: [
      ["/console/wallets", "Wallets"],
      ["/console/grants", "Token approvals"]
    ]
  },
  markets: {
    text: "Markets",
    pages: [
      ["/console/tokens", "Tokens"],
      ["/console/yields", "Yield positions"],
      ["/console/yield-markets", "Yield markets"]
    ]
  },
  recipients: { text: "Recipients", pages: [["/console/recipients", "Recipients"]] },
  proposals: {
    text: "Proposals",
    pages: [
      ["/console/proposals", "Proposals"],
      ["/console/trades", "Trades"]
    ]
  },
  cosigners: {
    text: "Co-signers",
    pages: [
      ["/console/cosigners", "Co-signers and rules"],
      ["/console/votes", "Votes"],
      ["/console/governance", "Governance"]
    ]
  },
  keys: {
    text: "Keys",
    pages: [
      ["/console/keys", "API keys"],
      ["/console/agents", "Agents"]
    ]
  },
  webhooks: {
    text: "Webhooks",
    pages: [
      ["/console/webhooks", "Endpoints"],
      ["/console/deliveries", "Deliveries"],
      ["/console/events", "Events"]
    ]
  },
  audit: { text: "Audit log", pages: [["/console/audit", "Audit log"]] },
  settings: {
    text: "Settings",
    pages: [
      ["/console/settings", "Account"],
      ["/console/people", "People"],
      ["/console/passkeys", "Passkeys"]
    ]
  }
} as const satisfies Readonly<
  Record<
    string,
    { readonly text: string; readonly pages: ReadonlyArray<readonly [path: string, text: string]> }
  >
>

export type Section = keyof typeof sections
