/** Makes the small picture of a record from bytes of any origin. What browsers get is encoded anew, without metadata. See docs/decisions/record-pictures.md. */

import { detectType } from '#crm/blobs/detect-type'

/** The type of every picture that is stored. */
export const PICTURE_TYPE = 'image/webp'

/** A file may have these types, or that of an icon which contains a PNG image. */
const TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])

/** The largest place of the console shows 48 pixels, on screens with up to four pixels for one. */
const SIZE = 192
/** Smaller images are no pictures but marks by which hosts count readers. */
const MIN_SIZE = 16
/** Decoded, 64 MB. */
const MAX_PIXELS = 16_000_000

/** Undefined for bytes that are no image of these types, for a damaged one, and for one that is too small or too large. */
export async function shrinkPicture(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const image = pngInIcon(bytes) ?? bytes
  if (!TYPES.has((await detectType(image)) ?? '')) return undefined
  try {
    const { width, height } = await new Bun.Image(image, { maxPixels: MAX_PIXELS }).metadata()
    if (Math.min(width, height) < MIN_SIZE) return undefined
    const small = new Bun.Image(image, { maxPixels: MAX_PIXELS })
    return await small.resize(SIZE, SIZE, { fit: 'inside', withoutEnlargement: true }).webp({ quality: 85 }).bytes()
  } catch {
    return undefined
  }
}

const ICON_HEADER = 6
const ICON_ENTRY = 16
const MAX_ICON_IMAGES = 32
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/** The largest PNG image in a file of the type ICO: each entry of its directory has the size and the offset of an image. */
function pngInIcon(bytes: Uint8Array): Uint8Array | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < ICON_HEADER || view.getUint32(0, true) !== 0x00_01_00_00) return undefined
  const count = Math.min(view.getUint16(4, true), MAX_ICON_IMAGES)
  const images: Uint8Array[] = []
  for (let entry = ICON_HEADER; entry < ICON_HEADER + count * ICON_ENTRY; entry += ICON_ENTRY) {
    if (entry + ICON_ENTRY > bytes.length) break
    const [size, offset] = [view.getUint32(entry + 8, true), view.getUint32(entry + 12, true)]
    const image = bytes.subarray(offset, offset + size)
    if (PNG_SIGNATURE.equals(image.subarray(0, PNG_SIGNATURE.length))) images.push(image)
  }
  return images.toSorted((a, b) => b.length - a.length)[0]
}
