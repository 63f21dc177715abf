/** The largest width and height of a picture in pixels. The largest place shows 64, on screens with up to four pixels for one. */
const SIZE = 256

/** Returns the middle of an image as a small square, or the whole image. Throws when the browser cannot read the file as an image. */
export async function resizePicture(file: File, part: 'middle' | 'whole'): Promise<Blob> {
  const image = await createImageBitmap(file)
  const side = Math.min(image.width, image.height)
  const [width, height] = part === 'whole' ? [image.width, image.height] : [side, side]
  const scale = part === 'whole' ? Math.min(1, SIZE / Math.max(width, height)) : SIZE / side
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const [left, top] = [(image.width - width) / 2, (image.height - height) / 2]
  canvas.getContext('2d')?.drawImage(image, left, top, width, height, 0, 0, canvas.width, canvas.height)
  image.close()
  return new Promise((resolve, reject) => {
    const done = (blob: Blob | null) => (blob === null ? reject(new Error('The picture is empty.')) : resolve(blob))
    canvas.toBlob(done, 'image/png')
  })
}
