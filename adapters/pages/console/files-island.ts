/** The console in the browser on a page whose form takes files: pictures, and rows as text or as a file of them. */
import { readers } from "./form-input.ts"
import "./island.ts"
import { takePictures } from "./picture.ts"
import { rowsIn } from "./rows.ts"

const say = (text: string) => {
  const place = document.getElementById("said")
  if (place !== null) place.textContent = text
}

takePictures(say)

readers.rows = ({ dataset: { columns = "" }, value }) => rowsIn(value, columns.split(" "))

/** Its rows are looked at in the field before they are sent. */
document.addEventListener("change", async ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.dataset.rows === undefined) return
  const field = document.getElementById(target.dataset.rows) as HTMLTextAreaElement | null
  const [file] = target.files ?? []
  if (field === null || file === undefined) return
  field.value = (await file.text()).replace(/^\ufeff/u, "")
  say(`${file.name} is taken; look at its rows, then send them.`)
})
