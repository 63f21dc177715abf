/** Imports as people ask for them at the console. */

import { type Static, Type } from 'typebox'
import type { AttributeOutput } from '../../resources/attributes/schemas'

/** Where the columns of a file go, in the words of the mapping: docs/import.md. */
export const PlanBody = Type.Object({
  /** By the name of the column. */
  columns: Type.Record(Type.String(), Type.String({ maxLength: 300 })),
  /** The unique attribute that rows are recognised by; null for the one that is usual. */
  match: Type.Union([Type.String(), Type.Null()]),
  /** Whether rows without a value of it are recognised by their name, or always new. */
  fallback: Type.Union([Type.Literal('name'), Type.Literal('none')]),
  /** Whether lists of values are replaced instead of added to. */
  overwrite: Type.Boolean(),
  /** Whose form telephone numbers without a + are in. */
  country: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]),
})
export type PlanBody = Static<typeof PlanBody>

export const UploadQuery = Type.Object({
  /** Slug or id. */
  object: Type.String({ maxLength: 200 }),
  file_name: Type.String({ minLength: 1, maxLength: 255 }),
})
export type UploadQuery = Static<typeof UploadQuery>

export const ImportsQuery = Type.Object({ object: Type.String({ maxLength: 200 }) })

export type ImportState = 'uploading' | 'ready' | 'waiting' | 'running' | 'finished' | 'cancelled' | 'failed'

/** A column of a file, as it is shown to whoever decides where it goes. */
export interface ImportColumn {
  readonly name: string
  readonly examples: readonly string[]
  /** As in a plan. */
  readonly target: string
}

export interface ImportCounts {
  readonly read: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly skipped: number
  readonly repeated: number
  readonly incomplete: number
}

export interface ImportOutput {
  readonly id: string
  readonly object_id: string
  readonly file_name: string
  readonly file_size: number
  readonly state: ImportState
  readonly columns: readonly ImportColumn[]
  readonly plan: PlanBody | null
  readonly counts: ImportCounts
  readonly bytes_read: number
  readonly problems: number
  readonly failure: string | null
  readonly created_by_workspace_member_id: string
  readonly created_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
}

/** Where a column can go that is there already. */
export interface ImportTarget {
  readonly target: string
  readonly title: string
  readonly type: string
}

/** One import with what can be chosen for it. */
export interface ImportDetail extends ImportOutput {
  readonly targets: readonly ImportTarget[]
  /** Slugs of the attributes that rows can be recognised by, the usual one first. */
  readonly matches: readonly string[]
  /** Whether rows can be recognised by a name. */
  readonly has_name: boolean
}

export interface PreviewAttribute {
  readonly attribute: AttributeOutput
  /** The columns it is read from, as problems name them. */
  readonly column: string
  /** It would be made. */
  readonly is_new: boolean
}

export interface PreviewRow {
  readonly line: number
  /** By the slug of their attribute, as the API has them. */
  readonly values: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
  readonly problems: readonly { readonly column: string; readonly value: string; readonly reason: string }[]
  /** Whether it is about a record that is there; several when that is not clear. */
  readonly known: 'new' | 'known' | 'several'
  /** Why it would be skipped. */
  readonly skipped: string | null
}

export interface PreviewOutput {
  readonly attributes: readonly PreviewAttribute[]
  readonly rows: readonly PreviewRow[]
  /** Options that would be made for these rows, by the slug of their attribute. */
  readonly options: Readonly<Record<string, readonly string[]>>
}
