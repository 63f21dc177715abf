/** The width and height of a picture in pixels. The largest place shows 64, on screens with up to four pixels for one. */
const SIZE = 256

/** Returns the middle of an image as a small square. Throws when the browser cannot read the file as an image. */
export async function resizePicture(file: File): Promise<Blob> {
  const image = await createImageBitmap(file)
  const side = Math.min(image.width, image.height)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = SIZE
  const [left, top] = [(image.width - side) / 2, (image.height - side) / 2]
  canvas.getContext('2d')?.drawImage(image, left, top, side, side, 0, 0, SIZE, SIZE)
  image.close()
  return new Promise((resolve, reject) => {
    const done = (blob: Blob | null) => (blob === null ? reject(new Error('The picture is empty.')) : resolve(blob))
    canvas.toBlob(done, 'image/png')
  })
}
