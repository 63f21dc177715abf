/** The content of a note: read from a body, stored as a block document, and rendered. Decision 0080. */

import { contentTooLarge } from '#base/errors/notes'
import type { BlockDocument } from '#base/text/block-document/document'
import { parseMarkdown } from '#base/text/block-document/parse-markdown'
import { parsePlainText, renderPlainText } from '#base/text/block-document/plain-text'
import { renderMarkdown } from '#base/text/block-document/render-markdown'
import { inSlices } from '#base/timing/in-slices'
import type { NoteInput } from './schemas'

export const MAX_CONTENT_BYTES = 1_000_000

/** The JSON of the block document. Throws 413. */
export async function parseNoteContent({ format, content }: Pick<NoteInput, 'format' | 'content'>): Promise<string> {
  if (Buffer.byteLength(content) > MAX_CONTENT_BYTES) throw contentTooLarge(MAX_CONTENT_BYTES)
  return JSON.stringify(await inSlices(format === 'markdown' ? parseMarkdown(content) : parsePlainText(content)))
}

/** Yields often, so that a caller can pause. */
export function* renderNoteContent(
  json: string,
): Generator<void, { readonly content_plaintext: string; readonly content_markdown: string }> {
  const document = JSON.parse(json) as BlockDocument // as `parseNoteContent` made it
  yield
  const content_markdown = yield* renderMarkdown(document)
  yield
  return { content_plaintext: renderPlainText(document), content_markdown }
}
