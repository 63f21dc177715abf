/**
 * Finds the pictures of records that a member may read, requests the fetch of those that are missing or expired, and names where
 * the service fetches them from. See docs/reference/records.md (Pictures).
 */
import { type Clock, microsFromPostgres } from '#base/timing/clock'
import { type Database, runOnLookupPool } from '#db/connect'
import { findAttribute } from '#engine/data-model/find'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import { findEntities, type StoredEntity } from '#engine/storage/read-entities'
import { findPictureRows, type PictureRow, requestFetches, roomForFetches } from './store'

interface PictureContext {
  readonly db: Database
  /** As the member sees it. */
  readonly model: DataModel
  readonly now: Clock
}

interface FoundPicture {
  readonly recordId: string
  /** Undefined before the first fetch has ended. */
  readonly digest: Buffer | undefined
  readonly isUploaded: boolean
}

/** The pictures of these records, without those that have none. `onRequest` is called when a fetch has become due. */
export async function findPictures(
  context: PictureContext,
  object: ObjectType,
  recordIds: readonly string[],
  onRequest: () => void,
): Promise<FoundPicture[]> {
  const { db, model, now } = context
  const key = { workspaceId: model.workspace.id, objectId: object.id }
  const rows = new Map((await findRows(db, key, recordIds)).map((row) => [row.record_id, row]))
  const hashes = await findHashes(
    context,
    object,
    recordIds.filter((id) => !isUploaded(rows.get(id))),
  )
  const found: FoundPicture[] = []
  const requests = []
  for (const recordId of recordIds) {
    const row = rows.get(recordId)
    const sourcesHash = hashes.get(recordId)
    if (row !== undefined && isUploaded(row)) found.push(pictureOf(row))
    if (sourcesHash === undefined) continue
    const isSame = row?.sources_hash?.equals(sourcesHash) === true
    const isCurrent = isSame && row?.expires_at != null && microsFromPostgres(row.expires_at) > now()
    if (!isCurrent && row?.due_at == null) requests.push({ recordId, sourcesHash })
    if (isSame && row?.blob_digest != null) found.push(pictureOf(row))
    else if (!isCurrent) found.push({ recordId, digest: undefined, isUploaded: false })
  }
  const wanted = requests.length === 0 ? [] : requests.slice(0, await roomForFetches(db.sql, key.workspaceId))
  if (wanted.length > 0) {
    await requestFetches(db.sql, key, wanted, now())
    onRequest()
  }
  return found
}

/** Whether this is the present picture of a record that exists. */
export async function isPictureOf(
  context: PictureContext,
  object: ObjectType,
  recordId: string,
  digest: Buffer,
): Promise<boolean> {
  const key = { workspaceId: context.model.workspace.id, objectId: object.id }
  const [row] = await findRows(context.db, key, [recordId])
  if (row?.blob_digest?.equals(digest) !== true) return false
  if (isUploaded(row)) return true
  const hash = (await findHashes(context, object, [recordId])).get(recordId)
  return hash !== undefined && row.sources_hash?.equals(hash) === true
}

const findRows = (
  db: Database,
  key: Parameters<typeof findPictureRows>[1],
  recordIds: readonly string[],
): Promise<PictureRow[]> => runOnLookupPool(db, (on) => findPictureRows(on, key, recordIds))

/** A record in the trash has its row there. */
const isUploaded = (row: PictureRow | undefined): boolean => row !== undefined && row.sources_hash === null

const pictureOf = (row: PictureRow): FoundPicture => ({
  recordId: row.record_id,
  digest: row.blob_digest ?? undefined,
  isUploaded: isUploaded(row),
})

/** The hashes of the sources of records that exist and have sources. */
async function findHashes(
  { db, model }: PictureContext,
  object: ObjectType,
  recordIds: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const attributes = sourceAttributes(model, object)
  if (attributes.length === 0 || recordIds.length === 0) return new Map()
  const records = await runOnLookupPool(db, (on) => findEntities(on, model, object, recordIds, attributes))
  const hashes = new Map<string, Buffer>()
  for (const [id, record] of records) {
    const sources = sourcesOf(attributes, record)
    if (sources.length > 0) hashes.set(id, hashOfSources(sources))
  }
  return hashes
}

/** The URL of a picture, or a domain whose web page has an icon. */
export type PictureSource = { readonly url: string } | { readonly domain: string }

/** The slugs of attributes with the URL of a picture. The first one that an object has is used. */
const URL_SLUGS = ['avatar_url', 'logo_url', 'avatar', 'logo', 'image', 'image_url', 'photo']

/** The attributes of an object that name sources, as far as the settings of the workspace allow them. */
export function sourceAttributes({ workspace }: DataModel, object: ObjectType): Attribute[] {
  const active = (slug: string): Attribute[] => {
    const attribute = findAttribute(object, slug)
    return attribute?.is_archived === false ? [attribute] : []
  }
  return [
    ...(workspace.fetches_pictures ? URL_SLUGS.flatMap(active).slice(0, 1) : []),
    ...(workspace.fetches_company_logos && object.standard_slug === 'companies' ? active('domains') : []),
  ]
}

/** The sources of a record in the order in which they are tried. */
export function sourcesOf(attributes: readonly Attribute[], record: StoredEntity): PictureSource[] {
  return attributes.flatMap((attribute): PictureSource[] => {
    const { domain, value } = record.valuesOf(attribute)[0]?.stored ?? {}
    if (typeof domain === 'string') return [{ domain }]
    return typeof value === 'string' && /^https?:\/\//i.test(value.trim()) ? [{ url: value.trim() }] : []
  })
}

/** Differs whenever the sources do. */
export const hashOfSources = (sources: readonly PictureSource[]): Buffer =>
  new Bun.CryptoHasher('sha256').update(JSON.stringify(sources)).digest()
