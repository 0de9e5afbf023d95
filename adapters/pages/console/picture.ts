/** In the browser: makes a picture that was chosen as small as a logo is shown, and writes it into its field. */

const most = { width: 480, height: 120 }

const small = async (file: File): Promise<string> => {
  const image = await createImageBitmap(file)
  const scale = Math.min(1, most.width / image.width, most.height / image.height)
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.round(image.width * scale))
  canvas.height = Math.max(1, Math.round(image.height * scale))
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL("image/webp", 0.9)
}

/** Writes what is chosen in a file field into the field it fills, and says what came of it. */
export const takePictures = (say: (text: string) => void) =>
  document.addEventListener("change", async ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.dataset.fills === undefined) return
    const field = document.getElementById(target.dataset.fills) as HTMLInputElement | null
    const [file] = target.files ?? []
    if (field === null || file === undefined) return
    try {
      field.value = await small(file)
      say(`${file.name} is taken; save to use it.`)
    } catch {
      say(`${file.name} is no picture that can be read; choose a PNG, JPEG or WebP.`)
    }
  })
