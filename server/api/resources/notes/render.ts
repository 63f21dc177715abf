/** A note as clients see it. See docs/reference/notes.md (The form of a note). */

import { getActor } from '#engine/attribute-types/actor-reference'
import { renderInstant } from '#engine/attribute-types/formats/instants'
import type { ApiContext } from '#context'
import { enabledObjects } from '#engine/data-model/find'
import { type DataModel, ModelVersionConflict, type ObjectType } from '#engine/data-model/model'
import { recordUrl } from '#engine/data-model/names'
import { etagOf } from '#engine/entities/read/etag'
import { inSlices } from '#base/timing/in-slices'
import type { NoteInput, NoteOutput } from './schemas'
import type { NoteRow } from './store'
import { isUuid } from '#vocabulary/uuids'
import { contentTooLarge } from '#base/errors/meetings'
import { type BlockDocument, lineOf, parsePlainText, renderPlainText } from '#base/text/block-document/document'
import { parseMarkdown } from '#base/text/block-document/parse-markdown'
import { renderMarkdown } from '#base/text/block-document/render-markdown'

/** A note as JSON text, with the tag of its version for `If-Match`. */
export interface AnsweredNote {
  readonly text: string
  readonly etag: string
}

export const answerNote = (context: ApiContext, note: NoteRow): Promise<AnsweredNote> =>
  inSlices(renderNote(context, note))

/** Yields often, so that a caller can pause. Throws `ModelVersionConflict` when the data model is older than the note. */
export function* renderNote(context: ApiContext, note: NoteRow): Generator<void, AnsweredNote> {
  const { object, author } = findInModel(context, note)
  const output: NoteOutput = {
    id: { workspace_id: context.model.workspace.id, note_id: note.id },
    parent_object: object.api_slug,
    parent_record_id: note.parent_record_id,
    title: note.title,
    meeting_id: note.meeting_id,
    ...(yield* renderNoteContent(context, note.content)),
    created_by_actor: author,
    created_at: renderInstant(note.created_at, null),
  }
  yield
  return { text: JSON.stringify(output), etag: etagOf(note.version) }
}

/** The object and the author of a note. Throws `ModelVersionConflict` when the data model is older than the note. */
export function findInModel({ model }: ApiContext, note: NoteRow) {
  const object = model.entityTypesById.get(note.parent_object_id)
  if (!object) throw new ModelVersionConflict(`The object of note ${note.id} is not in the data model.`)
  return { object, author: getActor(model, note.created_by) }
}

/** The content of a note: read from a body, stored as a block document, and rendered. See docs/decisions/notes.md. */
const MAX_CONTENT_BYTES = 1_000_000

/** The JSON of the block document. Throws 413. */
export async function parseNoteContent({ format, content }: Pick<NoteInput, 'format' | 'content'>): Promise<string> {
  if (Buffer.byteLength(content) > MAX_CONTENT_BYTES) throw contentTooLarge(MAX_CONTENT_BYTES)
  return JSON.stringify(await inSlices(format === 'markdown' ? parseMarkdown(content) : parsePlainText(content)))
}

type NoteContent = Pick<NoteOutput, 'content_plaintext' | 'content_markdown' | 'tags'>

/** Yields often, so that a caller can pause. */
function* renderNoteContent(context: ApiContext, json: string): Generator<void, NoteContent> {
  const document = JSON.parse(json) as BlockDocument // as `parseNoteContent` made it
  yield
  const content_markdown = yield* renderMarkdown(document)
  yield
  const content_plaintext = renderPlainText(document)
  yield
  return { content_plaintext, content_markdown, tags: tagsOf(context, linksOf(document)) }
}

const linksOf = (document: BlockDocument): ReadonlySet<string> =>
  new Set(
    document.flatMap((block) => {
      const line = lineOf(block)
      return typeof line === 'string' ? [] : line.flatMap(({ link }) => link ?? [])
    }),
  )

type Tag = NoteOutput['tags'][number]

/**
 * The members and records that links of a note mention: members by `mailto:` with their address, records by the URL of their page.
 * An object that the caller does not see has no tag. See docs/reference/notes.md (Tags).
 */
function tagsOf({ model, appUrl }: ApiContext, links: ReadonlySet<string>): Tag[] {
  const byText = new Map<string, Tag>()
  let objects: ReadonlyMap<string, ObjectType> | undefined
  for (const link of links) {
    if (link.length > MAX_TAG_LINK) continue
    const tag = /^mailto:/i.test(link)
      ? memberTag(model, link.slice('mailto:'.length))
      : link.startsWith(`${appUrl}/`)
        ? recordTag((objects ??= objectsByUrl(model, appUrl)), link)
        : undefined
    if (tag !== undefined) byText.set(JSON.stringify(tag), tag)
  }
  return [...byText.values()]
}

/** The pages of records and the addresses of members have shorter URLs. */
const MAX_TAG_LINK = 1000

function memberTag({ membersByEmail }: DataModel, address: string): Tag | undefined {
  const member = membersByEmail.get(address.toLowerCase())
  return member && { type: 'workspace-member', workspace_member_id: member.id }
}

/** The objects by what stands before the id in the URLs of their records: in `web_url`, and at the console. */
const objectsByUrl = (model: DataModel, appUrl: string): ReadonlyMap<string, ObjectType> =>
  new Map(
    enabledObjects(model).flatMap((object) =>
      [
        recordUrl(appUrl, model, object, ''),
        ...['', `/${model.workspace.slug}`, `/${model.workspace.id}`].flatMap((workspace) => [
          `${appUrl}${workspace}/objects/${object.api_slug}/`,
          `${appUrl}${workspace}/objects/${object.id}/`,
        ]),
      ].map((url): [string, ObjectType] => [url, object]),
    ),
  )

function recordTag(objects: ReadonlyMap<string, ObjectType>, link: string): Tag | undefined {
  const [url = ''] = link.split(/[?#]/, 1)
  const end = url.lastIndexOf('/') + 1
  const object = objects.get(url.slice(0, end))
  const id = url.slice(end)
  return object && isUuid(id) ? { type: 'record', object: object.api_slug, record_id: id.toLowerCase() } : undefined
}
