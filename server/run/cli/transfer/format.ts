/** The manifest of an exported workspace, which is written last. See docs/export-format.md. */

import { type Static, Type } from 'typebox'
import { COUNTRY_CODES } from '#vocabulary/countries'
import { ALL_PERMISSIONS } from '#vocabulary/roles'
import type { EntityType } from '#engine/data-model/model'

export const FORMAT = 'relata-workspace'

/** Rises with each change after which an older service could not read the folder. */
export const FORMAT_VERSION = 2

/** The versions that an import reads. A file that is optional is in none of version 1. */
export const READ_VERSIONS: readonly unknown[] = [1, FORMAT_VERSION]

export const MANIFEST = 'manifest.json'

/** The folder of the bytes of files. Each is named by its SHA-256. */
export const BYTES_FOLDER = 'files'

/** The only names of files. No other name is opened, so that none leaves the folder. Slugs of what is deleted are ids. */
const FILE_NAME = '^(?:[a-z-]{1,40}|(?:records|entries|activity-records)/[a-z0-9][a-z0-9_-]{0,62})\\.ndjson$'
const Count = Type.Integer({ minimum: 0 })
/** Leaves room for the numbers that a workspace gets later. */
const MAX_NUMBER = 1_000_000_000
const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' })

export const FileEntry = Type.Object({
  name: Type.String({ pattern: FILE_NAME }),
  lines: Count,
  bytes: Count,
  sha256: Digest,
})
export type FileEntry = Static<typeof FileEntry>

export const WorkspaceEntry = Type.Object({
  slug: Type.String(),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  logo_url: Type.Union([Type.String({ maxLength: 2000, pattern: '^https://[^\\s"\'<>]+$' }), Type.Null()]),
  shows_updated_at: Type.Boolean(),
  creates_contacts: Type.Boolean(),
  member_permissions: Type.Array(Type.Enum([...ALL_PERMISSIONS])),
  default_country: Type.Union([Type.Enum([...COUNTRY_CODES]), Type.Null()]),
  created_at: Type.String(),
  last_number: Type.Integer({ minimum: 0, maximum: MAX_NUMBER }),
})
export type WorkspaceEntry = Static<typeof WorkspaceEntry>

export const Manifest = Type.Object({
  format: Type.Literal(FORMAT),
  version: Type.Union([Type.Literal(1), Type.Literal(FORMAT_VERSION)]),
  service_version: Type.String(),
  exported_at: Type.String(),
  workspace: WorkspaceEntry,
  files: Type.Array(FileEntry),
  /** The bytes in the folder `files`. */
  blobs: Type.Object({ count: Count, bytes: Count }),
})
export type Manifest = Static<typeof Manifest>

export const fileNameOf = (name: string): string => `${name}.ndjson`

const ENTITY_FOLDERS = {
  object: 'records',
  list: 'entries',
  activity: 'activity-records',
} as const satisfies Record<EntityType['kind'], string>

/** The file of the records of an object or an activity, or of the entries of a list. */
export const entityFileNameOf = ({ kind, api_slug }: Pick<EntityType, 'kind' | 'api_slug'>): string =>
  fileNameOf(`${ENTITY_FOLDERS[kind]}/${api_slug}`)
