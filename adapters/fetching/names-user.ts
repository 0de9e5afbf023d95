/** What stands in the URLs of services that are asked by `fetch`, and must not stand in the log. */

/** Whether `fetch` refuses the URL, by an error that repeats it whole. */
export const namesUser = (address: string): boolean => {
  const { password, username } = new URL(address)
  return username !== "" || password !== ""
}
