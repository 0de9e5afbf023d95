/** In the browser: makes a picture that was chosen as small as a logo is shown, and writes it into its field. */

const most = { width: 480, height: 120 }

/**
 * The largest that may be a logo (`maxBytes` of `core/accounts/logo.ts`) as base64, at some share of its size. A browser
 * that writes no WebP gives a larger PNG in its place; the smallest is given back whatever it takes, and refused later.
 */
export const fitting = (encoded: (share: number) => string, share = 1): string => {
  const dataUrl = encoded(share)
  return dataUrl.length > 32_000 && share > 0.3 ? fitting(encoded, share * 0.7) : dataUrl
}

const small = async (file: File): Promise<string> => {
  const image = await createImageBitmap(file)
  const scale = Math.min(1, most.width / image.width, most.height / image.height)
  return fitting((share) => {
    const canvas = document.createElement("canvas")
    canvas.width = Math.max(1, image.width * scale * share)
    canvas.height = Math.max(1, image.height * scale * share)
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height)
    return canvas.toDataURL("image/webp", 0.9)
  })
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
