/** Lists the people of an account, those who were invited and have not come yet among them. */
import { Humans } from "../humans/human-store.ts"
import * as Page from "../operation/page.ts"
import * as Person from "./person.ts"

export const listPeople = Page.list("list_people", {
  summary: "Lists the people who can sign in to the account's console, with their roles.",
  next: "An owner invites, changes and removes people in the console, at /console/people.",
  scope: "account:read",
  key: "people",
  fields: Person.fields,
  page: ({ accountId, request }) => Humans.use(({ page }) => page(accountId, request)),
  view: Person.view
})
