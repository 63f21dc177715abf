/** How the markdown of notes names an image: by the path of its download in the API. See docs/reference/notes.md (Images). */

const PATH_PATTERN = /^\/v2\/files\/[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\/download$/
/** Its name has no brackets. */
const IMAGE_PATTERN =
  /!\[([^[\]\\`\n]*)\]\(\/v2\/files\/([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\/download\)/g

export interface NoteImage {
  readonly name: string
  readonly fileId: string
}

/** Whether an address is that of a file of the service. */
export const isImagePath = (address: string): boolean => PATH_PATTERN.test(address)

export const imageMarkdown = ({ name, fileId }: NoteImage): string =>
  `![${name.replaceAll(/[[\]\\`\r\n]/g, ' ')}](/v2/files/${fileId}/download)`

/** The texts and the images of a line, in their order. */
export function splitImages(text: string): (string | NoteImage)[] {
  const parts: (string | NoteImage)[] = []
  let end = 0
  for (const found of text.matchAll(IMAGE_PATTERN)) {
    const [whole, name = '', fileId = ''] = found
    if (found.index > end) parts.push(text.slice(end, found.index))
    parts.push({ name, fileId: fileId.toLowerCase() })
    end = found.index + whole.length
  }
  if (end < text.length) parts.push(text.slice(end))
  return parts
}

/** A text without its images. */
export const withoutImages = (text: string): string => text.replaceAll(IMAGE_PATTERN, '')
